import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyText } from '../../../src/model/item.ts';
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

let tables = 0;

/** While no worker runs, the copy at the tag `b` was deleted by hand, and the tag `z` taken off the list. */
async function drifted() {
  tables += 1;
  const items = [post, tagged('a'), tagged('c'), tagged('z')];
  const table = await seedTable(server().endpoint, `tags-${tables}`, items, true);
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

describe('a list of three keys, one without its copy, and a copy left over', () => {
  test('is found by denorm verify', async () => {
    const { args } = await drifted();

    const whole = await run(['verify', ...args, ...fast], newFolder(), env);

    const missing = `missing       post-on-tags  {"PK":"TAG#b","SK":"POST#1"}  its root ${root} places it at this key, which is free`;
    expect(whole.stdout).toContain(missing);
    expect(whole.stdout).toContain(
      `unlisted      post-on-tags  {"PK":"TAG#z","SK":"POST#1"}  its root ${root} does not list its key`,
    );
    expect(whole.stdout).toContain('4 items read, 2 drifted');
    expect(whole.code).toBe(1);
    expect(whole.stdout).not.toContain('secret');
  });

  test('is repaired: the copy is made, and the other removed only if that is allowed', async () => {
    const { args, keys } = await drifted();

    const preview = await run(['repair', ...args, ...fast, '--dry-run'], newFolder(), env);
    expect(await keys()).toEqual(keysOf('a', 'c', 'z'));
    const careful = await run(['repair', ...args, ...fast], newFolder(), env);
    expect(await keys()).toEqual(keysOf('a', 'b', 'c', 'z'));
    const allowed = await run(['repair', ...args, ...fast, '--allow-remove'], newFolder(), env);

    expect(preview.stdout).toContain('1 copy would be written');
    expect(careful.stdout).toContain('left alone    post-on-tags  {"PK":"TAG#z","SK":"POST#1"}  unlisted: ');
    expect(careful.stdout).toContain('review it, then allow it with --allow-remove');
    expect(allowed.stdout).toContain('1 removed or cleared');
    expect([preview.code, careful.code, allowed.code]).toEqual([1, 1, 0]);
    expect(await keys()).toEqual(keysOf('a', 'b', 'c'));
  });

  test('gets its missing copy by denorm backfill', async () => {
    const { args, keys } = await drifted();

    const { code } = await run(['backfill', '--rule', 'post-on-tags', ...args], newFolder(), env);

    expect(code).toBe(0);
    expect(await keys()).toEqual(keysOf('a', 'b', 'c', 'z'));
  });
});
