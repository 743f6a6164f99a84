import { expect, test } from 'vitest';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { membership, user } from '../items.ts';

const tables = embeddedTables();

test('verify counts items whose type contradicts their key, and names both', async () => {
  const { at } = await tables.newTable([
    { ...user, username: membership.username },
    membership,
    ...['2', '3'].map((server) => ({ ...membership, PK: `SERVER#${server}`, Type: 'member' })),
  ]);

  const { code, stdout, stderr } = await run(['verify', '--grace', '0', ...at], newFolder());

  expect(stderr).toMatch(
    /^denorm: 2 items of no kind, such as \{"PK":"SERVER#[23]","SK":"USER#1"\}: the key is a Membership's, its Type is 'member' and not 'Membership'\n$/,
  );
  expect(stdout).toContain('4 items read, 0 drifted');
  expect(code).toBe(0);
});
