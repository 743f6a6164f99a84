import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import { itemView } from '../../../src/page/views/item-view.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { aDay, aSale, salesOfDay } from '../../fixtures/world/days.ts';
import { aPost, aTagged, titleOnTags } from '../../fixtures/world/posts.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { likes } from '../../simulation/likes-rules.ts';

function viewOf(registry: Registry, items: readonly Item[], key: ItemKey) {
  const table = portOf(registry.table, items);
  return itemView({ registry, table, settings: defaultSettings }, key);
}

test('the view of a root says which copies are created, and which are written', async () => {
  const items = [aPost(['new', 'old', 'right']), aTagged('old', 'zero'), aTagged('right')];
  const view = await viewOf(registryOf(titleOnTags), items, { pk: 'POST#1', sk: 'POST' });

  expect(view).toMatchObject({
    ...{ item: { Title: { S: expect.any(String) } }, kinds: ['Post'] },
    roles: [{ rule: 'title-on-tags', as: 'root' }],
    now: [{ text: 'title-on-tags: 2 to write, 1 right already', isGood: true }, { isGood: true }],
  });
  const pks = (keys: readonly ItemKey[]) => keys.map(({ pk }) => pk);
  expect(view.copies.map(({ rule, keys, missing }) => [rule, pks(keys), pks(missing)])).toEqual([
    ['title-on-tags', ['TAG#old', 'TAG#right'], ['TAG#new']],
  ]);
});

test('the view of a target that is gone says what makes it, and what would be made now', async () => {
  const key = { pk: 'SHOP#a', sk: 'DAY#mon' };
  const viewed = (...items: readonly Item[]) => viewOf(registryOf(salesOfDay('delete')), items, key);
  const roles = [{ rule: 'sales-of-day', as: 'target', why: 'it is missing: its first member makes it' }];

  expect(await viewed()).toMatchObject({ item: undefined, kinds: ['Day'], roles });
  expect(await viewed(aSale('1', 'mon'))).toMatchObject({
    roles,
    now: [{ text: 'sales-of-day: totals from 1 item read, to write' }, {}],
  });
  expect((await viewed(aDay('mon', { Sales: 1, Revenue: 5 }))).now[0]?.text).toBe(
    'sales-of-day: totals from 0 items read, none: the target is to be removed',
  );
});

test('the view of a root with more copies than are read says so', async () => {
  const registry = application.registry();
  const key = { pk: 'USER#1', sk: '#METADATA' };
  const copies = (count: number) =>
    Array.from({ length: count }, (_, at): Item => {
      const server = { S: `SERVER#${at}` };
      return {
        ...{ PK: server, SK: { S: 'USER#1' }, Type: { S: 'Membership' }, username: { S: 'Ada' } },
        ...{ userId: { S: '1' }, GSI1PK: { S: 'USER#1' }, GSI1SK: server },
      };
    });
  const user = { PK: { S: key.pk }, SK: { S: key.sk }, Type: { S: 'User' }, userId: { S: '1' } };
  const viewed = async (count: number) => {
    const items = [{ ...user, username: { S: 'Ada' } }, ...copies(count)];
    const { now, copies: listed } = await viewOf(registry, items, key);
    return [now[0]?.text, listed[0]?.keys.length, listed[0]?.more];
  };
  const pages = defaultSettings.pageLimit;

  const right = (count: number) =>
    `username-on-memberships: 0 to write, ${count.toLocaleString('en-US')} right already`;
  expect(await viewed(4 * pages - 1)).toEqual([right(4 * pages - 1), 100, true]);
  expect(await viewed(4 * pages + 1)).toEqual([`${right(4 * pages)}; others were not read`, 100, true]);
  expect(await viewed(3)).toEqual([right(3), 3, false]);
});

test('the view of a ledger’s target and items says nothing of members that nobody reads', async () => {
  const worker = new ModelWorker(likes(1));
  for (const post of ['a', 'gone'])
    worker.table.put(itemOf({ PK: `LIKE#${post}`, SK: 'LIKE', Type: 'Like', Post: post, Weight: 1 }));
  worker.table.put(itemOf({ PK: 'POST#a', SK: 'POST', Type: 'Post' }));
  await worker.rest();
  const nowOf = async (key: ItemKey) =>
    (await itemView({ ...worker.context, table: worker.port }, key)).now[0]?.text;

  expect(await nowOf({ pk: 'POST#a', sk: 'POST' })).toBe('likes-of-post, by its ledger: right already');
  expect(await nowOf({ pk: '~likes-of-post#0/1#["POST#gone","POST"]', sk: 'head' })).toBe(
    'likes-of-post of POST#gone / POST, by its ledger: none: there is no such target',
  );
});
