import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import { itemView, partitionView } from '../../../src/page/views/item-view.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { aDay, aSale, salesOfDay } from '../../fixtures/world/days.ts';
import { aPost, aTagged, titleOnTags } from '../../fixtures/world/posts.ts';
import { registryOf } from '../../fixtures/world/world.ts';

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
  expect(view.copies.map(({ rule, keys }) => [rule, keys.map(({ pk }) => pk)])).toEqual([
    ['title-on-tags', ['TAG#new', 'TAG#old', 'TAG#right']],
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

test('a partition is listed a hundred items at a time, on from a sort key', async () => {
  const registry = application.registry();
  const sk = (at: number) => `USER#${String(at).padStart(3, '0')}`;
  const items = Array.from({ length: 150 }, (_, at) => ({ PK: { S: 'SERVER#1' }, SK: { S: sk(at) } }));
  const listed = async (asked: Record<string, string>) => {
    const table = portOf(registry.table, items);
    const view = await partitionView(registry, table, new URLSearchParams(asked));
    return [view.items[0]?.key.sk, view.items.at(-1)?.key.sk, view.more];
  };

  expect(await listed({ pk: 'SERVER#1' })).toEqual([sk(0), sk(99), true]);
  expect(await listed({ pk: 'SERVER#1', from: sk(99) })).toEqual([sk(99), sk(149), false]);
});
