import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archivedBody } from '../../suites/archived-body.ts';
import { denyingProxy } from '../../suites/forwarding-proxy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Denorm, jsonLines, run, start, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { screenOf, startCommandOnScreen } from '../screen.ts';

const { newTable, server } = embeddedTables();

const CreatedAt = '2024-01-15T09:30:00.123456';

function order(id: string, attributes: Readonly<Record<string, unknown>> = {}) {
  return {
    ...{ PK: `ORDER#${id}`, SK: 'METADATA', Type: 'Order', UserId: '42', Total: 9.99, CreatedAt },
    ...{ Status: 'DELIVERED', GSI2PK: 'STATUS#DELIVERED', GSI2SK: `ORDER#${CreatedAt}` },
    ...attributes,
  };
}

const orderItem = (id: string) => ({
  ...{ PK: `ORDER#${id}`, SK: 'ITEM#p-1', Type: 'OrderItem', ProductId: 'p-1', ProductName: 'a secret mug' },
  ...{ Price: 9.99, Quantity: 1 },
});
const userOrder = { PK: 'USER#42', SK: `ORDER#${CreatedAt}`, Type: 'UserOrder', OrderId: '1', Total: 9.99 };
const incident = { PK: 'acct_1#inc', SK: 'inc_1', State: 'CLOSED', CreatedAt: 1614194921, Title: 'a secret' };
const incidentData = { PK: 'acct_1#inc_1', SK: 'data', Details: 'x'.repeat(300_000) };
const participation = { PK: 'acct_1#inc_1#incpart', SK: 'user_1', State: 'CLOSED', ParticipantID: 'user_1' };

/** A separate table with these items, and the command run on it. */
async function stage(items: readonly Readonly<Record<string, unknown>>[] = []) {
  const { name, application, at, refuseWrites } = await newTable(items);
  const cwd = newFolder();
  const args = (options: readonly string[]) => ['sweep', ...at, '--state-dir', 'kept', '--yes', ...options];
  return {
    ...{ name, application, cwd, refuseWrites },
    sweep: (...options: string[]) => run(args(options), cwd),
    begin: (...options: string[]): Denorm => start(args(options), cwd),
    expiry: async (item: { readonly PK: string; readonly SK: string }) =>
      (await application.get({ pk: item.PK, sk: item.SK }))?.['ExpiresAt'],
  };
}

test('sets no expiry without consent: it is asked for on a terminal, and demanded elsewhere', async () => {
  const { at, application } = await newTable([order('1')]);
  const cwd = newFolder();
  const args = ['sweep', ...at, '--state-dir', 'kept'];
  const expiry = async () => (await application.get({ pk: 'ORDER#1', sk: 'METADATA' }))?.['ExpiresAt'];

  const piped = await run(args, cwd);
  expect(piped).toMatchObject({ code: 2, stdout: '' });
  expect(piped.stderr).toMatch(
    /usage\.yes: Expected --yes, because it gives finished items of app-\d+ an expiry/,
  );
  const refused = await screenOf(startCommandOnScreen(args, cwd, 'no\n'));
  expect(refused.text).toContain('Expected the answer yes, got another: nothing was changed');
  expect(await expiry()).toBeUndefined();
  const allowed = await screenOf(startCommandOnScreen(args, cwd, 'yes\n'));
  expect([refused.code, allowed.code]).toEqual([2, 0]);
  expect(await expiry()).toBeDefined();
});

describe('denorm sweep', () => {
  test('archives finished items, sets their TTL to a week from now, and reports it', async () => {
    const { sweep, expiry, cwd, application } = await stage([
      ...[order('1'), orderItem('1'), userOrder, order('2', { ExpiresAt: 1_900_000_000 })],
      ...[incident, incidentData, participation],
      ...[order('3', { Status: 'PAID' }), order('4', { CreatedAt: '2999-01-01' })],
    ]);

    const { code, stdout, stderr } = await sweep();

    expect(stderr).toBe('');
    const inAWeek = Date.now() / 1000 + 7 * 86_400;
    for (const item of [order('1'), orderItem('1'), incident, incidentData]) {
      expect(await expiry(item)).toBeGreaterThan(inAWeek - 60);
      expect(await expiry(item)).toBeLessThanOrEqual(inAWeek);
    }
    for (const item of [userOrder, participation, order('3'), order('4')])
      expect(await expiry(item)).toBeUndefined();
    expect(await expiry(order('2'))).toBe(1_900_000_000);
    const kept = JSON.parse(archivedBody(join(cwd, 'kept/archive/Order/ORDER%231/METADATA.json/@00000001')));
    expect(kept.Item).toMatchObject({ Status: { S: 'DELIVERED' }, CreatedAt: { S: CreatedAt } });
    expect(kept.Item.ExpiresAt).toBeUndefined();
    expect(stdout).toMatch(/archive-orders +│ Order +│ +2 │ +1 │ +1 /);
    expect(stdout).toMatch(/archive-incidents +│ IncidentData +│ +1 │ +1 /);
    expect(stdout).toMatch(
      /\n13 items read for archive-incidents, archive-orders; found 5 finished items \(4 swept, 1 expiring\); 4 archived, 4 given an expiry; nothing left; [\d.]+ read units, \d+ write units\n$/,
    );
    expect(stdout).not.toContain('secret');
    expect(code).toBe(0);
    expect(await application.get({ pk: 'USER#42', sk: userOrder.SK })).toEqual(userOrder);
  });

  test('counts in a dry run, and writes nothing', async () => {
    const { name, refuseWrites, cwd } = await stage([order('1'), orderItem('1')]);
    const refusing = await refuseWrites();

    const { code, stdout } = await run(
      ['sweep', ...refusing.at, '--state-dir', 'kept', '--dry-run', '--json'],
      cwd,
    );

    expect(JSON.parse(stdout).summary).toMatchObject({
      table: name,
      finished: true,
      rules: [
        { rule: 'archive-incidents', kinds: {} },
        { rule: 'archive-orders', kinds: { Order: { swept: 1 }, OrderItem: { swept: 1 } }, stored: 0 },
      ],
    });
    const forPeople = await run(['sweep', ...refusing.at, '--state-dir', 'kept', '--dry-run'], cwd);
    expect(forPeople.stdout).toContain(
      `\n$ npx denorm sweep ${refusing.at.join(' ')} --state-dir kept\n3 items read for `,
    );
    expect(refusing.refused).toEqual([]);
    expect(existsSync(join(cwd, 'kept/state'))).toBe(false);
    expect(existsSync(join(cwd, 'kept/archive/Order'))).toBe(false);
    expect(code).toBe(0);
  });

  test('ends with 1 if the table expires its items by another attribute, in a dry run too', async () => {
    const { name, at, expireBy } = await newTable();
    await expireBy('ttl');
    const { code, stdout, stderr } = await run(
      ['sweep', ...at, '--dry-run', '--state-dir', '.denorm'],
      newFolder(),
    );

    expect(stderr).toContain(
      `Expected the items of table ${name} to expire by ExpiresAt, found ttl: correct the table`,
    );
    expect(stdout).toContain('exits 1, because no item expires by what it writes');
    expect(code).toBe(1);
  });

  test('ends with 1 if TTL is off, unless the table is on this machine', async () => {
    const { name } = await newTable();
    // Without --endpoint, the command takes the table for one on AWS.
    const env = {
      ...{
        AWS_ENDPOINT_URL: undefined,
        AWS_ENDPOINT_URL_DYNAMODB: server().endpoint,
        AWS_REGION: 'us-east-1',
      },
      ...{ AWS_PROFILE: undefined, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    };
    const args = ['sweep', '--table', name, '--dry-run', '--state-dir', '.denorm'];

    expect(await run(args, newFolder(), env)).toMatchObject({
      code: 1,
      stderr: `denorm: Expected the items of table ${name} to expire by ExpiresAt, found TTL off: turn it on\n`,
      stdout: expect.stringContaining('exits 1, because no item expires by what it writes'),
    });
  });

  test('goes on if it may not look at the TTL, and says so', async () => {
    const { name } = await newTable();
    const at = ['--endpoint', await denyingProxy(server().endpoint, 'DescribeTimeToLive'), '--table', name];

    expect(await run(['sweep', ...at, '--dry-run', '--state-dir', '.denorm'], newFolder())).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^denorm: TTL was not looked at \(DescribeTimeToLive .* was denied: .*\)\n$/,
      ),
    });
  });

  test('reports unclassified items by key and code, sweeps the rest, and ends with 1', async () => {
    const { sweep, expiry } = await stage([
      order('1', { CreatedAt: 'a secret day' }),
      order('2'),
      { ...incident, CreatedAt: 'a secret time' },
    ]);

    const { code, stdout } = await sweep('--json');

    const lines = jsonLines({ stdout });
    expect(lines.slice(0, -1).map(({ unclassified }) => unclassified)).toMatchObject([
      { rule: 'archive-incidents', key: { PK: 'acct_1#inc', SK: 'inc_1' }, code: 'root.invalid' },
      { rule: 'archive-orders', key: { PK: 'ORDER#1', SK: 'METADATA' }, code: 'root.undated' },
    ]);
    expect(stdout).not.toContain('secret');
    expect(await expiry(order('2'))).toBeGreaterThan(0);
    expect(code).toBe(1);
  });

  test('saves its position when it is interrupted, reports it, and continues from there', async () => {
    const orders = Array.from({ length: 250 }, (_, index) => order(`o${index}`));
    const { begin, sweep, cwd } = await stage(orders);
    const command = begin('--rule', 'archive-orders', '--rcu', '300');
    const state = join(cwd, 'kept/state/sweep-archive-orders.json');
    await until(
      () => existsSync(state) && readFileSync(state, 'utf8').includes('"from"'),
      'a first page is complete',
    );
    command.process.kill('SIGINT');

    expect(await command.exited).toBe(1);
    expect(command.stderr()).toContain(
      'stopped before the end; the same command, or the deployed function, continues there',
    );
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
      rule: 'archive-orders',
      searches: { agedAfterDays: 90 },
    });

    const { code, stdout } = await sweep('--rule', 'archive-orders', '--rcu', 'unlimited');
    const [, looked] =
      /^archive-orders: begun \S+ by an earlier run, whose items are not looked at again\n(\d+) items read .*\([1-9]\d* swept\)/m.exec(
        stdout,
      ) ?? [];
    expect(Number(looked)).toBeLessThan(250);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(state, 'utf8')).finished).toBeGreaterThan(0);
  });

  test.each([
    [['--json'], /"finished":false,"rules":\[\]/],
    [[], /^0 items read for no rule; found no finished items; .* left the rest; /],
  ])('is not finished if it is stopped before its first rule: %j', async (options, told) => {
    const { stopped } = await newTable();
    const args = ['sweep', '--state-dir', 'kept', '--yes', ...options];

    expect(await stopped(args, newFolder())).toMatchObject({ code: 1, stdout: expect.stringMatching(told) });
  });

  test('tells what it has swept if an error ends it', async () => {
    const { name, cwd } = await stage([
      ...Array.from({ length: 30 }, (_, n) => order(`${n}`)),
      orderItem('1'),
    ]);
    const endpoint = await denyingProxy(server().endpoint, 'BatchExecuteStatement', 1);

    const { code, stdout, stderr } = await run(
      ['sweep', '--endpoint', endpoint, '--table', name, '--state-dir', 'kept', '--yes'],
      cwd,
    );

    expect(stdout).toMatch(
      /, 25 given an expiry; left the rest; .*; exits 1, because it has not come to its end\n$/,
    );
    expect(stderr).toContain('aws.denied');
    expect(code).toBe(1);
  });

  test.each([
    [
      ['--rule', 'archive-profiles'],
      /Expected --rule to be a rule whose items age \(archive-incidents, archive-orders/,
    ],
    [['--bucket', 'b'], /Expected --bucket or --state-dir, got both/],
    [['--rcu', '0'], /units per second/],
    [['--parameter', 'SweepAfterDays=0'], /the parameter SweepAfterDays that its schema accepts/],
    [['--parameter', 'SweepAfterDays'], /a name and a value, such as/],
  ])('refuses %j', async (options, says) => {
    const { sweep } = await stage();

    const { code, stderr } = await sweep(...options);

    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});

test('a sweep without a rule whose items age is refused', async () => {
  const { sweep } = await stage();

  const { code, stdout, stderr } = await sweep(
    ...['--config', join(import.meta.dirname, '../drift/disabled.config.ts'), '--dry-run'],
  );
  expect(stdout).toBe('');
  expect(stderr).toContain(
    'usage.rule: Expected an archive rule with `ages` to sweep by, found none in force',
  );
  expect(code).toBe(2);
});
