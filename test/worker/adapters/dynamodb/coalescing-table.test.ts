import { expect, test, vi } from 'vitest';
import { FatalError } from '../../../../src/model/basics/errors.ts';
import type { ItemKey } from '../../../../src/model/items/item.ts';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { systemClock } from '../../../../src/worker/adapters/system-clock.ts';
import type { ReadOptions, TablePort } from '../../../../src/worker/ports.ts';
import { keyOfSk, recordedTable, updateOfSk } from './recorded-table.ts';
import { absentRoot, names } from './table-fixture.ts';

/** A coalescing table over a recorded one, which contains these items. */
function coalesced(sks: readonly string[], decorated: (port: TablePort) => TablePort = (port) => port) {
  const recorded = recordedTable();
  const items = sks.map((sk) => recorded.put(sk));
  return { ...recorded, items, table: coalescingTable(decorated(recorded.port)) };
}

/** Reads one key of a request that may leave others. */
const leavingMost = (port: TablePort): TablePort => ({
  ...port,
  getMany(keys: readonly ItemKey[], { onUnread }: ReadOptions = {}) {
    if (onUnread === undefined) return port.getMany(keys);
    onUnread(keys.slice(1));
    return port.getMany(keys.slice(0, 1));
  },
});

/** Some promises later, as a caller asks that has waited for something else. */
async function laterInTurn(): Promise<void> {
  for (let awaited = 0; awaited < 5; awaited += 1) await undefined;
}

const eventLoopTurn = () => new Promise((resolve) => setImmediate(resolve));

test('reads once for all callers in one turn of the event loop, and each key once', async () => {
  const { table, asked, items } = coalesced(['a', 'b']);
  const [a, b] = items;
  expect(await Promise.all([table.get(keyOfSk('a')), table.getMany([keyOfSk('a')])])).toEqual([a, [a]]);

  const answers = await Promise.all([
    table.get(keyOfSk('a')),
    table.get(keyOfSk('a')),
    table.getMany([keyOfSk('b'), keyOfSk('gone'), keyOfSk('a')]),
    laterInTurn().then(() => table.get(keyOfSk('gone'))),
  ]);

  expect(answers).toEqual([a, a, [b, a], undefined]);
  expect(asked).toEqual(['getMany a', 'getMany a,b,gone']);
});

test('never answers from a read that started before the request', async () => {
  const { table, asked, put, hold } = coalesced(['a']);
  const key = keyOfSk('a');
  const release = hold();
  const first = table.get(key);
  await eventLoopTurn();
  expect(asked).toEqual(['getMany a']);

  const second = put('a', { S: 'second' });
  const answers = [first, table.get(key)];
  release();

  expect(await Promise.all(answers)).toEqual([expect.not.objectContaining(second), second]);
  const third = put('a', { S: 'third' });
  expect(await table.get(key)).toEqual(third);
  expect(asked).toEqual(['getMany a', 'getMany a', 'getMany a']);
});

test('merges what arrives while a read is in flight, but holds it up for a moment only', async () => {
  const { table, asked, items, hold } = coalesced(['a', 'b', 'c']);
  const patience = Promise.withResolvers<void>();
  vi.spyOn(systemClock, 'sleep').mockReturnValueOnce(patience.promise);
  const release = hold();
  const reads = [];
  for (const sk of ['a', 'b', 'c']) {
    reads.push(table.get(keyOfSk(sk)));
    await eventLoopTurn();
  }
  expect(asked).toEqual(['getMany a']);

  // The first read is still unanswered.
  patience.resolve();
  await vi.waitFor(() => expect(asked).toEqual(['getMany a', 'getMany b,c']));
  release();
  expect(await Promise.all(reads)).toEqual(items);
});

test('gives each caller its own outcomes', async () => {
  const { table, asked } = coalesced(['a', 'b']);

  const outcomes = await Promise.all([
    table.update([updateOfSk('a'), updateOfSk('gone')]),
    table.update([updateOfSk('b'), updateOfSk('a')]),
    table.update([]),
  ]);

  expect(outcomes).toEqual([['written', 'lost'], ['written', 'written'], []]);
  expect(asked).toEqual(['update a,gone,b,a']);
});

test('reports an error to every caller concerned', async () => {
  const { table, fail } = coalesced([]);
  const error = new FatalError('aws.denied', 'no');
  fail(error);

  const asked = [
    table.get(keyOfSk('a')),
    table.getMany([keyOfSk('b'), keyOfSk('c')]),
    table.update([updateOfSk('a')]),
    table.update([updateOfSk('b')]),
  ];

  const rejected = { status: 'rejected', reason: error };
  expect(await Promise.allSettled(asked)).toEqual([rejected, rejected, rejected, rejected]);
});

test('tells each caller its own unread keys, and reads for who needs all', async () => {
  const { table, asked } = coalesced(['a', 'b', 'c'], leavingMost);
  const left: string[] = [];
  const note = (keys: readonly ItemKey[]) => left.push(keys.map(({ sk }) => sk).join());

  const [ab, c, root] = await Promise.all([
    table.getMany([keyOfSk('a'), keyOfSk('b')], { onUnread: note }),
    table.getMany([keyOfSk('c')], { onUnread: note }),
    table.get(keyOfSk('b')),
  ]);

  expect([ab.length, c.length, root?.item[names.sk]]).toEqual([1, 0, { S: 'b' }]);
  expect(left).toEqual(['b', 'c']);
  expect(asked).toEqual(['getMany a', 'getMany b']);
});

test('sends paced updates and transactions apart from those of others', async () => {
  const asked: unknown[] = [];
  const { table } = coalesced([], (port) => ({
    ...port,
    async update(updates, options) {
      asked.push([updates.length, options]);
      return updates.map(() => 'written');
    },
    async transact(_, __, options) {
      asked.push(options);
      return [];
    },
  }));
  const paced = { isPaced: true };

  await Promise.all([
    table.update([updateOfSk('1')]),
    table.update([updateOfSk('2')]),
    table.update([updateOfSk('3')], paced),
    table.transact(absentRoot(), [], paced),
  ]);

  expect(asked).toEqual([[1, paced], paced, [2, undefined]]);
});

test('asks for the keys of a single caller as it does, and tells it what was left', async () => {
  const { table, asked } = coalesced(['a', 'b'], leavingMost);
  const left: (readonly ItemKey[])[] = [];

  const read = await table.getMany([keyOfSk('a'), keyOfSk('b')], { onUnread: (keys) => left.push(keys) });

  expect(read.map(({ key }) => key)).toEqual([keyOfSk('a')]);
  expect([left, asked]).toEqual([[[keyOfSk('b')]], ['getMany a']]);
});
