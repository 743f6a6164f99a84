import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settings } from '../../fixtures/application/stack.ts';
import { item } from '../../fixtures/model/items.ts';
import { denyingProxy } from '../../suites/forwarding-proxy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { stubCloud } from '../stub-cloud.ts';
import { prodTable } from '../watch/prod-table.ts';
import { ArchivedShop, anOrder, anOrderItem, archivedOrder } from './archive-fixture.ts';

const { newTable, server } = embeddedTables();

const key = '{"PK":"ORDER#1","SK":"METADATA"}';

/** A shop with an archive, and a way to run `denorm archive` on it. */
async function shop(layout: 'object' | 'batch', storageClass?: 'GLACIER' | 'DEEP_ARCHIVE') {
  const archived = new ArchivedShop(layout, storageClass);
  onTestFinished(() => archived.remove());
  const cwd = newFolder();
  return {
    archived,
    archive: (...args: readonly string[]): Promise<Ran> =>
      run(['archive', ...args, '--state-dir', archived.folder], cwd),
  };
}

describe('denorm archive', () => {
  const layout = 'object';
  test('lists items by kind and by the beginning of their keys, one per line', async () => {
    const { archived, archive } = await shop(layout);
    await archived.expired(anOrder('1'), anOrder('2'), anOrderItem('1', 'p'));

    const all = await archive('list');
    expect(all).toMatchObject({ code: 0 });
    expect(all.stdout).toMatch(/^archived +last +class +bytes +kind +key {2}id\n/);
    expect(all.stdout).toMatch(/Order {2,}\{"PK":"ORDER#1","SK":"METADATA"\} {2}\w+\n/);
    expect(all.stdout).toMatch(/\n3 items in \S+; found \d states; --status says which have expired\n$/);
    expect(jsonLines(await archive('list', '--kind', 'OrderItem', '--json'))).toMatchObject([
      { kind: 'OrderItem', key: { PK: 'ORDER#1', SK: 'ITEM#p' } },
      { summary: { items: 1, states: 1 } },
    ]);
    expect(jsonLines(await archive('list', '--pk', 'ORDER#1', '--sk', 'M', '--json'))).toMatchObject([
      { kind: 'Order', key: { PK: 'ORDER#1', SK: 'METADATA' }, state: { archivedAt: expect.any(String) } },
      { summary: { items: 1, states: 1 } },
    ]);
    expect(await archive('list', '--until', '2020-01-01')).toMatchObject({
      code: 1,
      stdout: `No such item in ${archived.folder}; exits 1, because nothing was found\n`,
    });
  });

  test.each(['object', 'batch'] as const)('says in layout %s which items have expired', async (stored) => {
    const { archived, archive } = await shop(stored);
    const { application, at } = await newTable();
    const ids = ['expired', 'there', 'restored', 'never'];
    const never = 4_000_000_000;
    await archived.archived(...ids.map((id) => anOrder(id, id === 'never' ? { ExpiresAt: never } : {})));
    await application.put(archivedOrder('there'));
    await archive('restore', '{"PK":"ORDER#restored","SK":"METADATA"}', ...at);

    const { stdout } = await archive('list', '--status', ...at);
    const rows = [...stdout.matchAll(/^\S+Z {2}(.{8}) {2}(.{24}) {2}.*ORDER#(\w+)/gm)].map(
      ([, ...cells]) => cells,
    );
    expect(rows.map((cells) => cells.map((cell) => cell.trim())).sort()).toEqual([
      ['expired', '2026-01-15T18:00:00.000Z', 'expired'],
      ['gone', '2096-10-02T07:06:40.000Z', 'never'],
      ['in table', '2026-01-15T18:00:00.000Z', 'there'],
      ['restored', '', 'restored'],
    ]);
    expect(stdout).toMatch(/; found 4 states; (1 \S+( table)?(, )?){4}\n$/);
    const key = '{"PK":"ORDER#restored","SK":"METADATA"}';
    expect(jsonLines(await archive('list', key, '--status', '--json', ...at))).toMatchObject([
      { status: { is: 'restored', restoredAt: expect.stringMatching(/^20\d\d-.*Z$/) } },
      { summary: { items: 1, statuses: { restored: 1 } } },
    ]);
    expect(await archive('list', '--status')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usage.table: Expected --table NAME'),
    });
  });

  test('says of no item that it has expired by a table of another shape', async () => {
    const { archived, archive } = await shop(layout);
    const KeySchema = [
      { AttributeName: 'SK', KeyType: 'HASH' as const },
      { AttributeName: 'PK', KeyType: 'RANGE' as const },
    ];
    const { at, name } = await newTable([], { ...settings.table, KeySchema });
    await archived.expired(anOrder('1'));

    expect(await archive('list', '--status', ...at)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining(`table.other-shape: Expected table ${name} to have the keys`),
    });
  });

  test('shows an item as DynamoDB JSON, and its state with it for machines', async () => {
    // A folder grants a Glacier request at once.
    const { archived, archive } = await shop(layout, 'GLACIER');
    const large = '12345678901234567890123456789012345678';
    const order = { ...anOrder('1'), Large: { N: large }, Tags: { SS: ['a'] } };
    await archived.expired(order);

    const plain = await archive('show', key);
    expect(plain.code).toBe(0);
    expect(JSON.parse(plain.stdout)).toEqual(order);
    expect(plain.stderr).toMatch(/^Order \{"PK":"ORDER#1","SK":"METADATA"\}, archived 20\d\d-/);
    expect(jsonLines(await archive('show', key, '--json', '--tier', 'Bulk'))).toMatchObject([
      { summary: { kind: 'Order', key: { PK: 'ORDER#1' }, state: { id: expect.any(String) }, item: order } },
    ]);
  });

  test('restores one item in its last state, without its expiry, and only if no item has its key', async () => {
    const { archived, archive } = await shop(layout);
    const { application, at } = await newTable();
    await archived.expired(anOrder('1', { Total: 1 }));
    await archived.expired(anOrder('1', { Total: 2 }));

    const before = await archive('restore', key, ...at, '--at', '2020-01-01');
    const first = await archive('restore', key, ...at);
    const second = await archive('restore', key, ...at);

    expect(before).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`no such state  Order  1 item\n  ${key}\n`),
    });
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/^1 item restored to app-\d+\n$/);
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 skipped, because the item exists'),
    });
    const { ExpiresAt: _, ...restored } = archivedOrder('1', { Total: 2 });
    expect(await application.get({ pk: 'ORDER#1', sk: 'METADATA' })).toEqual(restored);
  });

  test('proves that a table is archived, and reports items whose last state is not', async () => {
    const { archived, archive } = await shop(layout);
    const { application, at } = await newTable();
    await archived.archived(anOrder('1'));
    await application.put(archivedOrder('1'));

    const fine = await archive('audit', ...at, '--grace', '0', '--read');
    expect(fine).toMatchObject({ code: 0 });
    expect(fine.stdout).toMatch(/^1 item of app-\d+ read, 1 with an expiry\n/);
    expect(fine.stdout).toMatch(
      /\n1 object read in \S+ and compared, 0 not read, because they are in Glacier\n1 item looked at in \S+; found nothing: everything is archived\n$/,
    );

    await application.put(archivedOrder('1', { Total: 1 }));
    await application.put({ PK: 'ORDER#2', SK: 'ITEM#p', Type: 'OrderItem', ExpiresAt: 1_768_500_000 });
    await application.delete({ pk: 'ORDER#2', sk: 'ITEM#p' });
    const wrong = await archive('audit', ...at, '--grace', '0', '--json');
    expect(wrong.code).toBe(1);
    expect(jsonLines(wrong)).toMatchObject([
      { wrong: 'lost', kind: 'OrderItem', key: { PK: 'ORDER#2', SK: 'ITEM#p' } },
      { wrong: 'outdated', kind: 'Order', key: { PK: 'ORDER#1', SK: 'METADATA' } },
      { summary: { items: 1, exists: 1, ended: 1, findings: 2, stopped: false } },
    ]);
    expect((await archive('audit', ...at, '--grace', '0')).stdout).toMatch(
      /^outdated {2}Order {2}1 item: has an expiry, but its present state is not archived\n {2}\{"PK":"ORDER#1","SK":"METADATA"\} {2}archive/m,
    );
  });
});

describe.each(['object', 'batch'] as const)('denorm archive, in the layout %s', (layout) => {
  test('lists the lives of an item separately, each state with an id', async () => {
    const { archived, archive } = await shop(layout);
    await archived.archived(anOrder('1', { Total: 1 }));
    await archived.changedAndExpired(anOrder('1', { Total: 2 }));
    await archived.archived(anOrder('1', { Total: 3 }));
    const listed = await archive('list', key, '--json');
    const states = jsonLines<{ state: { id: string; last: boolean } }>(listed).slice(0, -1);

    expect(states.map(({ state }) => state.last)).toEqual([false, true, false]);
    expect((await archive('list')).stdout.split('\n')).toHaveLength(6);
    const shown = await archive('show', key, '--version', states[1]?.state.id ?? '');
    expect(JSON.parse(shown.stdout)).toMatchObject({ Total: { N: '2' } });
    expect(shown.stderr).toContain('its last state');
    expect(JSON.parse((await archive('show', key)).stdout)).toMatchObject({ Total: { N: '3' } });
  });

  test('restores items by the beginning of their keys, and replaces existing ones with --overwrite', async () => {
    const { archived, archive } = await shop(layout);
    const { application, at, refuseWrites } = await newTable();
    await archived.expired(anOrder('1'), anOrder('2'), anOrderItem('1', 'p'), anOrderItem('1', 'q'));
    await application.put({ PK: 'ORDER#1', SK: 'ITEM#p', ProductId: 'another' });
    const refusing = await refuseWrites();

    expect(await archive('restore', '--pk', 'ORDER#1', '--dry-run', ...refusing.at)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^\$ npx denorm archive restore .*--pk 'ORDER#1' .*\n2 items would be restored to app-\d+; 1 skipped/,
      ),
    });
    expect(refusing.refused).toEqual([]);
    const restored = jsonLines(await archive('restore', '--pk', 'ORDER#1', '--overwrite', '--json', ...at));
    expect(restored.at(-1)).toMatchObject({ summary: { restored: 3, exists: 0, failed: 0 } });
    expect(await application.get({ pk: 'ORDER#1', sk: 'ITEM#p' })).toMatchObject({ ProductId: 'p' });
    expect(await application.get({ pk: 'ORDER#2', sk: 'METADATA' })).toBeUndefined();
  });
});

test.each([
  [[], 'skips existing items'],
  [['--overwrite'], 'begins anew'],
])('a restore tells what it did if an error ends it, and what to do: %j', async (options, next) => {
  const { archived, archive } = await shop('object');
  const { name } = await newTable();
  await archived.expired(anOrder('1'), anOrder('2'), anOrder('3'));
  const at = ['--endpoint', await denyingProxy(server().endpoint, 'PutItem', 1), '--table', name];

  expect(await archive('restore', '--all', ...options, ...at)).toMatchObject({
    code: 1,
    stdout: `1 item restored to ${name}\nStopped before the end: run the same command again, which ${next}\n`,
    stderr: expect.stringContaining('aws.denied'),
  });
});

test('a restore from a bucket that cannot be listed has not begun, and is wrong use', async () => {
  const { at } = await newTable();

  const { code, stdout } = await run(['archive', 'restore', '--all', '--bucket', 'none', ...at], newFolder());
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('a list that is stopped before its first item does not say that there is none', async () => {
  const { archived } = await shop('object');
  const { stopped } = await newTable();
  await archived.expired(anOrder('1'));
  const args = ['archive', 'list', '--status', '--state-dir', archived.folder];

  expect(await stopped(args, newFolder())).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^0 items in \S+; found 0 states; exits 1, because it has not come to its end\n$/,
    ),
  });
});

test('a damaged object is neither shown nor restored, and is reported as damaged', async () => {
  const { archived, archive } = await shop('object');
  const { application, at } = await newTable();
  await archived.expired(anOrder('1'), anOrder('2'));
  writeFileSync(
    join(archived.folder, 'archive/Order/ORDER%231/METADATA.json/@00000001'),
    '{"Item":{"PK":{"S":"?"}}}',
  );

  const shown = await archive('show', key);
  expect(shown).toMatchObject({ code: 1, stdout: '' });
  expect(shown.stderr).toMatch(/Expected archive\/Order\/ORDER%231\/METADATA.json to be what was put/);
  const restored = await archive('restore', '--all', ...at);
  expect(restored.code).toBe(1);
  expect(restored.stdout).toMatch(
    /^failed {2}Order {2}1 item: \S+\n {2}\{"PK":"ORDER#1","SK":"METADATA"\} {2}Expected/,
  );
  expect(restored.stdout).toMatch(/1 item restored to app-\d+; 1 failed\n$/);
  expect(await application.get({ pk: 'ORDER#2', sk: 'METADATA' })).toBeDefined();
});

test('an audit does not list an archive, which may be large, unless a rule erases', async () => {
  const { archived, archive } = await shop('object');
  const { application, at } = await newTable();
  await archived.archived(anOrder('1'));
  await application.put(archivedOrder('1'));
  const unlisted = join(archived.folder, 'archive/Old/x.json');
  mkdirSync(unlisted, { recursive: true });
  const ofAnother = { etag: '', key: 'archive/Old/X.json', sequence: '0', storageClass: '', putAt: '' };
  writeFileSync(join(unlisted, '@00000001'), `${JSON.stringify(ofAnother)}\n`);

  expect(await archive('list')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('are one file here'),
  });
  expect(await archive('audit', ...at, '--grace', '0')).toMatchObject({ code: 0 });
});

test('a restore and an audit list ten of a sort for people: there may be a million', async () => {
  const { archived, archive } = await shop('object');
  const { application, at } = await newTable();
  const ids = Array.from({ length: 12 }, (_, index) => `${index + 10}`);
  await archived.expired(...ids.map((id) => anOrder(id)));
  for (const id of ids)
    writeFileSync(join(archived.folder, `archive/Order/ORDER%23${id}/METADATA.json/@00000001`), '');

  const restored = (await archive('restore', '--all', ...at)).stdout;
  expect(restored.match(/^failed {2}Order {2}12 items: /gm)).toHaveLength(1);
  expect(restored.match(/^ {2}\{"PK"/gm)).toHaveLength(10);
  expect(restored).toContain('\n  … and 2 more, which --json lists\n');
  expect(restored).toMatch(/; 12 failed\n$/);
  for (const id of ids) await application.put(archivedOrder(id));
  const audited = (await archive('audit', ...at, '--grace', '0')).stdout;
  expect(audited.match(/^outdated {2}Order {2}12 items: /gm)).toHaveLength(1);
  expect(audited.match(/^ {2}\{"PK"/gm)).toHaveLength(10);
  expect(audited).toContain('\n  … and 2 more, which --json lists\n');
  expect(audited).toMatch(
    /\n\d+ items looked at in \S+; found 12 \(12 outdated\); exits 1, because something is wrong\n$/,
  );
});

test.each([
  ['true', 1],
  ['false', 0],
])('an audit recognizes expiries as the stack does: GLOBAL_TABLE_REPLICA=%s', async (replica, findings) => {
  const { archived, archive } = await shop('object');
  await archived.archived();
  const table = await prodTable(server().endpoint);
  const cloud = await stubCloud(undefined, server().endpoint);
  cloud.environment['GLOBAL_TABLE_REPLICA'] = replica;
  await table.put({ PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', ExpiresAt: 1_768_500_000 });
  await table.delete({ pk: 'ORDER#1', sk: 'METADATA' });

  const lines = jsonLines(
    await archive('audit', '--stack', 'prod', '--endpoint', cloud.endpoint, '--grace', '0', '--json'),
  );
  expect(lines.at(-1)).toMatchObject({ summary: { ended: findings, findings } });
});

test('an audit that looked at nothing is not fine, and says so', async () => {
  const { archived, archive } = await shop('object');
  const { application, at } = await newTable();
  await archived.archived();
  await application.put({ PK: 'ORDER#1', SK: 'METADATA', Type: 'Order' });

  const { code, stdout } = await archive('audit', ...at, '--grace', '0');
  expect(stdout).toMatch(
    /^1 item of app-\d+ read, 0 with an expiry\n.*\n0 items looked at in \S+: no item of an archived kind has an expiry, or has ended; found nothing; exits 1, because nothing was looked at\n$/,
  );
  expect(code).toBe(1);
});

test('an audit names expiring items that are nearly of an archived kind, and is not fine', async () => {
  const { archived, archive } = await shop('object');
  const { application, at } = await newTable();
  const order = { PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', ExpiresAt: 1_768_500_000 };
  await archived.archived(item(order));
  await application.put(order);
  await application.put({ ...order, PK: 'ORDER#2', Type: 'order' });
  await application.put({ PK: 'SESSION#1', SK: 'x', ExpiresAt: 1_768_500_000 });

  const { code, stdout } = await archive('audit', ...at, '--grace', '0');
  expect(stdout).toMatch(
    /^Expected items with keys of Order to have the Type 'Order', found 1 with 'order', such as .*\n3 items of app-\d+ read, 1 with an expiry, 2 more that no rule archives\n.*\n1 item looked at in \S+; found nothing: everything else is archived; exits 1, because something was not looked at\n$/,
  );
  expect(code).toBe(1);
});

test('an audit says that the table expires by an attribute that it does not watch, and is not fine', async () => {
  const { archived, archive } = await shop('object');
  const { application, at, expireBy } = await newTable();
  const order = { PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', ExpiresAt: 1_768_500_000 };
  await archived.archived(item(order));
  await application.put(order);
  await expireBy('ttl');

  const { code, stdout } = await archive('audit', ...at, '--grace', '0');
  expect(stdout).toMatch(/^Expected the items of app-\d+ to expire by ExpiresAt, found ttl: /);
  expect(stdout).toMatch(/everything else is archived; exits 1, because something was not looked at\n$/);
  expect(code).toBe(1);
});

describe('wrong use is reported in one sentence', () => {
  const where = ['--state-dir', '.'];
  const local = ['--endpoint', 'http://127.0.0.1:1', '--table', 'app'];

  test.each<[string, readonly string[], string]>([
    [
      'no archive',
      ['list'],
      'Expected --bucket NAME, --state-dir DIR, or --stack or --stage NAME with an archive, got none of them',
    ],
    ['a missing folder', ['list', '--state-dir', 'none'], "got 'none', which does not exist"],
    ['a folder without an archive', ['list', '--state-dir', '.'], "got '.', which has none"],
    [
      'an unknown tier',
      ['show', key, ...where, '--tier', 'fast'],
      'Allowed choices are Expedited, Standard, Bulk.',
    ],
    [
      'nothing to restore',
      ['restore', ...where, ...local],
      'Expected a key, or --kind, --pk, --sk, --from or --until, got none of them',
    ],
  ])('%s', async (_, args, says) => {
    const { code, stderr, stdout } = await run(['archive', ...args], newFolder());

    expect(stderr).toContain(says);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });

  test('an item that was never archived is not found', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'archive'));
    expect(await run(['archive', 'show', key, ...where], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`No state of ${key} is in .`),
    });
  });
});
