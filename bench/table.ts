// Writes to the table of `denorm dev`, with the worker beside them: does the last one take as long as the first? The first and
// the last thousand are put one after another; between them come batches, which age the stream as much and take less time.
// Exits 1 if one of the last thousand took more than twice as long as one of the first.
//
//   npm run bench:table -- [number of writes]
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { devTemplate, openDevEnvironment } from '../src/develop/dev/dev-environment.ts';
import { loopbackClientSettings } from '../src/develop/dev/loopback.ts';
import { ApplicationTable } from '../src/develop/dev/table/application-table.ts';
import { startEmbeddedTableServer } from '../src/develop/dev/table/embedded-table-server.ts';
import { loadRules } from '../test/application/load-rules.ts';
import { templatePath } from '../test/application/paths.ts';
import { table } from '../test/application/table.ts';

const tableName = 'bench';
const part = 1_000;
const most = 2;
const writes = Number(process.argv[2] ?? 50_000);
if (!Number.isInteger(writes) || writes < 2 * part) {
  console.error(
    `Expected a number of writes from ${2 * part} up, got ${process.argv[2]}: run it as \`npm run bench:table -- 10000\``,
  );
  process.exit(2);
}

// The first run only warms this process up, which would make its first writes slow.
await measure(2 * part);
const { first, last } = await measure(writes);
say(`the first ${part} of ${writes} writes`, first);
say(`the last ${part}`, last);
const ratio = last.median / first.median;
console.log(
  `the last took ${ratio.toFixed(2)} times as long as the first (at most ${most}), and ` +
    `${(last.processor / first.processor).toFixed(2)} times the server's processor time`,
);
process.exitCode = ratio > most ? 1 : 0;

/** Milliseconds a write. */
interface Part {
  readonly median: number;
  readonly mean: number;
  /** The server's processor time. */
  readonly processor: number;
}

async function measure(count: number): Promise<{ first: Part; last: Part }> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-bench-'));
  const server = await startEmbeddedTableServer();
  if (server.slowsDown !== undefined) console.error(server.slowsDown);
  try {
    const devEnvironment = await openDevEnvironment({
      registry: loadRules({ statusShards: 1 }),
      template: devTemplate(templatePath),
      tableName,
      endpoint: server.endpoint,
      archiveDir: folder,
      stateDir: folder,
    });
    const application = new ApplicationTable(server.endpoint, tableName, table);
    const first = await putEach(application, server.pid, 0);
    await putInBatches(server.endpoint, part, count - part);
    await devEnvironment.idle();
    const last = await putEach(application, server.pid, count - part);
    await devEnvironment.idle();
    application.close();
    await devEnvironment.close();
    return { first, last };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function putEach(application: ApplicationTable, server: number, from: number): Promise<Part> {
  const before = await processorTime(server);
  const times: number[] = [];
  for (let index = from; index < from + part; index += 1) {
    const started = performance.now();
    await application.put(user(index));
    times.push(performance.now() - started);
  }
  return {
    median: times.toSorted((a, b) => a - b)[part / 2] ?? 0,
    mean: times.reduce((sum, time) => sum + time, 0) / part,
    processor: ((await processorTime(server)) - before) / part,
  };
}

async function putInBatches(endpoint: string, from: number, to: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(loopbackClientSettings(endpoint)));
  for (let index = from; index < to; index += 25) {
    const puts = Array.from({ length: Math.min(25, to - index) }, (_, at) => ({
      PutRequest: { Item: user(index + at) },
    }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }));
  }
  client.destroy();
}

/** One of 5,000 users gets another name, so that the worker has something to look for. */
function user(index: number) {
  const id = String(index % 5_000);
  const key = { [table.pk]: `USER#${id}`, [table.sk]: '#METADATA' };
  return { ...key, Type: 'User', userId: id, username: `name ${index}` };
}

function say(which: string, { median, mean, processor }: Part): void {
  console.log(
    `${which}: ${median.toFixed(2)} ms each (median; mean ${mean.toFixed(2)}), ` +
      `${processor.toFixed(2)} ms of the server's processor time`,
  );
}

/** The processor time that a process has used, in milliseconds. 0 where the system does not say. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [user, system] = stat?.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number) ?? [];
  return ((user ?? 0) + (system ?? 0)) * 10;
}
