import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';

describe('denorm cost', () => {
  test('prints each rule, for each fan-out that its location has room for, and what is left out', async () => {
    const { code, stdout, stderr } = await cost('--copies', '1,50');

    expect([code, stderr]).toEqual([0, '']);
    const tables = stdout.split(/^(?=[a-z-]+ {2})/m);
    expect(tables.map((one) => one.split(' ')[0])).toEqual([
      ...['incident-on-participations', 'username-on-memberships', 'order-status-keys'],
      ...['order-on-user-order', 'order-date-on-items', 'leaderboard-keys', 'head-to-head-keys'],
      'contender-totals',
    ]);
    const [, usernames = '', statusKeys = '', userOrders = ''] = tables;
    expect(usernames).toMatch(/^username-on-memberships {2}User → Membership, in GSI1/);
    expect(usernames).toContain("'username' changes; items of 1 KB");
    expect(usernames).toMatch(/│ +50 │ +1\d\.?\d? │ +69\.?\d? │ +100 │ +3 │/);
    expect(statusKeys).toMatch(/│ +1 │ +2 │ +1 │ +3 │ +0 │/);
    expect([statusKeys, userOrders].join()).not.toMatch(/│ +50/);
    expect(stdout).toContain("Left out: the application's own write of the root");
    expect(stdout).toContain('us-east-1, on demand');
  });

  test('says the same to machines, with its prices and assumptions', async () => {
    const options = '--copies 50 --item-size 1KB --json'.split(' ');
    const { stdout } = await cost('username-on-memberships', ...options);

    expect(JSON.parse(stdout).summary).toMatchObject({
      prices: { region: 'us-east-1', writeUnits: 0.625 },
      assumed: { request: 5 },
      windowSeconds: 1,
      rules: [
        {
          ...{ rule: 'username-on-memberships', changes: ['username'], itemBytes: 1024 },
          fanOuts: [
            {
              fanOut: 50,
              ...{ writeUnits: 100, readUnits: 69, sqsRequests: 3 },
              dollarsOfAMillion: { writes: 62.5 },
            },
          ],
        },
      ],
      uncounted: [],
    });
  });

  test('counts the other rules if items of one cannot be made, and exits 1', async () => {
    const project = projectCopy();
    const chat = join(project, 'rules', 'chat-items.ts');
    const text = readFileSync(chat, 'utf8');
    writeFileSync(
      chat,
      text.replaceAll('username: z.string()', 'username: z.string().check(z.regex(/^Q-.{17}$/))'),
    );

    const { code, stdout } = await run(['cost', 'order-status-keys', 'username-on-memberships'], project, {
      DENORM_CONFIG: join(project, 'denorm.config.ts'),
    });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^order-status-keys {2}Order/);
    expect(stdout).toContain(
      "username-on-memberships  not counted: Expected to make values of 'username' of User",
    );
  });

  test('counts no keys that follow from ids alone, because no change writes them', async () => {
    const project = projectCopy();
    const chat = join(project, 'rules', 'chat-items.ts');
    const keys = "sk: 'USER#{member}',\n  keys: { GSI1: { pk: 'USER#{member}', sk: 'SERVER#{server}' } },";
    writeFileSync(chat, readFileSync(chat, 'utf8').replace("sk: 'USER#{member}',", keys));

    const { code, stdout } = await run(['cost', 'membership-keys'], project, {
      DENORM_CONFIG: join(project, 'denorm.config.ts'),
    });

    expect(code).toBe(0);
    expect(stdout).toContain('membership-keys  not counted: it reads ids alone, which never change');
  });

  test('refuses a rule that is not in force', async () => {
    expect(await cost('misspelt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'usage.rule: Expected the name of a rule in force (incident-on-participations,',
      ),
    });
  });
});

function cost(...args: string[]): Promise<Ran> {
  return run(['cost', ...args], newFolder());
}
