import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedCreation } from '../../../../src/model/guarded-write.ts';
import type { Item, ItemKey } from '../../../../src/model/item.ts';
import { everyType, unusualNames } from './samples.ts';
import { itemOf } from './table-fixture.ts';
import type { Bench } from './table-port.suite.ts';

const one: AttributeValue = { N: '1' };
const two: AttributeValue = { N: '2' };

function creationOf(key: ItemKey, attributes: Item = {}): GuardedCreation {
  return { key, item: itemOf(key, attributes), size: 100 };
}

export function createCases({ table, partition }: Bench): void {
  test('puts copies with every type of value, and with unusual names', async () => {
    const pk = partition();
    const [root, a, b] = [
      { pk, sk: 'root' },
      { pk, sk: 'a' },
      { pk, sk: 'ä\u0000#b' },
    ];
    await table().put(itemOf(root));
    const attributes = { ...Object.fromEntries(unusualNames.map((name) => [name, one])), ...everyType };

    const outcomes = await table().port.transact({ key: root, expect: {} }, [
      creationOf(a, attributes),
      creationOf(b, attributes),
    ]);

    expect(outcomes).toEqual(['written', 'written']);
    for (const key of [a, b]) expect(await table().read(key)).toEqual(itemOf(key, attributes));
  });

  test.each([
    ['is as read', itemOf, { v: one, w: undefined }, 'written'],
    ['differs from the read', itemOf, { v: two }, 'root'],
    ['has an attribute that was expected to be missing', itemOf, { v: undefined }, 'root'],
    ['is gone', undefined, { v: one }, 'root'],
    ['is gone, with only missing attributes expected', undefined, { w: undefined }, 'root'],
  ] as const)('returns one outcome for all copies if the root %s', async (_, put, expected, outcome) => {
    const pk = partition();
    const keys = ['a', 'b'].map((sk) => ({ pk, sk }));
    const root = { pk, sk: 'root' };
    if (put !== undefined) await table().put(put(root, { v: one }));

    const outcomes = await table().port.transact(
      { key: root, expect: expected },
      keys.map((key) => creationOf(key)),
    );

    expect(outcomes).toEqual([outcome, outcome]);
    for (const key of keys) expect((await table().read(key)) !== undefined).toBe(outcome === 'written');
  });

  test('overwrites no item, and continues with the others', async () => {
    const pk = partition();
    const root = { pk, sk: 'root' };
    await table().put(itemOf(root));
    const keys = Array.from({ length: 100 }, (_, index) => ({ pk, sk: `c${index}` }));
    const [first = root, ...others] = keys;
    await table().put(itemOf(first, { v: one }));

    const outcomes = await table().port.transact(
      { key: root, expect: {} },
      keys.map((key) => creationOf(key, { v: two })),
    );

    expect(outcomes).toEqual(['lost', ...others.map(() => 'written')]);
    expect(await table().read(first)).toEqual(itemOf(first, { v: one }));
    for (const key of others) expect(await table().read(key)).toEqual(itemOf(key, { v: two }));
  });

  test('refuses a copy that DynamoDB never accepts, and writes the others', async () => {
    const pk = partition();
    const root = { pk, sk: 'root' };
    await table().put(itemOf(root));
    const [a, b] = [
      { pk, sk: 'a' },
      { pk, sk: 'b' },
    ];

    const outcomes = await table().port.transact({ key: root, expect: {} }, [
      creationOf(a, { v: { S: 'x'.repeat(410 * 1024) } }),
      creationOf(b),
    ]);

    expect(outcomes).toEqual(['refused', 'written']);
    expect(await table().read(a)).toBeUndefined();
  });

  test('puts nothing if there is nothing to put', async () => {
    expect(await table().port.transact({ key: { pk: partition(), sk: 'root' }, expect: {} }, [])).toEqual([]);
  });
}
