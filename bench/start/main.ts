/**
 * `node bin/node-24.mjs bench/start/main.ts`: what a cold start of each function costs: the import of its bundle, and the first invocation beside
 * the second. Each start is a new process of Node 24, with
 * bundles built as the template says, beside a stub of DynamoDB, SQS and S3.
 *
 *   --rounds 5     starts of each function, interleaved
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { bundleSettings } from '../../scripts/bundles.ts';
import { projectFolder } from '../../scripts/python-tools.ts';
import { startServices } from './services.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = z.coerce.number().int().min(1).parse(values.rounds);

/** The event that each function answers. */
const events = z.record(z.string(), z.string()).parse({
  Propagate: 'user-renamed.json',
  FanOut: 'rest-of-a-large-fan-out.json',
  Archive: 'order-expiring.json',
  Sweep: 'recheck.json',
  Verify: 'recheck.json',
});

const span = z.object({ clock: z.number(), cpu: z.number() });
const started = z.object({ init: span, first: span, second: span, megabytes: z.number() });
type Started = z.output<typeof started>;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'denorm-start-'));
const services = await startServices();
try {
  const measured = new Map<string, Started[]>();
  for (const { id, options } of bundleSettings()) {
    await build({ ...options, outfile: fileOf(id) });
    measured.set(id, []);
  }
  for (let round = 0; round < rounds; round += 1)
    for (const [id, starts] of measured) starts.push(await start(id));
  console.log('| function | bundle | import | of it processor time | first invocation | second | resident |');
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  for (const [id, starts] of measured) console.log(rowOf(id, starts));
  const load = loadavg().map((average) => average.toFixed(1));
  console.log(`\nMilliseconds, least of ${rounds} starts. Load of the machine: ${load.join(', ')}.`);
} finally {
  services.close();
  rmSync(folder, { recursive: true, force: true });
}

function fileOf(id: string): string {
  return join(folder, `${id}.mjs`);
}

async function start(id: string): Promise<Started> {
  const program = new URL('cold.mjs', import.meta.url).pathname;
  const { stderr } = await run(
    process.execPath,
    [program, fileOf(id), join(projectFolder, 'events', events[id] ?? 'recheck.json')],
    {
      env: services.environment,
      maxBuffer: 2 ** 24,
    },
  );
  // Warnings of the function come before.
  return started.parse(JSON.parse(stderr.split('\n').at(-1) ?? ''));
}

function rowOf(id: string, starts: readonly Started[]): string {
  const least = (pick: (one: Started) => number) => Math.min(...starts.map(pick)).toFixed(0);
  const cells = [
    `${(statSync(fileOf(id)).size / 1000).toFixed(0)} kB`,
    ...[least(({ init }) => init.clock), least(({ init }) => init.cpu)],
    ...[least(({ first }) => first.clock), least(({ second }) => second.clock)],
    `${least(({ megabytes }) => megabytes)} MB`,
  ];
  return `| ${id} | ${cells.join(' | ')} |`;
}
