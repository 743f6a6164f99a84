import { expect, test, vi } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import type { ItemKey } from '../../../../src/model/item.ts';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import type { OnUnread } from '../../../../src/worker/ports.ts';
import { keyOfSk, recordedTable, updateOfSk } from './recorded-table.ts';
import { names } from './table-fixture.ts';

function coalesced() {
  const recorded = recordedTable();
  return { ...recorded, table: coalescingTable(recorded.port, names) };
}

test('reads once for all callers in one turn of the event loop, and each key once', async () => {
  const { table, asked, put } = coalesced();
  const [a, b] = [put('a'), put('b')];

  const answers = await Promise.all([
    table.get(keyOfSk('a')),
    table.get(keyOfSk('a')),
    table.getMany([keyOfSk('b'), keyOfSk('gone'), keyOfSk('a')]),
    table.get(keyOfSk('gone')),
  ]);

  expect(answers).toEqual([a, a, [b, a], undefined]);
  expect(asked).toEqual(['getMany a,b,gone']);
});

test('reads again when it is asked for the same list of keys', async () => {
  const { table, asked } = coalesced();
  const keys = [keyOfSk('a'), keyOfSk('b')];

  await table.getMany(keys);
  await table.getMany(keys);

  expect(asked).toEqual(['getMany a,b', 'getMany a,b']);
});

test('reads one key with GetItem, for any number of callers', async () => {
  const { table, asked, put } = coalesced();
  const a = put('a');

  expect(await Promise.all([table.get(keyOfSk('a')), table.getMany([keyOfSk('a')])])).toEqual([a, [a]]);
  expect(asked).toEqual(['get a']);
});

test('merges a hundred callers that each read and then write', async () => {
  const { table, asked, put } = coalesced();
  const sks = Array.from({ length: 100 }, (_, index) => String(index));
  for (const sk of sks) put(sk);

  await Promise.all(
    sks.map(async (sk) => {
      await table.get(keyOfSk(sk));
      expect(await table.update([updateOfSk(sk)])).toEqual(['written']);
    }),
  );

  expect(asked).toEqual([`getMany ${sks.join()}`, `update ${sks.join()}`]);
});

test('never answers from a read that started before the request', async () => {
  const { table, asked, put, hold } = coalesced();
  const key = keyOfSk('a');
  put('a', { S: 'old' });
  const release = hold();
  const first = table.get(key);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual(['get a']);

  const fresh = put('a', { S: 'new' });
  const second = table.get(key);
  release();

  expect(await second).toEqual(fresh);
  expect(await first).not.toEqual(fresh);
  expect(asked).toEqual(['get a', 'get a']);
});

test('merges what arrives while a read is in flight, but holds it up for a moment only', async () => {
  const { table, asked, put, hold } = coalesced();
  for (const sk of ['a', 'b', 'c']) put(sk);
  const release = hold();
  const first = table.get(keyOfSk('a'));
  await new Promise((resolve) => setImmediate(resolve));

  const second = table.get(keyOfSk('b'));
  await new Promise((resolve) => setImmediate(resolve));
  const third = table.get(keyOfSk('c'));
  expect(asked).toEqual(['get a']);

  // The first read is still unanswered.
  await vi.waitFor(() => expect(asked).toEqual(['get a', 'getMany b,c']));
  release();
  expect((await Promise.all([first, second, third])).map((item) => item !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
});

test('caches nothing from one turn to the next', async () => {
  const { table, put } = coalesced();
  const key = keyOfSk('a');
  put('a', { S: 'old' });
  await table.get(key);
  const fresh = put('a', { S: 'new' });

  expect(await table.get(key)).toEqual(fresh);
});

test('gives each caller its own outcomes, and writes the updates of one item one after another', async () => {
  const { table, asked, put } = coalesced();
  put('a');
  put('b');

  const outcomes = await Promise.all([
    table.update([updateOfSk('a'), updateOfSk('gone')]),
    table.update([updateOfSk('b'), updateOfSk('a')]),
    table.update([]),
  ]);

  expect(outcomes).toEqual([['written', 'lost'], ['written', 'written'], []]);
  expect(asked).toEqual(['update a,gone,b', 'update a']);
});

test('reports an error to every caller concerned', async () => {
  const { table, fail } = coalesced();
  const error = new FatalError('aws.denied', 'no');
  fail(error);

  const asked = [
    table.get(keyOfSk('a')),
    table.getMany([keyOfSk('b'), keyOfSk('c')]),
    table.update([updateOfSk('a')]),
    table.update([updateOfSk('b')]),
  ];

  for (const { status, ...settled } of await Promise.allSettled(asked))
    expect({ status, ...settled }).toEqual({ status: 'rejected', reason: error });
});

test('passes on queries and removals unchanged', async () => {
  const { table, asked } = coalesced();

  await table.query({ in: 'partition', pk: 'p' }, 1);
  await table.query({ in: 'index', index: 'ByTag', pk: 'q' }, 1);
  await table.transact({ key: keyOfSk('root'), expect: 'absent' }, [
    { key: keyOfSk('a'), clear: undefined, expect: {}, size: 1 },
  ]);

  expect(asked).toEqual(['query of partition p', 'query of index q', 'transact a']);
});

test('tells each caller which of its keys were left, and reads those of callers that need all', async () => {
  const { port, asked, put } = recordedTable();
  for (const sk of ['a', 'b', 'c']) put(sk);
  const leaving = {
    ...port,
    getMany: (keys: readonly ItemKey[], onUnread?: OnUnread) => {
      if (onUnread === undefined) return port.getMany(keys);
      onUnread(keys.slice(1));
      return port.getMany(keys.slice(0, 1));
    },
  };
  const table = coalescingTable(leaving, names);
  const left: string[] = [];
  const note = (keys: readonly ItemKey[]) => left.push(keys.map(({ sk }) => sk).join());

  const [ab, c, root] = await Promise.all([
    table.getMany([keyOfSk('a'), keyOfSk('b')], note),
    table.getMany([keyOfSk('c')], note),
    table.get(keyOfSk('b')),
  ]);

  expect([ab.length, c.length, root?.[names.sk]]).toEqual([1, 0, { S: 'b' }]);
  expect(left).toEqual(['b', 'c']);
  expect(asked).toEqual(['getMany a', 'get b']);
});
