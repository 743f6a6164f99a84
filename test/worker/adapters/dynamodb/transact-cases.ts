import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/model/items/item.ts';
import type { GuardedAction } from '../../../../src/model/work/guarded-write.ts';
import type { Bench } from './bench.ts';
import { everyType, unusualKeys, unusualNames, values } from './samples.ts';
import { absentRoot, creationOf, itemOf, keyedOf, keysOf, removalOf } from './table-fixture.ts';

const one: AttributeValue = { N: '1' };
const two: AttributeValue = { N: '2' };
const largeValue: AttributeValue = { S: 'x'.repeat(410 * 1024) };

/** What happens to copies whose root is stored with `v: 1`, or is gone. */
const roots = [
  ['exists but was expected to be absent', true, 'absent', 'root'],
  ['is as read', true, { v: one, w: undefined }, 'written'],
  ['differs from the read', true, { v: two }, 'root'],
  ['has an attribute that was expected to be missing', true, { v: undefined }, 'root'],
  ['is gone', false, { v: one }, 'root'],
  ['is gone, with nothing expected of it', false, {}, 'root'],
  ['is gone, with only missing attributes expected', false, { w: undefined }, 'root'],
] as const;

export function transactCases({ table, partition, stored }: Bench): void {
  const onAbsentRoot = (...actions: [GuardedAction, ...GuardedAction[]]) =>
    table().port.transact(absentRoot(actions[0].key.pk), actions);

  test('deletes copies and clears copies of an absent root', async () => {
    const a = await stored({ v: one });
    const b = await stored({ v: one, 'w.x': one, own: one });

    const outcomes = await onAbsentRoot(
      removalOf(a, { expect: { v: one, w: undefined } }),
      removalOf(b, { clear: ['v', 'w.x'], expect: { v: one } }),
    );

    expect(outcomes).toEqual(['written', 'written']);
    expect(await table().read(a)).toBeUndefined();
    expect(await table().read(b)).toEqual(itemOf(b, { own: one }));
  });

  test('writes entries and adds what they add to their head, in one transaction, exactly', async () => {
    const head = { pk: partition(), sk: 'head' };
    const [first, second] = ['a', 'b'].map((sk) => ({ ...head, sk }));
    if (first === undefined || second === undefined) throw new Error('Expected keys');
    const put = { target: { S: 't' } };
    const post = (...actions: GuardedAction[]) =>
      table().port.transact({ key: head, expect: 'head', put }, actions);
    const digits = '12345678901234567890';

    expect(
      await post(
        { ...creationOf(first, { v: one }), adds: { '+v': '1', '#v': '0' } },
        { ...creationOf(second, { v: one }), adds: { '+v': digits } },
      ),
    ).toEqual(['written', 'written']);
    expect(await table().read(head)).toEqual(
      itemOf(head, { ...put, '~posts': one, '+v': { N: '12345678901234567891' }, '#v': { N: '0' } }),
    );
    expect(
      await post(
        { ...removalOf(first, { expect: { v: one } }), put: { v: two }, clear: [], adds: { '+v': '1' } },
        { ...removalOf(second, { expect: { v: two } }), adds: { '+v': '-5' } },
      ),
    ).toEqual(['written', 'lost']);
    expect(
      await post({ ...removalOf(second, { expect: { v: one } }), adds: { '+v': `-${digits}` } }),
    ).toEqual(['written']);
    expect(await table().read(first)).toEqual(itemOf(first, { v: two }));
    expect(await table().read(second)).toBeUndefined();
    expect(await table().read(head)).toMatchObject({ '+v': { N: '2' } });
  });

  test('refuses what a head cannot store exactly, and writes the entries beside it', async () => {
    const head = { pk: partition(), sk: 'head' };
    const [first, second, third] = ['a', 'b', 'c'].map((sk) => ({ ...head, sk }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('Expected keys');
    const post = (...actions: GuardedAction[]) =>
      table().port.transact({ key: head, expect: 'head' }, actions);

    expect(await post({ ...creationOf(first), adds: { '+v': '1' } })).toEqual(['written']);
    expect(
      await post(
        { ...creationOf(second), adds: { '+v': `0.${'0'.repeat(37)}1` } },
        { ...creationOf(third), adds: { '+v': `0.${'0'.repeat(36)}1` } },
      ),
    ).toEqual(['refused', 'written']);
    expect(await table().read(second)).toBeUndefined();
    expect(await table().read(head)).toMatchObject({ '+v': { N: `1.${'0'.repeat(36)}1` } });
  });

  test('creates copies with every type of value, and with unusual names', async () => {
    const root = await stored();
    const keys = ['b', 'ä\u0000#b'].map((sk) => ({ ...root, sk }));
    const attributes = { ...Object.fromEntries(unusualNames.map((name) => [name, one])), ...everyType };

    const outcomes = await table().port.transact(
      { key: root, expect: {} },
      keys.map((key) => creationOf(key, attributes)),
    );

    expect(outcomes).toEqual(['written', 'written']);
    for (const key of keys) expect(await table().read(key)).toEqual(itemOf(key, attributes));
  });

  test.each(roots)('has one outcome for all copies if the root %s', async (_, exists, expected, outcome) => {
    const root = exists ? await stored({ v: one }) : { pk: partition(), sk: 'a' };
    const [removed, ...created] = ['b', 'c', 'd'].map((sk) => ({ ...root, sk }));
    const condition = { key: root, expect: expected };
    const isWritten = outcome === 'written';
    if (removed === undefined) throw new Error('Expected a key');
    await table().put(itemOf(removed));

    expect(await table().port.transact(condition, [removalOf(removed)])).toEqual([outcome]);
    expect((await table().read(removed)) === undefined).toBe(isWritten);
    const creations = created.map((key) => creationOf(key));
    expect(await table().port.transact(condition, creations)).toEqual([outcome, outcome]);
    for (const key of created) expect((await table().read(key)) !== undefined).toBe(isWritten);
  });

  test('creates no copy by clearing it', async () => {
    const key = { pk: partition(), sk: 'a' };

    expect(await onAbsentRoot(removalOf(key, { clear: ['v'] }))).toEqual(['lost']);
    expect(await table().read(key)).toBeUndefined();
  });

  test('removes more copies than a transaction holds, without those that differ', async () => {
    const pk = partition();
    const keys = keysOf(250, pk);
    const kept = { pk, sk: '120' };
    const v = ({ sk }: ItemKey) => (sk === kept.sk ? two : one);
    await Promise.all(keys.slice(0, -1).map((key) => table().put(itemOf(key, { v: v(key) }))));

    const outcomes = await table().port.transact(
      absentRoot(pk),
      keys.map((key) => removalOf(key, { expect: { v: one } })),
    );

    expect(outcomes).toEqual(keys.map(({ sk }) => (['120', '249'].includes(sk) ? 'lost' : 'written')));
    expect((await table().port.query({ in: 'partition', pk }, 500)).entries).toEqual([
      keyedOf(kept, { v: two }),
    ]);
  });

  test('overwrites no item, refuses what DynamoDB never accepts, and creates the others', async () => {
    const root = await stored();
    const keys = keysOf(100, root.pk);
    const [taken = root, large = root, ...others] = keys;
    await table().put(itemOf(taken, { v: one }));

    const outcomes = await table().port.transact(
      { key: root, expect: {} },
      keys.map((key) => creationOf(key, { v: key === large ? largeValue : two })),
    );

    expect(outcomes).toEqual(['lost', 'refused', ...others.map(() => 'written')]);
    expect(await table().read(taken)).toEqual(itemOf(taken, { v: one }));
    expect(await table().read(large)).toBeUndefined();
    for (const key of others) expect(await table().read(key)).toEqual(itemOf(key, { v: two }));
  });

  test.each(values)('compares %s', async (_, value, alike, other) => {
    const key = await stored({ v: value });

    expect(await onAbsentRoot(removalOf(key, { expect: { v: other } }))).toEqual(['lost']);
    expect(await onAbsentRoot(removalOf(key, { expect: { v: alike } }))).toEqual(['written']);
  });

  test.each(unusualNames)('clears the name %j', async (name) => {
    const key = await stored({ [name]: one, kept: one });

    expect(await onAbsentRoot(removalOf(key, { clear: [name], expect: { [name]: one } }))).toEqual([
      'written',
    ]);
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
    expect(await table().port.transact(absentRoot(), [])).toEqual([]);
  });
}
