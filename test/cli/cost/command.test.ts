import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';

const user = {
  ...{ PK: { S: 'USER#1' }, SK: { S: '#METADATA' }, Type: { S: 'User' } },
  ...{ userId: { S: '1' }, username: { S: 'Ada' } },
};
const membership = {
  ...{ PK: { S: 'SERVER#a' }, SK: { S: 'USER#1' }, Type: { S: 'Membership' } },
  ...{ userId: { S: '1' }, username: { S: 'Ada' }, GSI1PK: { S: 'USER#1' }, GSI1SK: { S: 'SERVER#a' } },
};

const items = ['--root', 'user.json', '--copy', 'membership.json'];
const files = ['username-on-memberships', ...items];

let folder: string;
beforeEach(() => {
  folder = newFolder();
  write('user.json', { Item: user });
  write('membership.json', membership);
  write('list.json', [membership]);
});

describe('denorm cost', () => {
  test('prints a row of the worker and one of the usual handler for each fan-out, and what is left out', async () => {
    const { code, stdout, stderr } = await cost(...files, '--copies', '1,50', '--item-size', '1KB');

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^username-on-memberships {2}User → Membership, in GSI1/);
    expect(stdout).toContain("'username' changes; items of 1 KB");
    expect(stdout).toMatch(/│ 50 +│ worker +│ 12 +│ 119 +│ 100 +│ 3 +│/);
    expect(stdout).toMatch(/│ +│ usual handler │ 51 +│ 6.5 +│ 100 +│ 0 +│ 1 +│/);
    expect(stdout).toContain("Left out: the application's own write of the root");
    expect(stdout).toContain('us-east-1, on demand');
  });

  test('says the same to machines, with each kind of request and each price', async () => {
    const { stdout } = await cost(...files, '--copies', '50', '--item-size', '1KB', '--json');

    expect(JSON.parse(stdout)).toMatchObject({
      prices: { region: 'us-east-1', writeUnits: 0.625 },
      assumed: { request: 5 },
      windowSeconds: 1,
      rules: [
        {
          ...{ rule: 'username-on-memberships', location: 'index', changes: 'username', copyBytes: 1024 },
          fanOuts: [
            {
              copies: 50,
              worker: {
                requests: { 'Query of an index': 2, BatchExecuteStatement: 2 },
                ...{ writeUnits: 100, readUnits: 119, sqsRequests: 3 },
                dollarsOfAMillion: { writes: 62.5 },
              },
              usual: { requests: { 'Query of an index': 1, UpdateItem: 50 }, writeUnits: 100 },
            },
          ],
        },
      ],
    });
  });

  test.each([
    [
      'a rule that is not in force',
      ['misspelt', ...items],
      'usage.rule: Expected the name of a rule in force (incident-on-participations,',
    ],
    [
      'no copy',
      ['username-on-memberships', '--root', 'user.json'],
      'usage.items: Expected --root with an item of kind User and --copy with one of its copies, of kind Membership, got no --copy',
    ],
    [
      'an item of another kind',
      ['username-on-memberships', '--root', 'membership.json', '--copy', 'membership.json'],
      'usage.item: Expected membership.json to contain an item of kind User (USER#{user} / #METADATA), found an item with another key or type',
    ],
    [
      'no item',
      ['username-on-memberships', '--root', 'list.json', '--copy', 'membership.json'],
      'usage.file: Expected list.json to contain an item in DynamoDB JSON',
    ],
    [
      'an impossible size',
      ['username-on-memberships', ...items, '--item-size', '500KB'],
      'Expected the size of an item such as 1KB or 700, up to 400KB.',
    ],
    [
      'no fan-out',
      ['username-on-memberships', ...items, '--copies', '0'],
      'Expected whole numbers from 1 up, separated by commas, such as 1,5,500.',
    ],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await cost(...args);

    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

function cost(...args: string[]): Promise<Ran> {
  return run(['cost', ...args], folder);
}

function write(name: string, content: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(content));
}
