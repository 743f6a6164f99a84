// One incident with a partition of 100,000 participations changes: how long until every copy says so, how many requests
// that takes, and how much memory; then a search for drift in all of them. The copies are put before the stream is switched
// on, because it is the worker that is looked at here. Exits 1 if a copy is missing, or a process takes too much memory.
//
//   node bin/node-24.mjs test/wide/main.ts [number of copies]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { ApplicationTable } from '../../src/develop/dev/table/application-table.ts';
import { startEmbeddedTableServer } from '../../src/develop/dev/table/embedded-table-server.ts';
import { table } from '../../src/table.ts';
import { templatePath } from '../fixtures/application/paths.ts';
import { startBundled } from './bundled-process.ts';
import { seedWidePartition } from './seed.ts';

/** The most memory that a process may have, resident, in megabytes. */
const mostMegabytes = 150;

const fanOutMessage = z.object({ written: z.number().optional(), ended: z.unknown().optional() });
const verifyMessage = z.object({ ended: z.object({ items: z.number(), drift: z.number() }) });

const copies = Number(process.argv[2] ?? 100_000);
if (!Number.isInteger(copies) || copies < 1) {
  console.error(
    `Expected a number of copies from 1 up, got ${process.argv[2]}: run it as \`node bin/node-24.mjs test/wide/main.ts 5000\``,
  );
  process.exit(2);
}

const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'denorm-wide-'));
const server = await startEmbeddedTableServer();
try {
  const root = await seedWidePartition(server.endpoint, 'wide', copies, progress('put'));
  console.log(`${copies} copies put in ${seconds(started)} s`);
  await fanOut(root);
  await verify();
  console.log(`everything took ${seconds(started)} s`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function fanOut(root: Awaited<ReturnType<typeof seedWidePartition>>): Promise<void> {
  const counted = { written: 0, propagations: 0, last: performance.now() };
  const ready = Promise.withResolvers<void>();
  let requests: unknown;
  const tell = progress('written');
  const worker = await startBundled(
    'worker.ts',
    [server.endpoint, 'wide', folder, templatePath],
    folder,
    (message) => {
      if (message === 'ready') return ready.resolve();
      const { written, ended } = fanOutMessage.parse(message);
      requests = ended;
      if (written === undefined) return;
      counted.propagations += 1;
      counted.written += written;
      counted.last = performance.now();
      tell(counted.written, copies);
    },
  );
  await Promise.race([ready.promise, worker.ended]);
  const application = new ApplicationTable(server.endpoint, 'wide', table);
  const changed = performance.now();
  await application.update(root, { State: 'CLOSED', Title: 'It is over' });
  application.close();
  worker.process.send('idle');
  await worker.ended;
  const took = ((counted.last - changed) / 1000).toFixed(1);
  console.log(
    `${counted.written} of ${copies} copies written in ${took} s, in ${counted.propagations} propagations`,
  );
  console.log(JSON.stringify(requests));
  memory('the worker', worker.megabytes());
  if (counted.written !== copies) process.exitCode = 1;
}

async function verify(): Promise<void> {
  const began = performance.now();
  let found: unknown;
  const { ended, megabytes } = await startBundled(
    'verify.ts',
    [server.endpoint, 'wide'],
    folder,
    (message) => {
      found = verifyMessage.parse(message).ended;
    },
  );
  await ended;
  const { items, drift } = verifyMessage.shape.ended.parse(found);
  console.log(`verify read ${items} items in ${seconds(began)} s, ${drift} of them drifted`);
  memory('verify', megabytes());
  if (items !== copies + 1 || drift !== 0) process.exitCode = 1;
}

function memory(what: string, megabytes: number): void {
  console.log(
    `${what} had ${Math.round(megabytes)} MB in memory at the most (${mostMegabytes} MB are allowed)`,
  );
  if (megabytes > mostMegabytes) process.exitCode = 1;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

/** Says how far something has come, at most every five seconds. */
function progress(what: string): (done: number, all: number) => void {
  let said = performance.now();
  return (done, all) => {
    if (performance.now() - said < 5_000) return;
    said = performance.now();
    console.log(`${done} of ${all} ${what}`);
  };
}
