import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import type { ItemKey } from '../../../../src/model/item.ts';
import { unusualKeys, unusualNames, values } from './samples.ts';
import { itemOf, same } from './table-fixture.ts';
import type { Bench } from './table-port.suite.ts';

const old: AttributeValue = { S: 'old' };
const fresh: AttributeValue = { S: 'new' };

/** The members as a record, in which any name is an own property. */
function record<Value>(...members: [string, Value][]): Record<string, Value> {
  return Object.fromEntries(members);
}

function updateOf(key: ItemKey, change: Partial<GuardedUpdate>): GuardedUpdate {
  return { key, set: {}, remove: [], expect: {}, ...change };
}

export function updateCases({ table, partition }: Bench): void {
  test('sets and removes, and changes nothing else', async () => {
    const key = { pk: partition(), sk: 'a' };
    await table().put(itemOf(key, { a: old, b: old, c: old, d: old, own: old }));

    const outcomes = await table().port.update([
      updateOf(key, {
        set: { a: fresh, e: fresh },
        remove: ['b', 'c', 'never there'],
        expect: { a: old, b: old },
      }),
    ]);

    expect(outcomes).toEqual(['written']);
    expect(await table().read(key)).toEqual(itemOf(key, { a: fresh, d: old, e: fresh, own: old }));
  });

  test('only removes', async () => {
    const key = { pk: partition(), sk: 'a' };
    await table().put(itemOf(key, { a: old, b: old }));

    expect(await table().port.update([updateOf(key, { remove: ['a'] })])).toEqual(['written']);
    expect(await table().read(key)).toEqual(itemOf(key, { b: old }));
  });

  test('does not bring back a deleted item', async () => {
    const key = { pk: partition(), sk: 'a' };

    const outcomes = await table().port.update([
      updateOf(key, { set: { a: fresh } }),
      updateOf({ ...key, sk: 'b' }, { set: { a: fresh }, expect: { a: undefined } }),
      updateOf({ ...key, sk: 'c' }, { set: { 'a.b': fresh }, expect: { a: undefined } }),
    ]);

    expect(outcomes).toEqual(['lost', 'lost', 'lost']);
    for (const sk of ['a', 'b', 'c']) expect(await table().read({ ...key, sk })).toBeUndefined();
  });

  test.each(values)(
    'writes on condition of the current %s, and not otherwise',
    async (_, stored, alike, other) => {
      const key = { pk: partition(), sk: 'a' };
      const item = itemOf(key, { v: stored, b: old });
      await table().put(item);
      const { port } = table();

      expect(await port.update([updateOf(key, { set: { b: fresh }, expect: { v: other } })])).toEqual([
        'lost',
      ]);
      expect(await port.update([updateOf(key, { set: { b: fresh }, expect: { v: undefined } })])).toEqual([
        'lost',
      ]);
      expect(await port.update([updateOf(key, { set: { b: fresh }, expect: { w: stored } })])).toEqual([
        'lost',
      ]);
      expect(same(await table().read(key))).toBe(same(item));
      expect(
        await port.update([updateOf(key, { set: { b: fresh }, expect: { v: alike, w: undefined } })]),
      ).toEqual(['written']);
      expect(same(await table().read(key))).toBe(same({ ...item, b: fresh }));
    },
  );

  test.each(values)('sets %s', async (_, stored, _same, other) => {
    const key = { pk: partition(), sk: 'a' };
    await table().put(itemOf(key, { v: other }));

    expect(await table().port.update([updateOf(key, { set: { v: stored }, expect: { v: other } })])).toEqual([
      'written',
    ]);
    expect(await table().port.update([updateOf(key, { set: { w: fresh }, expect: { v: stored } })])).toEqual([
      'written',
    ]);
    const item = await table().port.get(key);
    expect(same(item)).toBe(same(itemOf(key, { v: stored, w: fresh })));
  });

  test.each(unusualNames)('treats the name %j as a name', async (name) => {
    const key = { pk: partition(), sk: 'a' };
    const lookalike = { a: { M: { b: old } }, b: old } as const;
    const item = itemOf(key, { ...lookalike, ...record([name, old]) });
    await table().put(item);
    const { port } = table();

    expect(
      await port.update([
        updateOf(key, { set: { c: fresh }, expect: record<AttributeValue | undefined>([name, undefined]) }),
      ]),
    ).toEqual(['lost']);
    expect(
      await port.update([
        updateOf(key, {
          set: record([name, fresh]),
          expect: record<AttributeValue | undefined>([name, fresh]),
        }),
      ]),
    ).toEqual(['lost']);
    expect(
      await port.update([
        updateOf(key, {
          set: record([name, fresh]),
          expect: record<AttributeValue | undefined>([name, old]),
        }),
      ]),
    ).toEqual(['written']);
    expect(await table().read(key)).toEqual({ ...item, ...record([name, fresh]) });
    expect(
      await port.update([
        updateOf(key, { remove: [name], expect: record<AttributeValue | undefined>([name, fresh]) }),
      ]),
    ).toEqual(['written']);
    expect(await table().read(key)).toEqual(
      itemOf(key, Object.fromEntries(Object.entries(lookalike).filter(([kept]) => kept !== name))),
    );
  });

  test.each(unusualKeys)('writes the item with the key %s', async (_, key) => {
    await table().put(itemOf(key, { a: old }));

    expect(await table().port.update([updateOf(key, { set: { a: fresh }, expect: { a: old } })])).toEqual([
      'written',
    ]);
    expect(await table().read(key)).toEqual(itemOf(key, { a: fresh }));
  });

  test('writes sixty in one call, each on its own condition, and returns the outcomes in order', async () => {
    const pk = partition();
    const keys = Array.from({ length: 60 }, (_, index) => ({ pk, sk: String(index) }));
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
    const key = { pk: partition(), sk: 'a' };
    const many = (count: number, stem: string) =>
      Array.from({ length: count }, (_, index) => `${stem}${index}`);
    const stored = Object.fromEntries(many(60, 'attribute number ').map((name) => [name, old]));
    await table().put(itemOf(key, stored));
    const missing = Object.fromEntries(many(60, 'missing.').map((name) => [name, undefined]));
    const set = Object.fromEntries(
      [...Object.keys(stored).slice(0, 20), ...many(50, 'another')].map((name) => [name, fresh]),
    );
    const remove = Object.keys(stored).slice(30);

    expect(
      await table().port.update([updateOf(key, { set, remove, expect: { ...stored, ...missing } })]),
    ).toEqual(['written']);
    expect(
      await table().port.update([updateOf(key, { set, remove, expect: { ...stored, ...missing } })]),
    ).toEqual(['lost']);
    expect(Object.keys((await table().read(key)) ?? {})).toHaveLength(2 + 30 + 50);
  });

  test('compares the key attributes of an index, even if they are the table’s own', async () => {
    const key = { pk: partition(), sk: 'a' };
    const expected = itemOf(key, { TagPk: old, TagSk: old });
    await table().put(expected);

    expect(await table().port.update([updateOf(key, { set: { TagSk: fresh }, expect: expected })])).toEqual([
      'written',
    ]);
    expect(await table().port.update([updateOf(key, { remove: ['TagPk'], expect: expected })])).toEqual([
      'lost',
    ]);
  });

  test('does nothing without updates', async () => {
    expect(await table().port.update([])).toEqual([]);
  });
}
