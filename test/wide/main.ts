// One incident with a partition of 100,000 participations changes: how long until every copy says so, and how many
// requests that takes. The copies are put before the stream is switched on: the embedded server slows down as its stream
// grows, and it is the worker that is looked at here.
//
//   npm run wide -- [number of copies]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devTemplate, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { ApplicationTable } from '../../src/dev/table/application-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { loadRules } from '../application/load-rules.ts';
import { templatePath } from '../application/paths.ts';
import { table } from '../application/table.ts';
import { countingTable } from '../table-model/counting-table.ts';
import { seedWidePartition } from './seed.ts';

const copies = Number(process.argv[2] ?? 100_000);
if (!Number.isInteger(copies) || copies < 1) {
  console.error(
    `Expected a number of copies from 1 up, got ${process.argv[2]}: run it as \`npm run wide -- 5000\``,
  );
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'denorm-wide-'));
const server = await startEmbeddedTableServer();
try {
  const root = await seedWidePartition(server.endpoint, 'wide', copies, progress('put'));
  const counted = { written: 0, propagations: 0, last: performance.now() };
  let counts: ReturnType<typeof countingTable>['counts'] | undefined;
  const tell = progress('written');
  const devEnvironment = await openDevEnvironment({
    registry: loadRules({ statusShards: 1, disabled: [] }),
    template: devTemplate(templatePath),
    tableName: 'wide',
    endpoint: server.endpoint,
    archiveDir: folder,
    stateDir: folder,
    watch: (port) => {
      const watched = countingTable(port);
      counts = watched.counts;
      return watched.port;
    },
    onPropagation: ({ rule, cause, written }) => {
      if (rule !== 'incident-on-participations' || cause === 'check') return;
      counted.propagations += 1;
      counted.written += written;
      counted.last = performance.now();
      tell(counted.written, copies);
    },
  });
  const application = new ApplicationTable(server.endpoint, 'wide', table);
  const started = performance.now();
  await application.update(root, { State: 'CLOSED', Title: 'It is over' });
  await devEnvironment.idle();
  const seconds = (counted.last - started) / 1000;
  console.log(
    `${counted.written} of ${copies} copies written in ${seconds.toFixed(1)} s, in ${counted.propagations} propagations`,
  );
  console.log(JSON.stringify(counts));
  application.close();
  await devEnvironment.close();
  if (counted.written !== copies) process.exitCode = 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Says how far something has come, at most every two seconds. */
function progress(what: string): (done: number, all: number) => void {
  let said = performance.now();
  return (done, all) => {
    if (performance.now() - said < 2_000) return;
    said = performance.now();
    console.log(`${done} of ${all} ${what}`);
  };
}
