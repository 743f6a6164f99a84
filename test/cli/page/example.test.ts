import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { exampleView, writeExample } from '../../../src/cli/page/example.ts';
import { type Item, keyIn, keyText } from '../../../src/model/item.ts';
import type { Registry } from '../../../src/model/registry.ts';
import type { PutPort } from '../../../src/worker/ports.ts';
import { league } from '../../fixtures/league/league.ts';
import { posts, titleOnTags } from '../../fixtures/posts/posts.ts';

/** What is in the table after the example was written. */
async function written(registry: Registry, before: readonly Item[] = []): Promise<Map<string, Item>> {
  const keyOf = (item: Item) => keyText(keyIn(registry.table, item));
  const items = new Map(before.map((item) => [keyOf(item), item]));
  const put = (item: Item, isFree: boolean) => {
    if (isFree) items.set(keyOf(item), item);
    return Promise.resolve({ outcome: isFree ? 'put' : 'exists', units: 1 } as const);
  };
  const table: PutPort = {
    putIfAbsent: (item) => put(item, !items.has(keyOf(item))),
    overwrite: (item) => put(item, true),
  };
  await writeExample(registry, table);
  return items;
}

test('an example is a root, a copy, and a change that its rule propagates', async () => {
  const registry = application.registry();
  const { rule, before, copies, after, attribute } = exampleView(registry) ?? {};

  expect([rule, attribute]).toEqual(['incident-on-participations', 'Title']);
  expect([before?.kind, ...(copies ?? []).map(({ kind }) => kind)]).toEqual(['Incident', 'Participation']);
  expect([before, ...(copies ?? []), after].map((one) => one?.item['Title'])).toEqual([
    ...[{ S: 'one' }, { S: 'one' }, { S: 'two' }],
  ]);
  expect([...(await written(registry)).values()].map(({ Title }) => Title)).toEqual([
    ...[{ S: 'two' }, { S: 'one' }],
  ]);
});

test('copies that a rule creates are left to it, and a member is shown with its target', () => {
  expect(exampleView(posts(titleOnTags))).toMatchObject({ rule: 'title-on-tags', copies: [] });
  expect(exampleView(league())).toMatchObject({ rule: 'club-totals', copies: [{ kind: 'Club' }] });
});

test('items of the application stay as they are', async () => {
  const registry = application.registry();
  const own = [...(await written(registry)).values()].map((item) => ({ ...item, Title: { S: 'mine' } }));

  expect([...(await written(registry, own)).values()]).toEqual(own);
});
