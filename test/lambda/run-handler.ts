/**
 * Program: invokes the handler of a function once, as Lambda would: `run-handler.ts <file in handlers>`, the event as JSON on
 * stdin, settings in the environment. The last line on stdout is the answer; it exits with 1 where the handler throws.
 */
import { text } from 'node:stream/consumers';
import * as z from 'zod';

const [, , name = ''] = process.argv;
const { handler } = z
  .object({
    handler: z.custom<(event: unknown, context: unknown) => unknown>((it) => typeof it === 'function'),
  })
  .parse(await import(new URL(`../../handlers/${name}.ts`, import.meta.url).href));
const event: unknown = JSON.parse(await text(process.stdin));
const answer: unknown = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
