import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { run } from '../denorm.ts';
import { membership, user } from '../items.ts';

const key = JSON.stringify({ PK: membership.PK, SK: membership.SK });

/** What is explained of the membership in a file of items, by rules that may have been edited. */
async function explained(
  items: readonly object[],
  edit: readonly [from: string, to: string] = ['', ''],
  ...more: readonly string[]
) {
  const project = projectCopy();
  const rule = join(project, 'rules/username-on-memberships.ts');
  writeFileSync(rule, readFileSync(rule, 'utf8').replace(...edit));
  writeFileSync(join(project, 'items.json'), JSON.stringify(items));
  return run(['explain', key, '--images=items.json', ...more], project, { DENORM_CONFIG: '' });
}

/** Items as DynamoDB JSON, all of whose attributes are text. */
function stored(item: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }]));
}

describe('explain of an item whose type contradicts its key', () => {
  const items = [stored({ ...membership, Type: 'member' })];

  test('says both', async () => {
    const { code, stdout } = await explained(items);

    expect(stdout).toContain(
      `${key}, of no kind: the key is a Membership's, its Type is 'member' and not 'Membership'`,
    );
    expect(code).toBe(0);
  });

  test('says so in JSON', async () => {
    const { stdout } = await explained(items, ['', ''], '--json');

    expect(JSON.parse(stdout).subjects).toMatchObject([
      { kinds: [], problem: "the key is a Membership's, its Type is 'member' and not 'Membership'" },
    ]);
  });
});

describe('explain of a copy on which rootOf fails', () => {
  test('names rule and function, and exits 1, because the worker dead-letters it', async () => {
    const { code, stdout } = await explained(
      [stored(user), stored(membership)],
      ['user.key({ user: userId })', '[userId] as never'],
    );

    expect(stdout).toContain(
      'copy, no match: a function of the rule fails on it; dead-lettered (rule.returned: Expected rootOf of rule username-on-memberships to return { pk, sk }, all text, or undefined, got an array: correct the function)',
    );
    expect(code).toBe(1);
  });
});
