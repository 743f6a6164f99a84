import { expect, test } from 'vitest';
import type { QueriedLocation } from '../../../../src/model/items/copy-location.ts';
import type { KeyedItem } from '../../../../src/model/items/item.ts';
import type { Bench } from './bench.ts';
import { everyType, unusualKeys } from './samples.ts';
import { allPages, itemOf, keyedOf, keysOf, updateOf } from './table-fixture.ts';

export function readCases({ table, partition, stored }: Bench): void {
  const pagesOf = (location: QueriedLocation, limit: number, whole?: boolean) =>
    allPages((from) => table().port.query(location, limit, from, whole));

  test('gets the item with every type of value as it was put', async () => {
    const key = await stored(everyType);

    expect(await table().port.get(key)).toEqual(keyedOf(key, everyType));
  });

  test.each([
    ['does not exist', 'p', 'a'],
    ['has an empty sort key', 'p', ''],
    ['has a partition key that is too long', 'p'.repeat(2049), 'a'],
    ['has a sort key that is too long', 'p', 's'.repeat(1025)],
  ])('gets nothing if the item %s, and omits it from many', async (_, pk, sk) => {
    const key = await stored();

    expect(await table().port.get({ pk, sk })).toBeUndefined();
    expect(await table().port.getMany([{ pk, sk }, key])).toEqual([keyedOf(key)]);
  });

  test.each([0, 1, 2, 100, 101, 250])('gets the existing items of %i keys', async (count) => {
    const keys = keysOf(count, partition());
    const items = keys.filter((_, index) => index % 2 === 0).map((key) => keyedOf(key, { n: { N: key.sk } }));
    await Promise.all(items.map(({ item }) => table().put(item)));

    const read = await table().port.getMany(keys);

    expect([...read].sort(bySk)).toEqual([...items].sort(bySk));
  });

  test.each(unusualKeys)(
    'finds the key %s by itself, among others, in its partition and by its beginning, and updates it',
    async (_, key) => {
      const item = itemOf(key, { n: { N: '1' } });
      await table().put(item);
      const { port } = table();

      expect(await port.get(key)).toEqual({ key, item });
      expect(await port.getMany([key, { ...key, pk: 'other' }])).toEqual([{ key, item }]);
      for (const begins of [undefined, key.sk])
        expect((await port.query({ in: 'partition', pk: key.pk, begins }, 10)).entries).toEqual([
          { key, item },
        ]);
      const [set, expected] = [{ n: { N: '2' } }, { n: { N: '1' } }];
      expect(await port.update([updateOf(key, { set, expect: expected })])).toEqual(['written']);
      expect(await table().read(key)).toEqual(itemOf(key, set));
    },
  );

  test.each([
    ['all of a partition', undefined, ['a#1', 'a#2', 'b#1']],
    ['all of a partition, for an empty beginning', '', ['a#1', 'a#2', 'b#1']],
    ['a beginning', 'a#', ['a#1', 'a#2']],
    ['nothing for a beginning without items', 'c', []],
    ['nothing for a beginning that cannot exist', 'c'.repeat(1025), []],
  ])('queries %s', async (_, begins, expected) => {
    const pk = partition();
    for (const sk of ['b#1', 'a#2', 'a#1']) await table().put(itemOf({ pk, sk }));
    await table().put(itemOf({ pk: `${pk}#`, sk: 'a#3' }));

    expect(await table().port.query({ in: 'partition', pk, begins }, 10)).toMatchObject({
      entries: expected.map((sk) => keyedOf({ pk, sk })),
      next: undefined,
    });
  });

  test.each([
    [{ from: 'b' }, ['b', 'c']],
    [{ from: 'a', to: 'b' }, ['a', 'b']],
    [{ from: 'c', to: 'a' }, []],
  ])('queries the range %j, which may end before it begins', async (range, expected) => {
    const pk = partition();
    for (const sk of ['a', 'b', 'c']) await table().put(itemOf({ pk, sk }));

    expect(await table().port.query({ in: 'partition', pk, ...range }, 10)).toMatchObject({
      entries: expected.map((sk) => keyedOf({ pk, sk })),
    });
  });

  test.each<QueriedLocation>([
    { in: 'partition', pk: '' },
    { in: 'index', index: 'ByTag', pk: '' },
  ])('queries nothing for a partition that cannot exist: %j', async (location) => {
    expect(await table().port.query(location, 10)).toMatchObject({ entries: [], next: undefined });
  });

  test('reads a partition page by page, in the order of its sort keys’ bytes', async () => {
    const pk = partition();
    const sks = ['B', 'a', 'a#10', 'a#2', 'é', '\uffee', '😀'];
    for (const sk of [...sks.toReversed(), 'b']) await table().put(itemOf({ pk, sk: `a/${sk}` }));
    await table().put(itemOf({ pk, sk: 'b' }));
    const inOrder = sks.toSpliced(4, 0, 'b').map((sk) => keyedOf({ pk, sk: `a/${sk}` }));

    const pages = await pagesOf({ in: 'partition', pk, begins: 'a/' }, 3);

    expect(pages.flat()).toEqual(inOrder);
    expect(pages.slice(0, 2).map((page) => page.length)).toEqual([3, 3]);
  });

  test('reads an index page by page: keys only, or whole entries', async () => {
    const pk = partition();
    const keys = Array.from({ length: 5 }, (_, index) => ({ pk: `${pk}-${index}`, sk: pk }));
    const items = keys.map((key, index) =>
      keyedOf(key, { TagPk: { S: pk }, TagSk: { S: `t#${index}` }, big: { S: 'x' } }),
    );
    for (const { item } of [...items, keyedOf({ pk, sk: 'untagged' })]) await table().put(item);
    const tagged = { in: 'index', index: 'ByTag', pk, begins: 't#' } as const;

    const whole = await pagesOf(tagged, 2, true);
    expect(whole.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(whole.flat()).toEqual(items);
    const before = { in: 'index', index: 'ByTag', pk, to: 't#2' } as const;
    expect((await pagesOf(before, 2, true)).flat()).toEqual(items.slice(0, 3));
    for (const location of [tagged, { in: 'index', index: 'Turned', pk } as const])
      expect((await pagesOf(location, 2)).flat()).toEqual(keys.map((key) => keyedOf(key)));
  });
}

function bySk(a: KeyedItem, b: KeyedItem): number {
  return a.key.sk < b.key.sk ? -1 : 1;
}
