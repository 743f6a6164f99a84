/**
 * Program: invokes a function's handler once, as Lambda does: `run-handler.ts <file in handlers> [milliseconds]`, with the
 * event as JSON on stdin and settings in the environment. The last line on stdout is the response. It exits with 1 if the handler throws.
 */
import { text } from 'node:stream/consumers';
import * as z from 'zod';

const [, , name = '', milliseconds = '60000'] = process.argv;
const end = Date.now() + Number(milliseconds);
const { handler } = z
  .object({
    handler: z.custom<(event: unknown, context: unknown) => unknown>((it) => typeof it === 'function'),
  })
  .parse(await import(new URL(`../../../handlers/${name}.ts`, import.meta.url).href));
const event: unknown = JSON.parse(await text(process.stdin));
const answer: unknown = await handler(event, { getRemainingTimeInMillis: () => end - Date.now() });
process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
