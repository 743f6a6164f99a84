import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Attributes } from '../../deployed/application.ts';
import { orderItems, userItems, voteItems } from '../../deployed/items.ts';
import { seedTable } from '../../operations/seeded-table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();
const rule = ['--rule', 'order-on-user-order'];
const { root, said, userOrder, userSaid, CreatedAt } = orderItems(1, '1');
const keys = { Status: 'PAID', GSI2PK: 'STATUS#PAID', GSI2SK: `ORDER#${CreatedAt}` };
const order = { ...root, ...said, ...keys };
const copy = { ...userOrder, ...userSaid, Status: 'PAID' };

let tables = 0;

async function on(items: readonly Attributes[], command: string, ...args: readonly string[]): Promise<Ran> {
  tables += 1;
  const table = await seedTable(server().endpoint, `looked-at-${tables}`, items, true);
  onTestFinished(() => table.close());
  const at = ['--endpoint', table.endpoint, '--table', table.name, '--rcu', 'unlimited'];
  return await run(
    [command, ...at, ...(command === 'backfill' ? [] : ['--grace', '0']), ...args],
    newFolder(),
  );
}

describe.each(['verify', 'repair'])('%s', (command) => {
  test('is green if each kind of the rule has items', async () => {
    const { code, stdout } = await on([order, copy], command, ...rule);

    expect(stdout).toMatch(/^2 items read; found nothing; /m);
    expect(code).toBe(0);
  });

  test('fails if nothing is of a kind, with the items that have its keys and another type', async () => {
    const { code, stdout } = await on([order, { ...copy, Type: 'userorder' }], command, ...rule);

    expect(stdout).toContain(
      `UserOrder  Expected items with keys of UserOrder to have the Type 'UserOrder', found 1 with 'userorder', such as {"PK":`,
    );
    expect(stdout).toContain('no item is of UserOrder: needed by order-on-user-order\n');
    expect(code).toBe(1);
  });

  test('fails if nothing is of a kind, with the keys of items that have its type', async () => {
    const { code, stdout } = await on([order, { ...copy, PK: 'user#secret' }], command, ...rule);

    expect(stdout).toContain('found 1 with keys like user#… / ORDER#…, in other letter case, such as');
    expect(code).toBe(1);
  });

  test('fails on an empty table', async () => {
    const { code, stdout } = await on([], command, ...rule);

    expect(stdout).toMatch(
      /^0 items read: nothing was looked at; found nothing; .*; exits 1, because something was not looked at$/m,
    );
    expect(code).toBe(1);
  });

  test('extrapolates nothing from a sample without items', async () => {
    const { code, stdout } = await on([order], command, ...rule, '--sample', '0.0001%');

    expect(stdout).toContain('\n0 items read: nothing was looked at; ');
    expect(stdout).not.toContain('extrapolated');
    expect(code).toBe(1);
  });

  test('says as JSON what was looked at', async () => {
    const odd = { PK: 'LOG#secret', SK: '7', Type: 'Log' };
    const [summary] = jsonLines<{ readonly summary: object }>(
      await on([order, odd], command, ...rule, '--json'),
    );

    expect(summary?.summary).toMatchObject({
      ...{ items: 2, ofNoKind: 1, disabled: [] },
      lookedAtNothing: [{ kind: 'UserOrder', rules: ['order-on-user-order'] }],
      strangers: [{ like: 'nothing', kinds: [], type: "'Log'", shape: 'LOG#… / …', items: 1 }],
    });
  });
});

describe('verify', () => {
  const { winner, record } = voteItems('1');
  const indexed = { GSI1PK: `CONTENDER#${record.Contender2}`, GSI1SK: `VS#${record.Contender1}` };

  test('fails if no copy names a root, and no member a target', async () => {
    const at = ['--config', join(import.meta.dirname, 'nameless.config.ts')];
    const { code, stdout } = await on(
      [order, copy, { ...winner, Wins: 0, Losses: 0, Score: 0 }, { ...record, ...indexed }],
      'verify',
      ...at,
    );

    expect(stdout).toContain(
      [
        'nothing was compared by order-on-user-order, because no UserOrder names a root that exists and finds it',
        'nothing was compared by contender-totals, because no HeadToHead names a target',
        '4 items read; found nothing',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  test.each([
    ['no member has a target', [], ', or correct targetsOf, which names none that exists'],
    ['some have none', [{ ...winner, Wins: 0, Losses: 0, Score: 0 }], ''],
  ])('says what to do if %s', async (_, targets, more) => {
    const { stdout } = await on(
      [...targets, { ...record, ...indexed }],
      'verify',
      ...['--rule', 'contender-totals'],
    );

    expect(stdout).toMatch(
      new RegExp(
        `^targetless  contender-totals  \\d members?: .*: write the target, .*computed${more}$`,
        'm',
      ),
    );
  });

  test('says that members are invalid, not that they name no target', async () => {
    const wins = { ...winner, Wins: 0, Losses: 0, Score: 0 };
    const invalid = { ...record, ...indexed, Contender1: 7 };
    const { code, stdout } = await on([wins, invalid], 'verify', '--rule', 'contender-totals');

    expect(stdout).toMatch(/^invalid {2}contender-totals {2}1 item: member\.invalid/m);
    expect(stdout).not.toContain('nothing was compared');
    expect(code).toBe(1);
  });

  test('fails if every copy is kept without its root', async () => {
    const [kept] = userItems(1, '1').copies;
    const { root: user, said: userIs } = userItems(0, '2');
    const { code, stdout } = await on(
      [{ ...user, ...userIs }, { ...kept }],
      'verify',
      ...['--rule', 'username-on-memberships'],
    );

    expect(stdout).toContain('nothing was compared by username-on-memberships, because no Membership names');
    expect(code).toBe(1);
  });
});

test.each([
  ['verify', []],
  ['verify', ['--rule', 'sales-of-day']],
  ['backfill', ['--rule', 'sales-of-day']],
])('items nearly of a kind that has others are named, and fail nothing: %s %j', async (command, args) => {
  const sale = { PK: 'SHOP#a', SK: 'SALE#1', Type: 'Sale', Day: 'mon' };
  const day = { PK: 'SHOP#a', SK: 'DAY#mon', Type: 'Day', Sales: 1 };
  const near = { ...sale, SK: 'SALE#2', Type: 'sale' };
  const config = ['--config', join(import.meta.dirname, 'days.config.ts')];
  const { code, stdout } = await on([sale, day, near], command, ...config, ...args);

  expect(stdout).toContain(
    "Sale  Expected items with keys of Sale to have the Type 'Sale', found 1 with 'sale'",
  );
  expect(stdout).toContain('3 items read, 1 item of no kind; ');
  expect(code).toBe(0);
});

describe('backfill', () => {
  const nameless = ['--config', join(import.meta.dirname, 'nameless.config.ts')];

  test.each([
    ['no copy of the rule exists', [order], [], 'no item is of UserOrder: needed by order-on-user-order\n'],
    ['no copy names a root', [order, copy], nameless, 'nothing was compared by order-on-user-order, because'],
  ])('fails as verify does if %s', async (_, items, config, why) => {
    for (const command of ['verify', 'backfill']) {
      const { code, stdout } = await on(items, command, ...rule, ...config);

      expect(stdout).toContain(why);
      expect(stdout).toMatch(/; exits 1, because something was not looked at\n$/);
      expect(code).toBe(1);
    }
  });

  test('refuses a --root that has the keys of a root and another type', async () => {
    const { PK, SK } = order;
    const other = { ...order, Type: 'order' };
    const { code, stderr } = await on([other], 'backfill', ...rule, '--root', JSON.stringify({ PK, SK }));

    expect(stderr).toContain(
      `usage.root: Expected {"PK":"${PK}","SK":"${SK}"} to be an Order, found an item of another kind`,
    );
    expect(code).toBe(2);
  });

  test('fails if all that have the keys of a copy have another type', async () => {
    const { code, stdout } = await on([order, { ...copy, Type: 'userorder' }], 'backfill', ...rule);

    expect(stdout).toContain("to have the Type 'UserOrder', found 1 with 'userorder', such as");
    expect(code).toBe(1);
  });

  test('fails if nothing is a root of the rule', async () => {
    const { code, stdout } = await on([{ ...order, Type: 'order' }, copy], 'backfill', ...rule);

    expect(stdout).toContain("to have the Type 'Order', found 1 with 'order', such as");
    expect(stdout).toContain('no item is of Order: needed by order-on-user-order\n');
    expect(code).toBe(1);
  });
});

test.each(['verify', 'repair'])('without rules, nothing is looked at: %s', async (command) => {
  const stage = ['--config', join(import.meta.dirname, 'ruleless.config.ts')];
  const { code, stdout } = await on([order, copy], command, ...stage);

  expect(stdout).toContain('2 items read: nothing was looked at, because no rule is in force, 2 items of no');
  expect(code).toBe(1);
});

test.each(['verify', 'repair'])('rules that are disabled are named as not looked at: %s', async (command) => {
  const stage = ['--config', join(import.meta.dirname, 'disabled.config.ts')];
  const { code, stdout } = await on([order, { ...copy, Status: 'WRONG' }], command, ...stage);

  expect(stdout).toContain('not looked at, because disabled: order-on-user-order\n');
  expect(stdout).toContain('; found nothing; ');
  expect(code).toBe(0);
});
