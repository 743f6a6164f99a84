import { expect, test } from 'vitest';
import { keyOfSk, recordedTable, updateOfSk } from '../worker/adapters/dynamodb/recorded-table.ts';
import { countingTable } from './counting-table.ts';

test('counts nothing before the first request', () => {
  expect(Object.values(countingTable(recordedTable().port).counts)).toEqual(Array(10).fill(0));
});

test('counts requests as DynamoDB does, and answers as the table does', async () => {
  const recorded = recordedTable();
  const { port, counts } = countingTable(recorded.port);
  const [a, b] = [recorded.put('a'), recorded.put('b')];
  const removal = { key: keyOfSk('a'), clear: undefined, expect: {}, size: 1 };

  expect(await port.get(keyOfSk('a'))).toEqual(a);
  expect(await port.get(keyOfSk('gone'))).toBeUndefined();
  expect(await port.getMany([keyOfSk('a')])).toEqual([a]);
  expect(
    await port.getMany(['a', 'b', ...Array.from({ length: 99 }, (_, index) => `${index}`)].map(keyOfSk)),
  ).toEqual([b, a]);
  expect(await port.getMany([])).toEqual([]);
  await port.query({ in: 'partition', pk: 'p' }, 10);
  await port.query({ in: 'index', index: 'ByTag', pk: 'p' }, 10);
  expect(await port.update([updateOfSk('a'), updateOfSk('b'), updateOfSk('gone')])).toEqual([
    'written',
    'written',
    'lost',
  ]);
  expect(await port.transact({ key: keyOfSk('root'), expect: 'absent' }, [removal, removal])).toEqual([
    'written',
    'root',
  ]);

  expect(counts).toEqual({
    gets: 3,
    batchReads: 2,
    itemsRead: 6,
    queries: 1,
    indexQueries: 1,
    writes: 3,
    written: 2,
    lost: 2,
    transactions: 1,
    removed: 1,
  });
});
