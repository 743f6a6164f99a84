/**
 * `node bin/node-24.mjs bench/scale/main.ts`: what `verify`, `repair`, `backfill`, `sweep`, `archive audit` and `archive restore` cost
 * for each item of a table, the larger the table is: CPU of the command and of the embedded server, and the most memory of both. On
 * Linux. Prints a line for each command and size, and exits 1 if a command does not do what it should.
 *
 *   --items 10000      of a table; may be given again
 *   --only sweep       this command only, by its last word; may be given again. What was not swept can be neither audited nor restored
 *   --folder <dir>     for exports, tables and archives; each is removed when it has been measured
 */
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { makeExport } from '../../scripts/make-export.ts';
import { stackModel } from '../../src/deploy/stack-model.ts';
import { stackSettings } from '../../src/deploy/stack-settings.ts';
import { openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { importExport } from '../../src/dev/table/import-export.ts';
import { probed, startCommand } from '../commands.ts';
import { cpuSeconds, memory } from '../processes.ts';
import config from './denorm.config.ts';
import { itemAt, removeSwept } from './items.ts';

const { values } = parseArgs({
  options: {
    items: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    folder: { type: 'string' },
  },
});
const sizes = z.array(z.coerce.number().int().min(20)).parse(values.items ?? ['10000', '100000', '1000000']);
const folder = resolve(z.string({ error: 'Expected --folder <dir>' }).parse(values.folder));
const tableName = 'app';
const stack = stackSettings(stackModel(config.registry()));

interface Step {
  readonly words: readonly string[];
  readonly exits: number;
  /** What the command prints of a table of so many items. */
  readonly prints: (items: number) => string;
  /** Done before it, and not measured. */
  readonly before?: (measured: Measured) => Promise<void>;
}

const text = (count: number) => count.toLocaleString('en-US');
const rule = 'username-on-memberships';
const steps: readonly Step[] = [
  {
    words: ['verify', '--rcu', 'unlimited', '--grace', '0'],
    exits: 1,
    prints: (items) => `${text(items)} items read; found ${text(items / 20)} `,
  },
  {
    words: ['repair', '--rcu', 'unlimited', '--wcu', 'unlimited', '--grace', '0'],
    exits: 0,
    prints: (items) => `${text(items / 20)} copies written`,
  },
  {
    words: ['backfill', '--rule', rule, '--rcu', 'unlimited', '--wcu', 'unlimited'],
    exits: 0,
    prints: (items) => `${text(items / 10)} propagations, 0 copies written`,
  },
  {
    words: ['sweep', '--yes', '--rcu', 'unlimited'],
    exits: 0,
    prints: (items) => `${text(items / 5)} archived`,
  },
  {
    words: ['archive', 'audit', '--rcu', 'unlimited', '--grace', '0'],
    exits: 0,
    prints: (items) => `${text(items)} items of app read, ${text(items / 5)} with an expiry`,
    // The write of a TTL is archived by the worker.
    before: followed,
  },
  {
    words: ['archive', 'restore', '--all', '--wcu', 'unlimited'],
    exits: 0,
    prints: (items) => `${text(items / 5)} items restored to app`,
    before: ({ server, items }) => removeSwept(server.endpoint, tableName, items),
  },
];

console.log('| items | command | CPU µs an item: command | server | peak MB: command | server | seconds |');
console.log('| --: | --- | --: | --: | --: | --: | --: |');
for (const items of sizes) await measureTable(items);

async function measureTable(items: number): Promise<void> {
  const at = join(folder, String(items));
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  makeExport(join(at, 'export'), items, itemAt);
  const { signal } = new AbortController();
  const server = await startEmbeddedTableServer({
    dbPath: join(at, 'table.db'),
    fill: (file) =>
      importExport(file, { from: join(at, 'export'), tableName, definition: stack.table, signal }),
  });
  rmSync(join(at, 'export'), { recursive: true });
  try {
    for (const step of steps)
      if (values.only?.some((word) => nameOf(step).endsWith(word)) ?? true)
        await measure(step, { at, items, server });
  } finally {
    await server.stop();
    rmSync(at, { recursive: true });
  }
}

interface Measured {
  readonly at: string;
  readonly items: number;
  readonly server: { readonly endpoint: string; readonly pid: number };
}

function nameOf({ words }: Step): string {
  return words.slice(0, words[0] === 'archive' ? 2 : 1).join(' ');
}

/** When the worker has followed all writes so far. */
async function followed({ at, server }: Measured): Promise<void> {
  const worker = await openDevEnvironment({
    ...{ registry: config.registry(), stack, tableName },
    ...{ endpoint: server.endpoint, stateDir: join(at, 'state') },
  });
  await worker.idle();
  await worker.close();
}

async function measure(step: Step, measured: Measured): Promise<void> {
  await step.before?.(measured);
  const { at, items, server } = measured;
  const { endpoint, pid } = server;
  const [probeFile, output] = [join(at, 'probe.jsonl'), join(at, 'output')];
  rmSync(probeFile, { force: true });
  // The peak is that from now on. Source: proc(5), "/proc/pid/clear_refs".
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const [cpuBefore, begun] = [cpuSeconds(pid), performance.now()];
  const out = openSync(output, 'w');
  const command = startCommand(
    [...step.words, '--table', tableName, '--endpoint', endpoint, '--state-dir', 'state'],
    {
      ...{ cwd: at, probeFile, stdio: ['ignore', out, out] },
      config: fileURLToPath(new URL('denorm.config.ts', import.meta.url)),
    },
  );
  const [code] = await once(command, 'exit');
  closeSync(out);
  const seconds = (performance.now() - begun) / 1000;
  const own = probed(probeFile).at(-1);
  const micros = (cpu = Number.NaN) => ((cpu * 1e6) / items).toFixed(0);
  const costs = [
    ...[micros(own?.cpuSeconds), micros(cpuSeconds(pid) - cpuBefore)],
    ...[own?.peak?.toFixed(0), memory(pid).peak.toFixed(0), seconds.toFixed(0)],
  ];
  console.log(`| ${text(items)} | ${nameOf(step)} | ${costs.join(' | ')} |`);
  const printed = readFileSync(output, 'utf8');
  if (code === step.exits && printed.includes(step.prints(items))) return;
  process.exitCode = 1;
  console.log(
    `Expected exit code ${step.exits} and "${step.prints(items)}", got ${code} and:\n${printed.slice(-2_000)}`,
  );
}
