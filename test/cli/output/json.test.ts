import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../denorm.ts';
import { deadLetterAbout, record, stage } from '../dlq/failed-work.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { everyCommand } from '../every-command.ts';

const tables = embeddedTables();

const order = {
  ...{ PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', UserId: '42', Total: 9.99 },
  ...{ CreatedAt: '2024-01-15T09:30:00.123456', Status: 'DELIVERED', GSI2PK: 'STATUS#PENDING' },
};
const key = JSON.stringify({ PK: order.PK, SK: order.SK });

/** A call of each command with --json, in an order in which each finds something; undefined if a test needs a stack for it. */
const calls: Readonly<Record<string, readonly string[] | undefined>> = {
  check: ['--no-types', 'AT'],
  rules: [],
  explain: [key, 'AT'],
  simulate: ['--seeds', '1'],
  cost: ['--copies', '1'],
  smoke: undefined,
  verify: ['--grace', '0', 'AT'],
  backfill: ['--rule', 'order-status-keys', '--dry-run', 'AT'],
  repair: ['--grace', '0', 'AT'],
  replay: ['--since', '1h', 'AT'],
  pause: ['--rule', 'order-status-keys', 'AT'],
  resume: ['--rule', 'order-status-keys', 'AT'],
  'dlq list': ['AT'],
  'dlq show': ['{"PK":"acct_1#inc","SK":"inc_1"}', 'AT'],
  'dlq redrive': ['--all', '--dry-run', 'AT'],
  'dlq drop': ['--all', '--yes', 'AT'],
  sweep: ['--yes', 'AT', 'ARCHIVE'],
  'archive list': ['ARCHIVE'],
  'archive show': [key, 'ARCHIVE'],
  'archive restore': [key, 'AT', 'ARCHIVE'],
  'archive audit': ['--grace', '0', 'AT', 'ARCHIVE'],
};

test('with --json, every command prints JSON lines and then its summary', { timeout: 600_000 }, async () => {
  const { application, cwd, at } = await stage(tables, [deadLetterAbout('acct_1#inc')]);
  for (const item of [order, { ...order, PK: 'ORDER#2', Status: 1 }, { PK: 'LOG#1', SK: '7', Type: 'Log' }])
    await application.put(item);
  writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: [record(undefined, order)] }));
  const places: Readonly<Record<string, readonly string[]>> = { AT: at, ARCHIVE: ['--state-dir', '.denorm'] };
  const placed = (words: readonly string[]) => words.flatMap((word) => places[word] ?? [word]);

  const withJson = [...(await everyCommand())].filter(([, command]) =>
    command.options.some(({ long }) => long === '--json'),
  );
  expect(withJson.map(([name]) => name).toSorted()).toEqual(Object.keys(calls).toSorted());

  const faults: string[] = [];
  for (const [name, words] of Object.entries(calls)) {
    if (words === undefined) continue;
    const ran = await run([...name.split(' '), ...placed(words), '--json'], cwd);
    faults.push(...faultsIn(ran).map((fault) => `${name}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

test('with --json, the errors of every command are JSON on stderr', { timeout: 600_000 }, async () => {
  const { cwd } = await stage(tables);
  const faults: string[] = [];
  for (const name of Object.keys(calls)) {
    const words = [...name.split(' '), ...(calls[name] ?? [])].filter((word) => !/^(AT|ARCHIVE)$/.test(word));
    const [refused, misspelt] = await Promise.all([
      run([...words, '--json', '--config', 'none.ts'], cwd),
      run([...name.split(' '), '--json', '--no-such-option'], cwd),
    ]);
    for (const { code, stdout, stderr } of [refused, misspelt]) {
      const { error, ...others } = objectsIn(stderr)[0] ?? {};
      if (code !== 2 || stdout !== '' || !isError(error) || Object.keys(others).length > 0)
        faults.push(`${name}: ${code} ${stdout}${stderr}`);
    }
  }
  expect(faults).toEqual([]);
});

type Json = Readonly<Record<string, unknown>>;

function objectsIn(text: string): readonly Json[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return [JSON.parse(line)];
    } catch {
      return [{ notJson: line }];
    }
  });
}

function isError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

function faultsIn({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): readonly string[] {
  const lines = objectsIn(stdout);
  const last = lines.at(-1) ?? {};
  return [
    ...(Object.keys(last).join() === 'summary' ? [] : [`the last line is no summary: ${stdout}${stderr}`]),
    ...lines.slice(0, -1).flatMap((line) => ('summary' in line ? ['a second summary'] : [])),
    ...[...lines, ...objectsIn(stderr)].flatMap((line) =>
      'notJson' in line ? [`no JSON: ${line['notJson']}`] : [],
    ),
    ...lines.flatMap((line) => namesIn(line)),
  ];
}

/** Keys that lack the names of the table, and times in another form; an archived item has names and values of its own. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\dT/.test(value) && !/^[\d-]{10}T[\d:]{8}\.\d{3}Z$/.test(value)
      ? [`the time ${value}`]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === 'item' || name === 'locations') return [];
    return [...(name === 'pk' || name === 'sk' ? [`the name ${name}`] : []), ...namesIn(one)];
  });
}
