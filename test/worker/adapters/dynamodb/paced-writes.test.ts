import { describe, expect, test } from 'vitest';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { recordedTable, updateOfSk } from './recorded-table.ts';
import { tableThat, written } from './stub-dynamodb.ts';
import { absentRoot, keysOf, names, removalOf } from './table-fixture.ts';

const root = absentRoot();
const capacity = { CapacityUnits: 7, Table: { CapacityUnits: 2 }, GlobalSecondaryIndexes: {} };
const updatesOf = (count: number) => keysOf(count).map(({ sk }) => updateOfSk(sk));
const removalsOf = (count: number) => keysOf(count).map((key) => removalOf(key));

describe('paced updates', () => {
  test('say what they cost the table, without its indexes, only if somebody paces them', async () => {
    const { port, stub, units, onSpent } = await tableThat((request) => ({
      result: { ...written(request).result, ConsumedCapacity: [capacity, capacity, { CapacityUnits: 7 }] },
    }));

    expect(await port.update(updatesOf(3), onSpent)).toEqual(['written', 'written', 'written']);
    await port.update(updatesOf(1));

    expect(units).toEqual([4]);
    expect(stub.requests.map(({ body }) => body['ReturnConsumedCapacity'])).toEqual(['INDEXES', undefined]);
  });

  test('are not retried if they are throttled, unlike those that conflict', async () => {
    const Responses = [
      {},
      { Error: { Code: 'ThrottlingError' } },
      { Error: { Code: 'TransactionConflict' } },
    ];
    const { port, stub, units, onSpent } = await tableThat((request, earlier) =>
      earlier === 0 ? { result: { Responses } } : written(request),
    );

    expect(await port.update(updatesOf(3), onSpent)).toEqual(['written', 'throttled', 'written']);
    expect(stub.requests.map(({ body }) => body.Statements.length)).toEqual([3, 1]);
    expect(units).toEqual([]);
  });

  test('are throttled if the whole request is', async () => {
    const { port, onSpent } = await tableThat(() => ({ error: 'ThrottlingException' }));

    expect(await port.update(updatesOf(2), onSpent)).toEqual(['throttled', 'throttled']);
  });

  test('are throttled one by one where each is a request of its own', async () => {
    const unusual = updatesOf(2).map((update) => ({ ...update, set: { 'a.b': { S: 'new' } } }));
    const { port, units, onSpent } = await tableThat(({ body }) =>
      JSON.stringify(body).includes('"S":"1"')
        ? { error: 'ProvisionedThroughputExceededException' }
        : { result: { ConsumedCapacity: capacity } },
    );

    expect(await port.update(unusual, onSpent)).toEqual(['written', 'throttled']);
    expect(units).toEqual([2]);
  });
});

describe('paced removals', () => {
  test('say what they cost the table', async () => {
    const { port, units, onSpent } = await tableThat(() => ({ result: { ConsumedCapacity: [capacity] } }));

    expect(await port.transact(root, removalsOf(2), onSpent)).toEqual(['written', 'written']);
    expect(units).toEqual([2]);
  });

  const codes = (...some: string[]) => ({
    error: 'TransactionCanceledException',
    reasons: some.map((Code) => ({ Code })),
  });
  test.each([
    ['one of them is', codes('None', 'None', 'ThrottlingError', 'ConditionalCheckFailed'), 'lost'],
    ['their root is', codes('ThrottlingError', 'None', 'None', 'None'), 'throttled'],
    ['the whole request is', { error: 'ThrottlingException' }, 'throttled'],
  ])('are throttled without a retry if %s; conditions that failed are known', async (_, answer, last) => {
    const { port, stub, onSpent } = await tableThat(() => answer);

    expect(await port.transact(root, removalsOf(3), onSpent)).toEqual(['throttled', 'throttled', last]);
    expect(stub.requests).toHaveLength(1);
  });
});

describe('a coalescing table', () => {
  test('fills requests of paced updates apart from those of others', async () => {
    const { port, asked, put } = recordedTable();
    for (const sk of ['1', '2', '3']) put(sk);
    const table = coalescingTable(port, names);

    await Promise.all([
      table.update([updateOfSk('1')]),
      table.update([updateOfSk('2')]),
      table.update([updateOfSk('3')], () => undefined),
    ]);

    expect(asked.toSorted()).toEqual(['update 1,2', 'update 3']);
  });

  test('lets the callers of updates and transactions pace themselves', async () => {
    const table = coalescingTable(
      {
        ...recordedTable().port,
        async update(_, onSpent) {
          onSpent?.(1);
          return ['throttled'];
        },
        async transact(_, __, onSpent) {
          onSpent?.(2);
          return ['throttled'];
        },
      },
      names,
    );
    const units: number[] = [];

    await table.update(updatesOf(1), (some) => units.push(some));
    await table.transact(root, removalsOf(1), (some) => units.push(some));

    expect(units).toEqual([1, 2]);
  });
});
