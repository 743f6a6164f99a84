import { describe, expect, test } from 'vitest';
import type { GuardedRemoval, GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { recordedTable, updateOfSk } from './recorded-table.ts';
import { tableThat } from './stub-dynamodb.ts';
import { names, tableName } from './table-fixture.ts';

const root = { key: { pk: 'p', sk: 'root' }, expect: 'absent' } as const;
const throttled = { Error: { Code: 'ThrottlingError' } };
const capacity = { CapacityUnits: 7, Table: { CapacityUnits: 2 }, GlobalSecondaryIndexes: {} };

function updatesOf(count: number): GuardedUpdate[] {
  return Array.from({ length: count }, (_, index) => updateOfSk(String(index)));
}

function removalsOf(count: number): GuardedRemoval[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ key: { pk: 'p', sk: String(index) }, clear: undefined, expect: {}, size: 100 },
  }));
}

describe('paced updates', () => {
  test('say what they cost the table, without its indexes', async () => {
    const { port, stub, units, onSpent } = await tableThat(({ body }) => ({
      result: {
        Responses: body.Statements.map(() => ({ TableName: tableName })),
        ConsumedCapacity: [capacity, capacity, { CapacityUnits: 7 }],
      },
    }));

    expect(await port.update(updatesOf(3), onSpent)).toEqual(['written', 'written', 'written']);
    expect(units).toEqual([4]);
    expect(stub.requests.map(({ body }) => body['ReturnConsumedCapacity'])).toEqual(['INDEXES']);
  });

  test('are not asked what they cost if nobody paces them', async () => {
    const { port, stub } = await tableThat(({ body }) => ({
      result: { Responses: body.Statements.map(() => ({ TableName: tableName })) },
    }));

    await port.update(updatesOf(1));

    expect(stub.requests.map(({ body }) => body['ReturnConsumedCapacity'])).toEqual([undefined]);
  });

  test('are not retried if they are throttled, unlike those that conflict', async () => {
    const conflict = { Error: { Code: 'TransactionConflict' } };
    const { port, stub, units, onSpent } = await tableThat(({ body }, earlier) => ({
      result: {
        Responses:
          earlier === 0
            ? [{ TableName: tableName }, throttled, conflict]
            : body.Statements.map(() => ({ TableName: tableName })),
      },
    }));

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

  test('fill requests of their own, beside those of others', async () => {
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
});

test.each(['update', 'transact'] as const)(
  'a coalescing table lets the caller of %s pace itself',
  async (kind) => {
    const units: number[] = [];
    const inner = recordedTable().port;
    const table = coalescingTable(
      {
        ...inner,
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
    const onSpent = (some: number) => void units.push(some);
    const writes = {
      update: () => table.update(updatesOf(1), onSpent),
      transact: () => table.transact(root, removalsOf(1), onSpent),
    };

    await writes[kind]();

    expect(units).toEqual([{ update: 1, transact: 2 }[kind]]);
  },
);

describe('paced removals', () => {
  test('say what they cost the table', async () => {
    const { port, units, onSpent } = await tableThat(() => ({ result: { ConsumedCapacity: [capacity] } }));

    expect(await port.transact(root, removalsOf(2), onSpent)).toEqual(['written', 'written']);
    expect(units).toEqual([2]);
  });

  test('are not retried if one of them is throttled; conditions that failed are known', async () => {
    const { port, stub, onSpent } = await tableThat(() => ({
      error: 'TransactionCanceledException',
      reasons: ['None', 'None', 'ThrottlingError', 'ConditionalCheckFailed'].map((Code) => ({ Code })),
    }));

    expect(await port.transact(root, removalsOf(3), onSpent)).toEqual(['throttled', 'throttled', 'lost']);
    expect(stub.requests).toHaveLength(1);
  });

  test('are throttled if their root is, or the whole request', async () => {
    const { port, onSpent } = await tableThat((_, earlier) =>
      earlier === 0
        ? { error: 'TransactionCanceledException', reasons: [{ Code: 'ThrottlingError' }, { Code: 'None' }] }
        : { error: 'ThrottlingException' },
    );

    expect(await port.transact(root, removalsOf(1), onSpent)).toEqual(['throttled']);
    expect(await port.transact(root, removalsOf(1), onSpent)).toEqual(['throttled']);
  });
});
