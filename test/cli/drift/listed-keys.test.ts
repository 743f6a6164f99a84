import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { keyText } from '../../../src/model/items/item.ts';
import { seedTable } from '../../operations/seeded-table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();

const env = {
  DENORM_CONFIG: fileURLToPath(new URL('../../fixtures/tags/denorm.config.ts', import.meta.url)),
};
const root = '{"PK":"POST#1","SK":"METADATA"}';
const post = { PK: 'POST#1', SK: 'METADATA', Type: 'Post', Title: 'secret', Tags: ['a', 'b', 'c'] };
const tagged = (tag: string) => ({ PK: `TAG#${tag}`, SK: 'POST#1', Type: 'TaggedPost', Title: 'secret' });

/** While no worker runs, the copy at the tag `b` was deleted by hand, and the tag `z` taken off the list. */
async function drifted() {
  const items = [post, tagged('a'), tagged('c'), tagged('z')];
  const table = await seedTable(server().endpoint, 'tags', items, true);
  onTestFinished(() => table.close());
  const keys = async () => [...(await table.read()).keys()].toSorted();
  return { args: ['--endpoint', table.endpoint, '--table', table.name], keys };
}

function keysOf(...tags: readonly string[]): string[] {
  return [{ pk: 'POST#1', sk: 'METADATA' }, ...tags.map((tag) => ({ pk: `TAG#${tag}`, sk: 'POST#1' }))]
    .map(keyText)
    .toSorted();
}

const fast = ['--grace', '0', '--rcu', 'unlimited'];

test('a list of three keys, one without its copy, and a copy left over, is found and repaired', async () => {
  const { args, keys } = await drifted();
  const denorm = (command: string, ...more: string[]) =>
    run([command, ...args, ...fast, ...more], newFolder(), env);

  const verified = await denorm('verify');
  const preview = await denorm('repair', '--dry-run');
  expect(await keys()).toEqual(keysOf('a', 'c', 'z'));
  const careful = await denorm('repair');
  expect(await keys()).toEqual(keysOf('a', 'b', 'c', 'z'));
  const allowed = await denorm('repair', '--allow-remove');
  expect(await keys()).toEqual(keysOf('a', 'b', 'c'));

  for (const line of [
    `missing  post-on-tags  1 item: its rule creates an item at this key, which is free\n  {"PK":"TAG#b","SK":"POST#1"}  its root is ${root}\n`,
    `unlisted  post-on-tags  1 item: its root does not list its key any more, and its rule removes such copies\n  {"PK":"TAG#z","SK":"POST#1"}  its root is ${root}\n`,
    '4 items read; found 2 (1 missing, 1 unlisted), 2 for `denorm repair`, 0 for you; ',
  ])
    expect(verified.stdout).toContain(line);
  expect(verified.stdout).not.toContain('secret');
  expect(preview.stdout).toContain('1 copy would be written');
  expect(careful.stdout).toMatch(
    /left alone {2}post-on-tags {2}1 item: unlisted: .*review it, then allow it with --allow-remove.*\n {2}\{"PK":"TAG#z","SK":"POST#1"\}\n/,
  );
  expect(allowed.stdout).toContain('1 removed or cleared');
  expect([verified, preview, careful, allowed].map(({ code }) => code)).toEqual([1, 1, 1, 0]);
});
