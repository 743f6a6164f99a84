import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { exampleView, writeExample } from '../../../src/cli/page/example.ts';
import { ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../src/develop/testing/table-model/model-table-port.ts';
import { type Item, keyIn } from '../../../src/model/item.ts';
import type { Registry } from '../../../src/model/registry.ts';
import { league } from '../../fixtures/league/league.ts';
import { posts, titleOnTags } from '../../fixtures/posts/posts.ts';

/** What is in the table after the example was written, and what is said of it. */
async function written(registry: Registry, before: readonly Item[] = []) {
  const model = new ModelTable(registry.table);
  for (const item of before) model.put(item);
  const port = new ModelTablePort(model);
  const put = (item: Item, isFree: boolean) => {
    if (isFree) model.put(item);
    return Promise.resolve({ outcome: isFree ? 'put' : 'exists', units: 1 } as const);
  };
  const outcome = await writeExample(registry, {
    putIfAbsent: (item) => put(item, model.read(keyIn(registry.table, item)) === undefined),
    overwrite: (item) => put(item, true),
    get: (key) => port.get(key),
    update: (updates) => port.update(updates),
  });
  return { items: model.items(), ...outcome };
}

const titles = (items: readonly Item[]) => items.map(({ Title }) => Title && 'S' in Title && Title.S);

test('an example is a root, a copy, and a change that its rule propagates', async () => {
  const registry = application.registry();
  const { rule, before, copies, after, attribute } = exampleView(registry) ?? {};

  expect([rule, attribute]).toEqual(['incident-on-participations', 'Title']);
  expect([before?.kind, ...(copies ?? []).map(({ kind }) => kind)]).toEqual(['Incident', 'Participation']);
  expect([before, ...(copies ?? []), after].map((one) => one?.item['Title'])).toEqual([
    ...[{ S: 'one' }, { S: 'one' }, { S: 'two' }],
  ]);
  expect(titles((await written(registry)).items)).toEqual(['two', 'one']);
});

test('copies that a rule creates are left to it, and a member is shown with its target', () => {
  expect(exampleView(posts(titleOnTags))).toMatchObject({ rule: 'title-on-tags', copies: [] });
  expect(exampleView(league())).toMatchObject({ rule: 'club-totals', copies: [{ kind: 'Club' }] });
});

test('items of the application stay as they are', async () => {
  const registry = application.registry();
  const own = (await written(registry)).items.map((item) => ({ ...item, Title: { S: 'mine' } }));

  expect(await written(registry, own)).toEqual({
    ...{ items: own, isGood: false },
    text: 'These items exist already, so nothing was written: edit one under Items.',
  });
});

test('written again, the example changes its root back, and goes on where it was stopped', async () => {
  const registry = application.registry();
  const { items } = await written(registry);
  const back = await written(registry, items);
  expect([titles(back.items), back.isGood]).toEqual([['one', 'one'], true]);
  expect(titles((await written(registry, back.items)).items)).toEqual(['two', 'one']);
});
