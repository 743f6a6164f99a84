import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Attributes } from '../../deployed/application.ts';
import { incidentItems, orderItems, userItems } from '../../deployed/items.ts';
import { type SeededTable, seedTable } from '../../operations/seeded-table.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, run, start, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { writeRefusingProxy } from '../write-refusing-proxy.ts';

const { server } = embeddedTables();

const shop = orderItems(1, '1');
const placed = { ...shop.root, ...shop.said, Status: 'SHIPPED' };
const order = { ...placed, GSI2PK: 'STATUS#SHIPPED', GSI2SK: `ORDER#${shop.CreatedAt}` };
const userOrder = { ...shop.userOrder, ...shop.userSaid, Status: 'SHIPPED' };
const unindexed = { ...shop.items[0], SK: 'ITEM#1', ProductName: 'Secret mug' };
const line = { ...unindexed, GSI3PK: 'PRODUCT#p-0', GSI3SK: `SALE#${shop.CreatedAt}` };
const chat = userItems(1, 'm');
const user = { ...chat.root, ...chat.said };
const membership = { ...chat.copies[0] };
const userOrderKey = JSON.stringify(shop.userOrder);
const membershipKey = '{"PK":"SERVER#m-00000","SK":"USER#m"}';
const { root, said, copies } = incidentItems(1, '1');
const incident = { ...root, ...said };
const participation = { ...copies[0] };

const contender = (Contender: string) => ({
  ...{
    PK: `CONTENDER#${Contender}`,
    SK: 'metadata',
    Type: 'Contender',
    Name: Contender,
    SVG: '',
    Wins: 0,
    Losses: 0,
  },
});
const headToHead = {
  ...{ PK: 'CONTENDER#a', SK: 'VS#b', Type: 'HeadToHead', GSI1PK: 'CONTENDER#b', GSI1SK: 'VS#a' },
  ...{ Contender1: 'a', Contender2: 'b', Contender1Wins: 0, Contender2Wins: 0 },
};
const votes = [contender('a'), contender('b'), headToHead];

const right = [order, userOrder, line, user, membership, incident, participation, ...votes];
const wrong = [
  { ...order, GSI2PK: 'STATUS#PENDING' },
  { ...userOrder, Status: 'a secret status' },
  { ...line, GSI3SK: 'SALE#never' },
  user,
  { ...membership, GSI1PK: 'USER#another' },
  incident,
  { ...participation, Notes: 'a colleague wrote this' },
  { ...participation, PK: 'acct_1#inc_2#incpart' },
  { ...line, PK: 'ORDER#1', SK: 'ITEM#2', ProductId: undefined },
];

let tables = 0;

/** A separate table for a test. */
async function aTable(items: readonly Attributes[], stream = true): Promise<SeededTable> {
  tables += 1;
  const table = await seedTable(server().endpoint, `drift-${tables}`, items, stream);
  onTestFinished(() => table.close());
  return table;
}

const at = ({ endpoint, name }: SeededTable) => ['--endpoint', endpoint, '--table', name];
const fast = ['--grace', '0', '--rcu', 'unlimited'];

describe('denorm verify', () => {
  test('reports drift by rule and kind, and writes nothing', async () => {
    const table = await aTable(wrong);
    const before = await table.read();

    const { code, stdout } = await run(['verify', ...at(table), ...fast], newFolder());

    expect(code).toBe(1);
    for (const said of [
      'derived  order-status-keys  1 item: not what its rule computes for it\n  {"PK":"ORDER#1","SK":"METADATA"}  GSI2PK\n',
      `differs  order-on-user-order  1 item: not what its root says\n  ${userOrderKey}  Status\n  $ npx denorm explain '${userOrderKey}' --table ${table.name} --endpoint ${table.endpoint}\n`,
      '\n  {"PK":"ORDER#1","SK":"ITEM#1"}  GSI3SK\n',
      '\n  {"PK":"acct_1#inc_1#incpart","SK":"user_00000"}  Notes; no rule names Notes\n',
      'orphan  incident-on-participations  1 item: no root is at the key that it names: put the root, or delete the copy\n  {"PK":"acct_1#inc_2#incpart","SK":"user_00000"}  its root would be {"PK":"acct_1#inc","SK":"inc_2"}\n',
      `foreign  username-on-memberships  1 item: its root places its copies elsewhere: correct what names the root, or delete the copy\n  ${membershipKey}  its root is `,
      'invalid  order-date-on-items  1 item: copy.invalid: ',
      `\n$ npx denorm repair --dry-run ${at(table).join(' ')} --grace 0 --rcu unlimited --state-dir .denorm\n9 items read; found 7 (3 differs, 1 derived, 1 orphan, 1 foreign, 1 invalid), 4 for \`denorm repair\`, 3 for you; `,
    ])
      expect(stdout).toContain(said);
    const kinds = [...stdout.matchAll(/^(\w+) {2}\S+ {2}1 item: /gm)].map(([, kind]) => kind);
    expect(kinds).toEqual(['differs', 'differs', 'differs', 'derived', 'orphan', 'foreign', 'invalid']);
    expect(stdout).not.toMatch(/secret|colleague|Secret/);
    expect(await table.read()).toEqual(before);
  });

  test('names the root if the root is invalid, and not the copy', async () => {
    const table = await aTable([{ ...incident, State: undefined }, participation]);
    const copy = '{"PK":"acct_1#inc_1#incpart","SK":"user_00000"}';
    const root = '{"PK":"acct_1#inc","SK":"inc_1"}';

    const verified = await run(['verify', ...at(table), ...fast], newFolder());
    const json = await run(['verify', ...at(table), ...fast, '--json'], newFolder());
    const repaired = await run(['repair', ...at(table), ...fast], newFolder());

    expect(verified.stdout).toContain('invalid  incident-on-participations  1 item: root.invalid: Expected ');
    expect(verified.stdout).toMatch(/; exits 1, because something is invalid\n$/);
    expect(verified.stdout).not.toContain('fan-out queue');
    expect(json.stdout).toContain(`"root":${root},"concerns":"root","code":"root.invalid"`);
    for (const { stdout } of [verified, repaired])
      expect(stdout).toContain(`\n  ${copy}  by its root ${root}\n`);
    expect(repaired.stdout).toContain('; left 1 (1 invalid); ');
  });

  test('leaves a resume point on Ctrl-C, and continues from there', async () => {
    const many = Array.from({ length: 400 }, (_, n) => ({
      ...line,
      PK: `ORDER#many${n}`,
      Price: 'x'.repeat(1000),
    }));
    const table = await aTable([...many, ...wrong]);
    const cwd = newFolder();
    const args = ['verify', ...at(table), '--grace', '0', '--rcu', '12', '--json'];

    const first = start(args, cwd);
    await until(() => first.process.exitCode !== null || hasResumePoint(cwd), 'a resume point');
    first.process.kill('SIGINT');
    expect(await first.exited).toBe(1);
    expect(first.stderr()).toContain('the same command with --resume continues');

    const other = await run([...args, '--resume', '--rule', 'order-date-on-items'], cwd);
    expect(other.stderr).toContain('--rule was none then and is order-date-on-items now');
    expect(other.code).toBe(2);
    const second = await run([...args.with(8, 'unlimited'), '--resume'], cwd);

    const lines = [...linesOf(first.stdout()), ...linesOf(second.stdout)];
    expect(new Set(lines.filter((one) => 'finding' in one).map((one) => JSON.stringify(one))).size).toBe(7);
    expect(lines.at(-1)?.summary).toMatchObject({ finished: true, items: 409, drift: 7 });
    expect(second.code).toBe(1);
  });
});

describe('denorm repair', () => {
  test('prints its writes in a dry run; repairs drift that a propagation can correct, and reports the rest', async () => {
    const table = await aTable(wrong);
    const refusing = await writeRefusingProxy(table.endpoint, table.name);

    const preview = await run(['repair', ...refusing.at, ...fast, '--dry-run'], newFolder());
    expect(preview.stdout).toContain(
      `update  set Status, if it exists and OrderId, Status, Total, Type are as read\n  ${userOrderKey}\n`,
    );
    expect(preview.stdout).toMatch(
      /^\$ npx denorm repair --\S.* --grace 0 --rcu unlimited --state-dir .denorm\n.*3 copies would be/m,
    );
    expect([preview.code, refusing.refused]).toEqual([1, []]);

    const { code, stdout } = await run(['repair', ...at(table), ...fast], newFolder());

    expect(stdout).toContain(
      '3 copies written, 0 already right; left 4 (1 unmapped, 1 orphan, 1 foreign, 1 invalid); ',
    );
    expect(stdout).toContain('left alone  incident-on-participations');
    expect(code).toBe(1);
    const after = await run(['verify', ...at(table), ...fast, '--json'], newFolder());
    expect(
      linesOf(after.stdout)
        .flatMap(({ finding }) => finding ?? [])
        .toSorted(),
    ).toEqual(['differs', 'foreign', 'invalid', 'orphan']);
  });
});

describe('denorm backfill', () => {
  test('estimates, writes, and writes nothing if every copy is right', async () => {
    const table = await aTable([order, unindexed, user]);
    const args = ['backfill', ...at(table), '--rule', 'order-date-on-items', '--rcu', 'unlimited', '--json'];
    const refusing = await writeRefusingProxy(table.endpoint, table.name);

    const estimate = await run([...args, ...refusing.at, '--dry-run'], newFolder());
    expect(summaryOf(estimate.stdout)).toMatchObject({
      ...{ dryRun: true, propagations: 1, written: 1, writeUnits: 2 },
    });
    expect(refusing.refused).toEqual([]);

    const first = await run(args, newFolder());
    expect(summaryOf(first.stdout)).toMatchObject({
      ...{ propagations: 1, written: 1, unchanged: 0, writeUnits: 2 },
    });
    const second = await run(args, newFolder());
    expect(summaryOf(second.stdout)).toMatchObject({
      ...{ propagations: 1, written: 0, unchanged: 1, writeUnits: 0 },
    });
    expect([estimate.code, first.code, second.code]).toEqual([0, 0, 0]);
  });

  test('propagates one root without a scan, and no others', async () => {
    const others = [
      { ...order, PK: 'ORDER#2', UserId: 'v' },
      { ...userOrder, PK: 'USER#v', OrderId: '2', Status: 'PENDING' },
    ];
    const table = await aTable([order, { ...userOrder, Status: 'PENDING' }, ...others]);
    const root = '{"PK":"ORDER#1","SK":"METADATA"}';
    const args = ['backfill', ...at(table), '--rule', 'order-on-user-order', '--root', root];

    const { code, stdout } = await run(args, newFolder());

    expect(stdout).toContain('1 item read; 1 propagation, 1 copy written, 0 already right; nothing left; ');
    expect(code).toBe(0);
  });
});

describe('wrong use', () => {
  const key = '{"PK":"ORDER#1","SK":"METADATA"}';
  const backfill = ['backfill', '--rule', 'order-on-user-order', '--root'];
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown rule', ['verify', '--rule', 'nothing'], /Expected --rule to be one of .+, got 'nothing'/],
    ['an unknown rule', ['backfill', '--rule', 'nothing'], /Expected --rule to be one of .+, got 'nothing'/],
    ['a malformed key', [...backfill, 'ORDER#1'], /Expected an item key as JSON/],
    [
      'the key of no root',
      [...backfill, '{"PK":"a","SK":"b"}'],
      /Expected --root to be the key of a root of order-on-user-order/,
    ],
    ['the key of no item', [...backfill, '{"PK":"ORDER#9","SK":"METADATA"}'], /found none/],
    [
      'one root by sample',
      [...backfill, key, '--sample', '1%'],
      /'--root <key>' cannot be used with option '--sample <share>'/,
    ],
    [
      'values where no terminal shows them',
      ['verify', '--show-values'],
      /Expected standard output to be a terminal, .* got a file or a pipe/,
    ],
    ['nothing to resume', ['verify', '--resume'], /Expected a resume point/],
    ['a missing table', ['verify', '--table', 'gone'], /Expected a table called gone, found none there/],
  ];

  test.each(cases)('is reported in one sentence: %s', async (_, [command = '', ...args], why) => {
    const table = await shared();

    const { code, stdout, stderr } = await run([command, ...at(table), ...args], newFolder());

    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('is reported in one sentence: a table without a stream, for a command that writes', async () => {
    const table = await aTable(right, false);

    const refused = await run(['repair', ...at(table), ...fast], newFolder());
    const asked = await run(['repair', ...at(table), ...fast, '--without-stream'], newFolder());
    const read = await run(['verify', ...at(table), ...fast], newFolder());

    expect(refused.stderr).toContain('to have a stream with new and old images, found none');
    expect([refused.code, asked.code, read.code]).toEqual([2, 0, 0]);
  });

  test('is reported in one sentence: no permission', async () => {
    const denying = await serverOfTest(() => ({
      status: 400,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message: 'secret' }),
    }));

    const { code, stderr } = await run(['verify', '--endpoint', denying.endpoint], newFolder());

    expect(stderr).toContain('DescribeTable (dynamodb:DescribeTable) of app was denied: allow the action');
    expect(stderr).not.toContain('secret');
    expect(code).toBe(1);
  });
});

let sharedTable: Promise<SeededTable> | undefined;

/** A table that no test writes to. */
function shared(): Promise<SeededTable> {
  sharedTable ??= seedTable(server().endpoint, 'shared', right, true);
  return sharedTable;
}

interface Line {
  readonly finding?: string;
  readonly rule?: string;
  readonly summary?: Readonly<Record<string, unknown>>;
}

const linesOf = (stdout: string) => jsonLines<Line>({ stdout });

function summaryOf(stdout: string): Line['summary'] {
  return linesOf(stdout).at(-1)?.summary;
}

function hasResumePoint(cwd: string): boolean {
  const folder = join(cwd, '.denorm');
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.resume.json'));
}
