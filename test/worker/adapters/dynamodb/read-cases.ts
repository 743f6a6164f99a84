import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { Cursor } from '../../../../src/model/message.ts';
import type { Page } from '../../../../src/worker/ports.ts';
import { everyType, unusualKeys } from './samples.ts';
import { itemOf, names } from './table-fixture.ts';
import type { Bench } from './table-port.suite.ts';

export function readCases({ table, partition }: Bench): void {
  test('gets the item with every type of value as it was put', async () => {
    const key = { pk: partition(), sk: 'a' };
    const item = itemOf(key, everyType);
    await table().put(item);

    expect(await table().port.get(key)).toEqual(item);
  });

  test('gets nothing if the item does not exist, or cannot', async () => {
    const pk = partition();

    expect(await table().port.get({ pk, sk: 'a' })).toBeUndefined();
    expect(await table().port.get({ pk, sk: '' })).toBeUndefined();
    expect(await table().port.get({ pk: 'p'.repeat(2049), sk: 'a' })).toBeUndefined();
    expect(await table().port.get({ pk, sk: 's'.repeat(1025) })).toBeUndefined();
  });

  test.each([0, 1, 2, 100, 101, 250])('gets the existing items of %i keys', async (count) => {
    const pk = partition();
    const keys = Array.from({ length: count }, (_, index) => ({ pk, sk: String(index) }));
    const items = keys.filter((_, index) => index % 2 === 0).map((key) => itemOf(key, { n: { N: key.sk } }));
    await Promise.all(items.map((item) => table().put(item)));

    const read = await table().port.getMany(keys);

    expect([...read].sort(bySk)).toEqual([...items].sort(bySk));
  });

  test('omits invalid keys from many', async () => {
    const pk = partition();
    await table().put(itemOf({ pk, sk: 'a' }));

    expect(
      await table().port.getMany([
        { pk, sk: '' },
        { pk, sk: 'a' },
        { pk, sk: 'b' },
      ]),
    ).toEqual([itemOf({ pk, sk: 'a' })]);
  });

  test.each(unusualKeys)(
    'finds the key %s by itself, among others, in its partition and by its beginning',
    async (_, key) => {
      const item = itemOf(key, { n: { N: '1' } });
      await table().put(item);

      expect(await table().port.get(key)).toEqual(item);
      expect(await table().port.getMany([key, { ...key, pk: 'other' }])).toEqual([item]);
      const { port } = table();
      expect((await port.query({ in: 'partition', pk: key.pk }, 10)).entries).toEqual([item]);
      expect((await port.query({ in: 'partition', pk: key.pk, begins: key.sk }, 10)).entries).toEqual([item]);
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

    const { entries, next } = await table().port.query({ in: 'partition', pk, begins }, 10);

    expect({ entries, next }).toEqual({ entries: expected.map((sk) => itemOf({ pk, sk })), next: undefined });
  });

  test('queries nothing for a partition that cannot exist', async () => {
    const { port } = table();

    expect(await port.query({ in: 'partition', pk: '' }, 10)).toEqual({
      entries: [],
      next: undefined,
    });
    expect(await port.query({ in: 'index', index: 'ByTag', pk: '' }, 10)).toEqual({
      entries: [],
      next: undefined,
    });
  });

  test('reads a partition page by page, from the end of the previous page', async () => {
    const pk = partition();
    const items = Array.from({ length: 7 }, (_, index) => itemOf({ pk, sk: `a/${index}` }));
    for (const item of items) await table().put(item);
    await table().put(itemOf({ pk, sk: 'b' }));

    const pages = await allPages((from) =>
      table().port.query({ in: 'partition', pk, begins: 'a/' }, 3, from),
    );

    expect(pages.flat()).toEqual(items);
    expect(pages.slice(0, 2).map((page) => page.length)).toEqual([3, 3]);
  });

  test('reads a partition in the order of its sort keys’ bytes, which is not that of UTF-16', async () => {
    const pk = partition();
    const items = ['B', 'a', 'a#10', 'a#2', 'é', '\uffee', '😀'].map((sk) => itemOf({ pk, sk }));
    for (const item of items.toReversed()) await table().put(item);

    const pages = await allPages((from) => table().port.query({ in: 'partition', pk }, 2, from));

    expect(pages.flat()).toEqual(items);
  });

  test('reads an index page by page, whole entries', async () => {
    const pk = partition();
    const items = Array.from({ length: 3 }, (_, index) =>
      itemOf({ pk: `${pk}-${index}`, sk: pk }, { ...tag(pk, `t#${index}`), big: { S: 'x' } }),
    );
    for (const item of items) await table().put(item);

    const pages = await allPages((from) =>
      table().port.query({ in: 'index', index: 'ByTag', pk, begins: 't#' }, 2, from, true),
    );

    expect(pages.flat()).toEqual(items);
    expect(pages[0]).toHaveLength(2);
  });

  test('reads an index page by page, keys only, whatever the index contains', async () => {
    const pk = partition();
    const keys = Array.from({ length: 5 }, (_, index) => ({ pk: `${pk}-${index}`, sk: pk }));
    for (const [index, key] of keys.entries())
      await table().put(itemOf(key, { ...tag(pk, `t#${index}`), big: { S: 'x' } }));
    await table().put(itemOf({ pk, sk: 'untagged' }));

    const { port } = table();
    const tagged = await allPages((from) =>
      port.query({ in: 'index', index: 'ByTag', pk, begins: 't#' }, 2, from),
    );
    const propagated = await allPages((from) => port.query({ in: 'index', index: 'Turned', pk }, 2, from));

    const attributes = keys.map(({ pk: Owner, sk: Entry }) => ({ Owner: { S: Owner }, Entry: { S: Entry } }));
    expect(tagged.flat()).toEqual(attributes);
    expect(propagated.flat()).toEqual(attributes);
  });
}

function tag(pk: string, sk: string): Record<string, AttributeValue> {
  return { TagPk: { S: pk }, TagSk: { S: sk } };
}

async function allPages<Entry>(page: (from: Cursor | undefined) => Promise<Page<Entry>>): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  let from: Cursor | undefined;
  do {
    const { entries, next } = await page(from);
    pages.push([...entries]);
    from = next;
  } while (from !== undefined);
  return pages;
}

function bySk(
  a: Readonly<Record<string, AttributeValue>>,
  b: Readonly<Record<string, AttributeValue>>,
): number {
  return JSON.stringify(a[names.sk]) < JSON.stringify(b[names.sk]) ? -1 : 1;
}
