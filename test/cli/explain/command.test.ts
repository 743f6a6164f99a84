import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApplicationItem, ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { createTable } from '../../../src/dev/table/create-table.ts';
import { table } from '../../../src/table.ts';
import { settings as stack } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { stubCloud } from '../stub-cloud.ts';
import { writeRefusingProxy } from '../write-refusing-proxy.ts';

const events = fileURLToPath(new URL('../../../events', import.meta.url));

const { server } = embeddedTables();

beforeAll(async () => {
  await createTable(server().endpoint, 'app', stack.table);
  const application = new ApplicationTable(server().endpoint, 'app', table);
  for (const item of items) await application.put(item);
  application.close();
});

const user = { PK: 'USER#1', SK: '#METADATA', Type: 'User', userId: '1', username: 'Johanna' };

function membership(server: string, more: ApplicationItem = {}): ApplicationItem {
  const keys = { PK: `SERVER#${server}`, SK: 'USER#1', GSI1PK: 'USER#1', GSI1SK: `SERVER#${server}` };
  return { ...keys, Type: 'Membership', userId: '1', username: 'John', ...more };
}

const items: readonly ApplicationItem[] = [
  user,
  ...['a', 'b', 'c'].map((name) => membership(name)),
  membership('d', { username: 'Johanna' }),
  membership('lost', { userId: '2' }),
  membership('orphan', { userId: '9', GSI1PK: 'USER#9' }),
  { PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', UserId: '1', Status: 'PAID', CreatedAt: '2026-01-15' },
  { PK: 'acct_1#inc', SK: 'inc_1', Title: 'No state' },
  { PK: 'acct_1#inc_1#incpart', SK: 'user_1', Title: 'Old' },
];

function key(PK: unknown, SK: unknown): string {
  return JSON.stringify({ PK, SK });
}

function explain(...args: string[]): Promise<Ran> {
  return run(['explain', ...args], newFolder());
}

function onTable(...args: string[]): Promise<Ran> {
  return explain(...args, '--endpoint', server().endpoint);
}

describe('denorm explain, of an item', () => {
  test('reports for a root where its copies are, each write with its condition, and what it costs', async () => {
    const { code, stdout } = await onTable(key(user.PK, user.SK));

    expect(stdout).toContain('{"PK":"USER#1","SK":"#METADATA"}, User');
    expect(stdout).toMatch(/username-on-memberships +root, propagates/);
    expect(stdout).toMatch(/where +index GSI1, partition USER#1, sort keys that begin with SERVER#/);
    expect(stdout).toMatch(/found +3 to write, 1 already right, 1 not a copy of this root/);
    expect(stdout).toMatch(
      /update +set username, if it exists and GSI1PK, GSI1SK, Type, userId, username are as read/,
    );
    expect(stdout).toMatch(/\{"PK":"SERVER#b","SK":"USER#1"\} +2 write units\n/);
    expect(stdout).toMatch(/costs +6\.5 read units and 6 write units\n/);
    expect(stdout).toMatch(/total +7\.5 read units and 6 write units\n/);
    expect(stdout).toContain('Nothing was written.');
    expect(code).toBe(0);
  });

  test('shows no values by default', async () => {
    const hidden = await onTable(key(user.PK, user.SK));
    const hiddenJson = await onTable(key(user.PK, user.SK), '--json');
    const shown = await onTable(key(user.PK, user.SK), '--show-values');

    for (const { stdout } of [hidden, hiddenJson]) expect(stdout).not.toMatch(/John/);
    expect(shown.stdout).toContain('username: "John" → "Johanna"');
  });

  test('reports a missing item, and the kind that its key matches', async () => {
    const known = await onTable(key('USER#7', '#METADATA'));
    const unknown = await onTable(key('nobody', 'nothing'));

    expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining('"#METADATA"}, User\n') });
    expect(known.stdout).toContain('missing item');
    expect(unknown).toMatchObject({ code: 0, stdout: expect.stringContaining('of no kind: `denorm rules`') });
  });

  test('reports what would be dead-lettered, and ends with 1', async () => {
    const { code, stdout } = await onTable(key('acct_1#inc', 'inc_1'));

    expect(stdout).toMatch(/dead-lettered +root\.invalid: Expected attribute 'State'/);
    expect(code).toBe(1);
  });

  test('reports everything as JSON, with the writes that a propagation would make', async () => {
    const { stdout } = await onTable(key(user.PK, user.SK), '--json');
    const { subjects, rounds, cost } = JSON.parse(stdout).summary;

    expect(subjects[0].rules[0]).toMatchObject({ rule: 'username-on-memberships', as: 'root' });
    expect(rounds[0].work[0].writes[0]).toEqual({
      does: 'update',
      key: { PK: 'SERVER#a', SK: 'USER#1' },
      ...{ set: ['username'], remove: [] },
      expect: ['GSI1PK', 'GSI1SK', 'Type', 'userId', 'username'],
      writeUnits: { table: 1, indexes: { GSI1: 1, GSI2: 0, GSI3: 0 }, total: 2 },
    });
    expect(cost).toEqual({
      readUnits: 7.5,
      writeUnits: { table: 3, indexes: { GSI1: 3, GSI2: 0, GSI3: 0 }, total: 6 },
    });
  });

  test('writes nothing, neither to the table nor to disk', async () => {
    const cwd = newFolder();
    const refusing = await writeRefusingProxy(server().endpoint, 'app');

    expect((await run(['explain', key(user.PK, user.SK), ...refusing.at], cwd)).code).toBe(0);
    expect(refusing.refused).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('denorm explain, of an event', () => {
  test('reports for each rule whether it matches, and why', async () => {
    const { code, stdout } = await onTable(join(events, 'order-shipped.json'));

    expect(stdout).toContain('MODIFY {"PK":"ORDER#1001","SK":"METADATA"}, Order');
    expect(stdout).toMatch(/order-status-keys +itself, propagates: GSI2PK, GSI2SK not what the rule says/);
    expect(stdout).toMatch(/order-on-user-order +root, propagates: Status changed/);
    expect(stdout).toMatch(/order-date-on-items +root, no match: nothing that the rule copies/);
    expect(stdout).toMatch(/archive-orders +item, no match: it has no expiry/);
    expect(stdout).toMatch(/not concerned +incident-on-participations, username-on-memberships/);
    expect(code).toBe(0);
  });

  test('of the queue, reports what its messages would do', async () => {
    const { stdout } = await onTable(join(events, 'recheck.json'));

    expect(stdout).toMatch(/^message \{.*\}$/m);
    expect(stdout).toContain('username-on-memberships: propagation for');
  });

  test('reports an invalid record, and ends with 1', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: [{ eventID: 'e-1', secret: 'x' }] }));
    const { code, stdout } = await run(['explain', 'event.json', '--endpoint', server().endpoint], cwd);

    expect(stdout).toMatch(/unreadable record e-1: Expected a stream record/);
    expect(code).toBe(1);
  });

  test.each(['true', 'false'])(
    'recognizes an expiry as the stack does: GLOBAL_TABLE_REPLICA=%s',
    async (replica) => {
      const cloud = await stubCloud(undefined, server().endpoint);
      cloud.environment['GLOBAL_TABLE_REPLICA'] = replica;
      const { Records } = JSON.parse(readFileSync(join(events, 'order-expired.json'), 'utf8'));
      const unmarked = Records.map(({ userIdentity: _, ...record }: { userIdentity: unknown }) => record);
      const cwd = newFolder();
      writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: unmarked }));
      const at = ['--stack', 'prod', '--endpoint', cloud.endpoint];

      const { stdout } = await run(['explain', 'event.json', '--json', '--table', 'app', ...at], cwd);

      expect(JSON.parse(stdout).summary).toMatchObject({
        subjects: [{ is: 'REMOVE', expired: replica === 'true' }],
      });
    },
  );
});

describe('denorm explain fails in one sentence, with 2', () => {
  const item = key('USER#1', '#METADATA');
  const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url));

  test.each([
    ['without anything to explain', [], /missing required argument 'item key \| event.json'/],
    ['for an invalid key', ['{"PK":"a"}'], /Expected an item key as JSON/],
    ['for a missing file', ['none.json'], /none\.json, which cannot be read/],
    ['for a file without an event', [packageFile, '--endpoint', 'http://127.0.0.1:1'], /list of Records/],
    ['without a table', [item], /--table/],
    ['for a table that does not exist', [item, '--table', 'none', '--endpoint', 'EMBEDDED'], /table none/],
  ])('%s', async (_, args, why) => {
    const { code, stderr } = await explain(...args.map((arg) => arg.replace('EMBEDDED', server().endpoint)));

    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});
