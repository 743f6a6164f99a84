import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { orderItems } from '../../deployed/items.ts';
import { seedTable } from '../../operations/seeded-table.ts';
import { denyingProxy, forwardingProxy } from '../../suites/forwarding-proxy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, run, start, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();
const fast = ['--grace', '0', '--rcu', 'unlimited'];

let tables = 0;

/** A table with orders whose copies are wrong. */
async function aTable(orders: number) {
  tables += 1;
  const items = Array.from({ length: orders }, (_, n) => orderItems(1, `${n}`)).flatMap((one) => [
    { ...one.root, ...one.said },
    { ...one.userOrder, ...one.userSaid, Status: 'WRONG' },
  ]);
  const table = await seedTable(server().endpoint, `unfinished-${tables}`, items, true);
  onTestFinished(() => table.close());
  return { items: items.length, at: ['--endpoint', table.endpoint, '--table', table.name], table };
}

test('a verify that is stopped says what is left to check, and sums all runs', async () => {
  const { at, items, table } = await aTable(20);
  const seen: string[] = [];
  const endpoint = await forwardingProxy(table.endpoint, (operation) => seen.push(operation) > 0);
  const waiting = ['verify', '--endpoint', endpoint, ...at.slice(2), '--grace', '600', '--rcu', 'unlimited'];
  const cwd = newFolder();

  const first = start(waiting, cwd);
  await until(() => seen.filter((one) => one === 'Scan').length === 8, 'a scan of the whole table');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  first.process.kill('SIGINT');
  expect(await first.exited).toBe(1);
  const [, readUnits] =
    /^40 items read; found nothing, 40 to check again; ([\d.]+) read units, /m.exec(first.stdout()) ?? [];
  expect(first.stdout()).toMatch(
    /^incomplete: the same command with --resume continues \(.+\)\n.+ not come to its end\n$/m,
  );

  const before = seen.length;
  const second = start([...waiting, '--resume', '--json'], cwd);
  await until(() => seen.length > before, 'a second run');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  second.process.kill('SIGINT');
  expect(await second.exited).toBe(1);
  expect(summaryOf({ stdout: second.stdout() })).toMatchObject({
    ...{ finished: false, items, toCheckAgain: 40, readUnits: Math.round(Number(readUnits)) },
  });
});

test('a repair says how many items there are, and in how many passes it read them', async () => {
  const { at } = await aTable(2);

  const { stdout } = await run(['repair', ...at, ...fast], newFolder());

  expect(stdout).toMatch(
    /^4 items read in each of \d passes; found 4 \(.+\); 4 propagations, .*; nothing left; /m,
  );
});

test.each([['verify'], ['repair'], ['backfill', '--rule', 'order-on-user-order']])(
  'what was read and written is told if an error ends it: %s',
  async (command, ...args) => {
    const { at, table } = await aTable(20);
    const endpoint = await denyingProxy(table.endpoint, 'Scan', 7);
    const options = ['--table', table.name, '--rcu', 'unlimited', ...args];
    const cwd = newFolder();

    const denied = await run([command, '--endpoint', endpoint, ...options], cwd);
    expect(denied.stdout).toMatch(/^[1-9]\d* items read.*; [1-9][\d.]* read units/m);
    expect(denied.stdout).toMatch(
      /^incomplete: the same command with --resume continues \(.+\)\n.+ not come to its end\n$/m,
    );
    expect(denied.stdout.includes('; left the rest; ')).toBe(command !== 'verify');
    expect(denied.stderr).toMatch(/^denorm: aws\.denied: Scan /m);
    expect(denied.code).toBe(1);

    const second = await run([command, ...at, ...options.slice(2), '--resume', '--json'], cwd);
    expect(summaryOf(second)).toMatchObject({ finished: true, items: 40 });
  },
);

test('a repair is not resumed over another pause: it has not looked at the rule before', async () => {
  const { at, table } = await aTable(20);
  const endpoint = await denyingProxy(table.endpoint, 'Scan', 7);
  const cwd = newFolder();
  const pausing = (command: string) => run([command, ...at, '--rule', 'order-on-user-order'], cwd);

  await pausing('pause');
  await run(['repair', '--endpoint', endpoint, ...at.slice(2), ...fast], cwd);
  await pausing('resume');
  const { stderr, code } = await run(['repair', ...at, ...fast, '--resume'], cwd);

  expect(stderr).toMatch(/what is paused was order-on-user-order then and is none now/);
  expect(code).toBe(2);
});

test('what was read is told if the resume point cannot be written', async () => {
  const { at, table } = await aTable(2);
  const cwd = newFolder();
  mkdirSync(join(cwd, `state/verify-${table.name}.resume.json`), { recursive: true });

  const ran = await run(['verify', ...at, ...fast, '--rcu', '1', '--state-dir', 'state'], cwd);

  expect(ran.stdout).toMatch(/^[1-9]\d* items? read; found /m);
  expect(ran.stdout).toMatch(/\nincomplete: run the same command again\n.+\n$/);
  expect(ran.stderr).toContain('folder.unusable: Cannot write');
  expect(ran.code).toBe(1);
});

test('the error that ends a run is told if the resume point cannot be written either', async () => {
  const { at, table } = await aTable(20);
  const endpoint = await denyingProxy(table.endpoint, 'Scan', 7);
  const cwd = newFolder();
  mkdirSync(join(cwd, `state/verify-${table.name}.resume.json`), { recursive: true });

  const { code, stderr } = await run(
    ['verify', '--endpoint', endpoint, ...at.slice(2), ...fast, '--state-dir', 'state'],
    cwd,
  );

  expect(stderr).toMatch(/^denorm: aws\.denied: Scan /m);
  expect(code).toBe(1);
});

test.each([
  ['verify', [], '/proc/none'],
  ['repair', [], 'a-file/state'],
  ['backfill', ['--rule', 'order-status-keys'], 'a-file'],
  ['sweep', ['--yes'], 'a-file/state'],
])('%s %j refuses the state folder %s before it sends a request', async (command, words, folder) => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'a-file'), '');
  const sent: string[] = [];
  const endpoint = await forwardingProxy(server().endpoint, (operation) => sent.push(operation) > 0);

  const ran = await run(
    [command, ...words, '--endpoint', endpoint, '--table', 'app', '--state-dir', folder],
    cwd,
  );

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^denorm: usage\.state-dir: Cannot write below '.+: name a folder that can be /);
  expect(sent).toEqual([]);
});

function summaryOf({ stdout }: { readonly stdout: string }) {
  return jsonLines<{ readonly summary?: Readonly<Record<string, unknown>> }>({ stdout }).at(-1)?.summary;
}
