// Writes to the table of `denorm dev`, one after another, with the worker beside them: does the last one take as long as
// the first? Exits 1 if the last thousand took more than twice as long.
//
//   npm run bench:table -- [number of writes]
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devTemplate, openDevEnvironment } from '../src/dev/dev-environment.ts';
import { ApplicationTable } from '../src/dev/table/application-table.ts';
import { startEmbeddedTableServer } from '../src/dev/table/embedded-table-server.ts';
import { loadRules } from '../test/application/load-rules.ts';
import { templatePath } from '../test/application/paths.ts';
import { table } from '../test/application/table.ts';

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
await measure(part);
const parts = await measure(writes);
const first = parts[0];
const last = parts.at(-1);
if (first === undefined || last === undefined) throw new Error('Expected measurements, got none');
const ratio = last.median / first.median;
console.log(
  `the last ${part} of ${writes} writes took ${ratio.toFixed(2)} times as long as the first (at most ${most})`,
);
process.exitCode = ratio > most ? 1 : 0;

interface Part {
  /** Milliseconds a write. */
  readonly median: number;
}

async function measure(count: number): Promise<Part[]> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-bench-'));
  const server = await startEmbeddedTableServer();
  if (server.slowsDown !== undefined) console.error(server.slowsDown);
  try {
    const devEnvironment = await openDevEnvironment({
      registry: loadRules({ statusShards: 1, disabled: [] }),
      template: devTemplate(templatePath),
      tableName: 'bench',
      endpoint: server.endpoint,
      archiveDir: folder,
      stateDir: folder,
    });
    const application = new ApplicationTable(server.endpoint, 'bench', table);
    const parts: Part[] = [];
    for (let written = 0; written < count; written += part) {
      const before = await processorTime(server.pid);
      const times: number[] = [];
      for (let index = written; index < Math.min(count, written + part); index += 1) {
        const started = performance.now();
        await application.put(user(index));
        times.push(performance.now() - started);
      }
      parts.push(described(written, times, (await processorTime(server.pid)) - before, count > part));
    }
    const started = performance.now();
    await devEnvironment.idle();
    if (count > part)
      console.log(`the worker was idle ${Math.round(performance.now() - started)} ms after the last write`);
    application.close();
    await devEnvironment.close();
    return parts;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One of 5,000 users gets another name, so that the worker has something to look for. */
function user(index: number) {
  const id = String(index % 5_000);
  const key = { [table.pk]: `USER#${id}`, [table.sk]: '#METADATA' };
  return { ...key, Type: 'User', userId: id, username: `name ${index}` };
}

function described(written: number, times: readonly number[], processor: number, tell: boolean): Part {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const every = part * 5;
  if (tell && (written % every === 0 || written + part >= writes))
    console.log(
      `writes ${written + 1} to ${written + times.length}: ${median.toFixed(2)} ms each (median; mean ${mean.toFixed(2)}), ` +
        `${(processor / times.length).toFixed(2)} ms of it the server's processor time`,
    );
  return { median };
}

/** The processor time that a process has used, in milliseconds. 0 where the system does not say. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [user, system] = stat?.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number) ?? [];
  return ((user ?? 0) + (system ?? 0)) * 10;
}
