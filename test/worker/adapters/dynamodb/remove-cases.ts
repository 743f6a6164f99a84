import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedRemoval } from '../../../../src/model/guarded-write.ts';
import type { ItemKey } from '../../../../src/model/item.ts';
import { unusualKeys, unusualNames, values } from './samples.ts';
import { itemOf } from './table-fixture.ts';
import type { Bench } from './table-port.suite.ts';

const one: AttributeValue = { N: '1' };
const two: AttributeValue = { N: '2' };

function removalOf(key: ItemKey, change: Partial<GuardedRemoval> = {}): GuardedRemoval {
  return { key, clear: undefined, expect: {}, size: 100, ...change };
}

export function removeCases({ table, partition }: Bench): void {
  test('deletes copies and clears copies of an absent root', async () => {
    const pk = partition();
    const [a, b] = [
      { pk, sk: 'a' },
      { pk, sk: 'b' },
    ];
    await table().put(itemOf(a, { v: one }));
    await table().put(itemOf(b, { v: one, 'w.x': one, own: one }));

    const outcomes = await table().port.transact({ key: { pk, sk: 'root' }, expect: 'absent' }, [
      removalOf(a, { expect: { v: one, w: undefined } }),
      removalOf(b, { clear: ['v', 'w.x'], expect: { v: one } }),
    ]);

    expect(outcomes).toEqual(['written', 'written']);
    expect(await table().read(a)).toBeUndefined();
    expect(await table().read(b)).toEqual(itemOf(b, { own: one }));
  });

  test.each([
    ['exists but was expected to be absent', itemOf, 'absent', 'root'],
    ['is as read', itemOf, { v: one, w: undefined }, 'written'],
    ['differs from the read', itemOf, { v: two }, 'root'],
    ['has an attribute that was expected to be missing', itemOf, { v: undefined }, 'root'],
    ['is gone after it was read', undefined, {}, 'root'],
    ['is gone, with only missing attributes expected', undefined, { w: undefined }, 'root'],
  ] as const)('returns one outcome for all copies if the root %s', async (_, put, expected, outcome) => {
    const pk = partition();
    const keys = ['a', 'b'].map((sk) => ({ pk, sk }));
    const root = { pk, sk: 'root' };
    if (put !== undefined) await table().put(put(root, { v: one }));
    for (const key of keys) await table().put(itemOf(key));

    expect(
      await table().port.transact(
        { key: root, expect: expected },
        keys.map((key) => removalOf(key)),
      ),
    ).toEqual([outcome, outcome]);
    for (const key of keys) expect((await table().read(key)) === undefined).toBe(outcome === 'written');
  });

  test('continues without copies whose condition failed, or that are gone', async () => {
    const pk = partition();
    const keys = ['a', 'b', 'c', 'd'].map((sk) => ({ pk, sk }));
    for (const key of keys.slice(0, 3)) await table().put(itemOf(key, { v: key.sk === 'b' ? two : one }));

    const outcomes = await table().port.transact(
      { key: { pk, sk: 'root' }, expect: 'absent' },
      keys.map((key) => removalOf(key, { expect: { v: one } })),
    );

    expect(outcomes).toEqual(['written', 'lost', 'written', 'lost']);
    expect(await table().read({ pk, sk: 'b' })).toEqual(itemOf({ pk, sk: 'b' }, { v: two }));
    expect(await table().read({ pk, sk: 'a' })).toBeUndefined();
  });

  test('does not create a copy by clearing it', async () => {
    const pk = partition();

    expect(
      await table().port.transact({ key: { pk, sk: 'root' }, expect: 'absent' }, [
        removalOf({ pk, sk: 'a' }, { clear: ['v'] }),
      ]),
    ).toEqual(['lost']);
    expect(await table().read({ pk, sk: 'a' })).toBeUndefined();
  });

  test('removes more copies than one transaction can hold', async () => {
    const pk = partition();
    const keys = Array.from({ length: 250 }, (_, index) => ({ pk, sk: String(index) }));
    await Promise.all(keys.map((key) => table().put(itemOf(key, { v: key.sk === '120' ? two : one }))));

    const outcomes = await table().port.transact(
      { key: { pk, sk: 'root' }, expect: 'absent' },
      keys.map((key) => removalOf(key, { expect: { v: one } })),
    );

    expect(outcomes).toEqual(keys.map(({ sk }) => (sk === '120' ? 'lost' : 'written')));
    expect((await table().port.query({ in: 'partition', pk }, 500)).entries).toEqual([
      itemOf({ pk, sk: '120' }, { v: two }),
    ]);
  });

  test.each(values)('compares %s', async (_, stored, alike, other) => {
    const pk = partition();
    const key = { pk, sk: 'a' };
    await table().put(itemOf(key, { v: stored }));
    const root = { key: { pk, sk: 'root' }, expect: 'absent' } as const;

    expect(await table().port.transact(root, [removalOf(key, { expect: { v: other } })])).toEqual(['lost']);
    expect(await table().port.transact(root, [removalOf(key, { expect: { v: alike } })])).toEqual([
      'written',
    ]);
  });

  test.each(unusualNames)('clears the name %j', async (name) => {
    const key = { pk: partition(), sk: 'a' };
    await table().put(
      itemOf(
        key,
        Object.fromEntries([
          [name, one],
          ['kept', one],
        ]),
      ),
    );
    const clear = { clear: [name], expect: Object.fromEntries([[name, one]]) };

    expect(
      await table().port.transact({ key: { ...key, sk: 'root' }, expect: 'absent' }, [removalOf(key, clear)]),
    ).toEqual(['written']);
    expect(await table().read(key)).toEqual(itemOf(key, { kept: one }));
  });

  test.each(unusualKeys)(
    'removes the item with the key %s, and not the root with the next key',
    async (_, key) => {
      const root = { ...key, sk: `${key.sk.slice(0, 500)}!` };
      await table().put(itemOf(key));
      await table().put(itemOf(root));
      const { port } = table();

      expect(await port.transact({ key: root, expect: 'absent' }, [removalOf(key)])).toEqual(['root']);
      expect(await port.transact({ key: root, expect: {} }, [removalOf(key)])).toEqual(['written']);
      expect(await table().read(key)).toBeUndefined();
      expect(await table().read(root)).toEqual(itemOf(root));
    },
  );

  test('does nothing without copies', async () => {
    expect(await table().port.transact({ key: { pk: 'a', sk: 'b' }, expect: 'absent' }, [])).toEqual([]);
  });
}
