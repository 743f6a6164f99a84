/**
 * `node bin/node-24.mjs bench/soak/main.ts`: whether `denorm dev` holds more memory, files or handles the longer it runs, while an
 * application renames, joins, deletes and lets items expire. Then `denorm verify` must find nothing, nor may there be dead letters.
 * On Linux. Prints a line at the start, each few minutes and at the end, and exits 1 if something is wrong.
 *
 *   --minutes 120      how long the application writes
 *   --every 5          minutes from a line to the next
 *   --rate 2           operations a second, of one to six writes each
 *   --folder <dir>     for the table's file, the archive and what the commands print; it must be empty or missing
 */
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { projectFolder } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { table } from '../../src/table.ts';
import { probed, startCommand } from '../commands.ts';
import { cpuSeconds, memory, openFiles, processBelow } from '../processes.ts';
import { application, type Operation } from './application.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    every: { type: 'string', default: '5' },
    rate: { type: 'string', default: '2' },
    folder: { type: 'string' },
  },
});
const positive = z.coerce.number().positive();
const minutes = positive.parse(values.minutes);
const every = positive.parse(values.every);
const rate = positive.parse(values.rate);
const folder = resolve(z.string({ error: 'Expected --folder <dir>' }).parse(values.folder));
if (existsSync(join(folder, 'table.db'))) throw new Error(`Expected an empty --folder, got ${folder}`);
mkdirSync(folder, { recursive: true });

/** How often of a hundred the application does what. */
const shares: Readonly<Record<Operation, number>> = {
  ...{ rename: 25, join: 20, leave: 10, removeUser: 2, incident: 5, incidentChanges: 10 },
  ...{ order: 6, orderChanges: 10, vote: 10, profile: 2 },
};

const probeFile = join(folder, 'probe.jsonl');
const options = { cwd: folder, config: join(projectFolder, 'denorm.config.ts'), probeFile };
const written = (file: string) => openSync(join(folder, file), 'w');
const dev = startCommand(
  ['dev', '--port', String(await freePort()), '--db-path', 'table.db', '--state-dir', 'state'],
  {
    ...options,
    stdio: ['ignore', written('dev.out'), written('dev.err')],
  },
);
const ended = once(dev, 'exit');
const endpoint = await until(() => /^ready (\S+)/m.exec(output('dev.out'))?.[1], 'the ready line');
const pid = await until(() => probed(probeFile).at(-1)?.pid, "the probe's first line");
const server = await until(() => processBelow(pid, 'dynoxide'), 'the embedded server');
const begun = performance.now();
const operations = new Map<string, number>();
let last = { at: begun, dev: cpuSeconds(pid), server: cpuSeconds(server), own: process.cpuUsage() };

console.log(
  'minutes | operations | heap | RSS MB | handles | files | CPU % | server: RSS MB, CPU % | own CPU %',
);
try {
  await sample();
  await write();
  await settled();
  await sample();
} finally {
  dev.kill('SIGINT');
  const [code] = await ended;
  console.log(`denorm dev ended with ${code}, and wrote on stderr:\n${output('dev.err').slice(-2_000)}`);
  if (code !== 0) process.exitCode = 1;
}

async function write(): Promise<void> {
  const client = new ApplicationTable(endpoint, 'app', table);
  const does = application(client, Math.random);
  const names = z
    .array(z.enum(Object.keys(shares) as [Operation]))
    .parse(Object.entries(shares).flatMap(([name, share]) => Array(share).fill(name)));
  const end = begun + minutes * 60_000;
  let sampleAt = begun + every * 60_000;
  for (let next = begun; next < end; next += 1_000 / rate) {
    await setTimeout(Math.max(0, next - performance.now()));
    const name = names[Math.floor(Math.random() * names.length)] ?? 'rename';
    await does[name]();
    operations.set(name, (operations.get(name) ?? 0) + 1);
    if (performance.now() < sampleAt) continue;
    await sample();
    sampleAt += every * 60_000;
  }
  client.close();
  console.log(`operations: ${JSON.stringify(Object.fromEntries(operations))}`);
}

/** Waits for what expires; `verify` itself waits until a change has had its time to arrive. */
async function settled(): Promise<void> {
  await setTimeout(25_000);
  const at = ['--endpoint', endpoint, '--state-dir', 'state'];
  await command('verify', ...at, '--rcu', 'unlimited');
  await command('archive', 'audit', ...at, '--rcu', 'unlimited');
  await command('dlq', 'list', ...at);
}

async function command(...words: readonly string[]): Promise<void> {
  const out = written('command.out');
  const [code] = await once(
    startCommand(words, {
      ...options,
      probeFile: join(folder, 'commands.jsonl'),
      stdio: ['ignore', out, out],
    }),
    'exit',
  );
  closeSync(out);
  console.log(`denorm ${words.join(' ')} exits ${code}:\n${output('command.out')}`);
  if (code !== 0) process.exitCode = 1;
}

async function sample(): Promise<void> {
  const before = probed(probeFile).length;
  process.kill(pid, 'SIGUSR2');
  const { heap = 0, handles } = await until(() => probed(probeFile)[before], 'a line of the probe');
  const now = {
    at: performance.now(),
    dev: cpuSeconds(pid),
    server: cpuSeconds(server),
    own: process.cpuUsage(),
  };
  const seconds = (now.at - last.at) / 1000;
  const own = process.cpuUsage(last.own);
  const percent = (cpu: number) => ((100 * cpu) / seconds).toFixed(1);
  const done = [...operations.values()].reduce((sum, one) => sum + one, 0);
  console.log(
    [
      ((now.at - begun) / 60_000).toFixed(1),
      done,
      heap.toFixed(1),
      memory(pid).now.toFixed(0),
      handles,
      openFiles(pid),
      percent(now.dev - last.dev),
      `${memory(server).now.toFixed(0)}, ${percent(now.server - last.server)}`,
      percent((own.user + own.system) / 1e6),
    ].join(' | '),
  );
  last = now;
}

function output(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

async function until<Value>(find: () => Value | undefined, what: string): Promise<Value> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (performance.now() > deadline || dev.exitCode !== null)
      throw new Error(`Expected ${what} within 60 s`);
    await setTimeout(100);
  }
}
