import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { QueriedLocation } from '../../../../src/model/items/copy-location.ts';
import type { Item, ItemKey, KeyedItem } from '../../../../src/model/items/item.ts';
import type { TableNames } from '../../../../src/model/items/table-names.ts';
import type { GuardedAction, GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { everyType, unusualKeys, unusualNames, values } from '../../../fixtures/model/samples.ts';
import {
  absentRoot,
  allPages,
  creationOf,
  itemOf,
  keyedOf,
  keysOf,
  removalOf,
  same,
  updateOf,
} from './table-fixture.ts';

/** A table under test: behind the port, and with access that bypasses it. */
export interface OpenedTable {
  readonly port: TablePort;
  readonly names: TableNames;
  /** Puts an item as an application would. */
  put(item: Item): Promise<void>;
  /** The current item. */
  read(key: ItemKey): Promise<Item | undefined>;
  stop(): Promise<void>;
}

const old: AttributeValue = { S: 'old' };
const fresh: AttributeValue = { S: 'new' };

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

/** The contract of every TablePort. The table’s names are those of table-fixture.ts. */
export function tablePortSuite(name: string, open: () => Promise<OpenedTable>): void {
  describe(`table port: ${name}`, () => {
    let opened: OpenedTable | undefined;
    let cases = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.stop();
    });
    const table = () => opened ?? expect.fail('Expected the table to be open');
    /** For this case alone. */
    const partition = () => `case ${++cases}`;
    /** The key of an item with these attributes, alone in its partition. */
    const stored = async (attributes?: Item): Promise<ItemKey> => {
      const key = { pk: partition(), sk: 'a' };
      await table().put(itemOf(key, attributes));
      return key;
    };

    describe('reads', () => {
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
        const items = keys
          .filter((_, index) => index % 2 === 0)
          .map((key) => keyedOf(key, { n: { N: key.sk } }));
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
        const backwards = await pagesOf({ in: 'partition', pk, begins: 'a/', backwards: true }, 3);
        expect(backwards.flat()).toEqual(inOrder.toReversed());
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
        expect((await pagesOf({ ...tagged, backwards: true }, 2, true)).flat()).toEqual(items.toReversed());
        const before = { in: 'index', index: 'ByTag', pk, to: 't#2' } as const;
        expect((await pagesOf(before, 2, true)).flat()).toEqual(items.slice(0, 3));
        for (const location of [tagged, { in: 'index', index: 'Turned', pk } as const])
          expect((await pagesOf(location, 2)).flat()).toEqual(keys.map((key) => keyedOf(key)));
      });
    });

    describe('updates', () => {
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
        'sets %s, and writes on condition of the current one',
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
        await Promise.all(
          keys.map((key, index) => table().put(itemOf(key, { a: isLost(index) ? fresh : old }))),
        );

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
    });

    describe('transactions', () => {
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
        if (first === undefined || second === undefined || third === undefined)
          throw new Error('Expected keys');
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

      test.each(roots)(
        'has one outcome for all copies if the root %s',
        async (_, exists, expected, outcome) => {
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
        },
      );

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

      test('without a root, puts and removes an item on its own condition alone', async () => {
        const key = { pk: partition(), sk: 'a' };
        const alone = (action: GuardedAction) => table().port.transact({ key, expect: 'none' }, [action]);

        expect(await alone(creationOf(key, { v: one }))).toEqual(['written']);
        expect(await alone(creationOf(key, { v: two }))).toEqual(['lost']);
        expect(await alone(removalOf(key, { expect: { v: two } }))).toEqual(['lost']);
        expect(await table().read(key)).toEqual(itemOf(key, { v: one }));
        expect(await alone(removalOf(key, { expect: { v: one } }))).toEqual(['written']);
        expect(await table().read(key)).toBeUndefined();
      });

      test('does nothing without copies', async () => {
        expect(await table().port.transact(absentRoot(), [])).toEqual([]);
      });
    });
  });
}

function bySk(a: KeyedItem, b: KeyedItem): number {
  return a.key.sk < b.key.sk ? -1 : 1;
}
