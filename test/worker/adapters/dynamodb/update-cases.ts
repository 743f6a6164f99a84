import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { Item, ItemKey } from '../../../../src/model/items/item.ts';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import type { Bench } from './bench.ts';
import { unusualNames, values } from './samples.ts';
import { itemOf, keysOf, same, updateOf } from './table-fixture.ts';

const old: AttributeValue = { S: 'old' };
const fresh: AttributeValue = { S: 'new' };

export function updateCases({ table, partition, stored }: Bench): void {
  const update = async (key: ItemKey, change: Partial<GuardedUpdate>) =>
    (await table().port.update([updateOf(key, change)]))[0];

  test.each<[string, Partial<GuardedUpdate>, Item]>([
    [
      'sets and removes',
      { set: { a: fresh, e: fresh }, remove: ['b', 'c', 'never there'], expect: { a: old, b: old } },
      { a: fresh, d: old, e: fresh },
    ],
    ['only removes', { remove: ['a'] }, { b: old, c: old, d: old }],
  ])('%s, and changes nothing else', async (_, change, expected) => {
    const key = await stored({ a: old, b: old, c: old, d: old });

    expect(await update(key, change)).toBe('written');
    expect(await table().read(key)).toEqual(itemOf(key, expected));
  });

  test.each<Partial<GuardedUpdate>>([
    { set: { a: fresh } },
    { set: { a: fresh }, expect: { a: undefined } },
    { set: { 'a.b': fresh }, expect: { a: undefined } },
  ])('does not bring back a deleted item: %j', async (change) => {
    const key = { pk: partition(), sk: 'a' };

    expect(await update(key, change)).toBe('lost');
    expect(await table().read(key)).toBeUndefined();
  });

  test.each(values)(
    'sets %s, and writes only on condition of the current one',
    async (_, value, alike, other) => {
      const key = await stored({ v: other, b: old });
      const set = { b: fresh };

      expect(await update(key, { set: { v: value }, expect: { v: other } })).toBe('written');
      for (const expected of [{ v: other }, { v: undefined }, { w: value }])
        expect(await update(key, { set, expect: expected })).toBe('lost');
      expect(same((await table().port.get(key))?.item)).toBe(same(itemOf(key, { v: value, b: old })));
      expect(await update(key, { set, expect: { v: alike, w: undefined } })).toBe('written');
      expect(same(await table().read(key))).toBe(same(itemOf(key, { v: value, b: fresh })));
    },
  );

  test.each(unusualNames)('treats the name %j as a name', async (name) => {
    const lookalike: Item = { a: { M: { b: old } }, b: old };
    const key = await stored({ ...lookalike, [name]: old });
    const set = { [name]: fresh };

    expect(await update(key, { set: { c: fresh }, expect: { [name]: undefined } })).toBe('lost');
    expect(await update(key, { set, expect: { [name]: fresh } })).toBe('lost');
    expect(await update(key, { set, expect: { [name]: old } })).toBe('written');
    expect(await table().read(key)).toEqual(itemOf(key, { ...lookalike, ...set }));
    expect(await update(key, { remove: [name], expect: set })).toBe('written');
    expect(await table().read(key)).toEqual(itemOf(key, lookalike));
  });

  test('writes sixty in one call, each on its own condition, in order', async () => {
    const keys = keysOf(60, partition());
    const isLost = (index: number) => index % 7 === 3;
    await Promise.all(keys.map((key, index) => table().put(itemOf(key, { a: isLost(index) ? fresh : old }))));

    const outcomes = await table().port.update(
      keys.map((key) => updateOf(key, { set: { b: fresh }, expect: { a: old } })),
    );

    expect(outcomes).toEqual(keys.map((_, index) => (isLost(index) ? 'lost' : 'written')));
    for (const [index, key] of keys.entries())
      expect(await table().read(key)).toEqual(
        itemOf(key, isLost(index) ? { a: fresh } : { a: old, b: fresh }),
      );
  });

  test('accepts as many changes and comparisons as one planned write may have', async () => {
    const many = <Value>(count: number, stem: string, value: Value) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${stem}${index}`, value]));
    const present = many(60, 'attribute number ', old);
    const key = await stored(present);
    const change = {
      set: { ...many(20, 'attribute number ', fresh), ...many(50, 'another', fresh) },
      remove: Object.keys(present).slice(30),
      expect: { ...present, ...many(60, 'missing.', undefined) },
    };

    expect(await update(key, change)).toBe('written');
    expect(await update(key, change)).toBe('lost');
    expect(Object.keys((await table().read(key)) ?? {})).toHaveLength(2 + 30 + 50);
  });

  test('compares the key attributes of an index, even if they are the table’s own', async () => {
    const attributes = { TagPk: old, TagSk: old };
    const key = await stored(attributes);
    const expected = itemOf(key, attributes);

    expect(await update(key, { set: { TagSk: fresh }, expect: expected })).toBe('written');
    expect(await update(key, { remove: ['TagPk'], expect: expected })).toBe('lost');
  });

  test('does nothing without updates', async () => {
    expect(await table().port.update([])).toEqual([]);
  });
}
