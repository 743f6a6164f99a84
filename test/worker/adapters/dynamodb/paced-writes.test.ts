import { describe, expect, test } from 'vitest';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { updateOfSk } from './recorded-table.ts';
import { tableThat, written } from './stub-dynamodb.ts';
import { absentRoot, keysOf, removalOf } from './table-fixture.ts';

const root = absentRoot();
const capacity = { CapacityUnits: 7, Table: { CapacityUnits: 2 }, GlobalSecondaryIndexes: {} };
const updatesOf = (count: number) => keysOf(count).map(({ sk }) => updateOfSk(sk));
const removalsOf = (count: number) => keysOf(count).map((key) => removalOf(key));
const unusual = updatesOf(2).map((update) => ({ ...update, set: { 'a.b': { S: 'new' } } }));

describe('a request says what it cost the table, if somebody asks', () => {
  type Asking = Awaited<ReturnType<typeof tableThat>>;
  test.each<[string, (port: TablePort, options: Pick<Asking, 'onSpent'>) => Promise<unknown>, number[][]]>([
    ['get', (port, options) => port.get({ pk: 'p', sk: '1' }, options), [[2, 7]]],
    ['get many', (port, options) => port.getMany(keysOf(2), options), [[2, 7]]],
    ['update', (port, options) => port.update(updatesOf(3), options), [[2 + 3, 7 + 3]]],
    [
      'update one by one',
      (port, options) => port.update(unusual, options),
      [
        [2, 7],
        [2, 7],
      ],
    ],
    ['transact', (port, options) => port.transact(root, removalsOf(2), options), [[2, 7]]],
  ])('%s', async (_, ask, expected) => {
    const { port, stub, units, onSpent } = await tableThat((request) => ({
      result: { ...written(request).result, ConsumedCapacity: capacityIn(request.operation) },
    }));

    await ask(port, { onSpent });
    expect(units).toEqual(expected);
    await ask(port, {} as Pick<Asking, 'onSpent'>);
    expect(units).toEqual(expected);
    const asked = stub.requests.map(({ body }) => body['ReturnConsumedCapacity']);
    expect(asked).toEqual([...expected.map(() => 'INDEXES'), ...expected.map(() => undefined)]);
  });

  function capacityIn(operation: string) {
    if (operation === 'BatchExecuteStatement') return [capacity, { CapacityUnits: 3 }];
    return ['GetItem', 'UpdateItem'].includes(operation) ? capacity : [capacity];
  }

  test('a page with its entries', async () => {
    const { port } = await tableThat(() => ({ result: { Items: [], ConsumedCapacity: capacity } }));

    expect(await port.query({ in: 'partition', pk: 'p' }, 5)).toMatchObject({ units: 7 });
  });
});

describe('paced updates', () => {
  test('are not retried if they are throttled, unlike those that conflict', async () => {
    const Responses = [
      {},
      { Error: { Code: 'ThrottlingError' } },
      { Error: { Code: 'TransactionConflict' } },
    ];
    const { port, stub, units, paced } = await tableThat((request, earlier) =>
      earlier === 0 ? { result: { Responses } } : written(request),
    );

    expect(await port.update(updatesOf(3), paced)).toEqual(['written', 'throttled', 'written']);
    expect(stub.requests.map(({ body }) => body.Statements.length)).toEqual([3, 1]);
    expect(units).toEqual([]);
  });

  test('are throttled if the whole request is', async () => {
    const { port, paced } = await tableThat(() => ({ error: 'ThrottlingException' }));

    expect(await port.update(updatesOf(2), paced)).toEqual(['throttled', 'throttled']);
  });

  test('are throttled one by one where each is a request of its own', async () => {
    const { port, units, paced } = await tableThat(({ body }) =>
      JSON.stringify(body).includes('"S":"1"')
        ? { error: 'ProvisionedThroughputExceededException' }
        : { result: { ConsumedCapacity: capacity } },
    );

    expect(await port.update(unusual, paced)).toEqual(['written', 'throttled']);
    expect(units).toEqual([[2, 7]]);
  });
});

describe('paced removals', () => {
  const codes = (...some: string[]) => ({
    error: 'TransactionCanceledException',
    reasons: some.map((Code) => ({ Code })),
  });
  test.each([
    ['one of them is', codes('None', 'None', 'ThrottlingError', 'ConditionalCheckFailed'), 'lost'],
    ['their root is', codes('ThrottlingError', 'None', 'None', 'None'), 'throttled'],
    ['the whole request is', { error: 'ThrottlingException' }, 'throttled'],
  ])('are throttled without a retry if %s; conditions that failed are known', async (_, answer, last) => {
    const { port, stub, paced } = await tableThat(() => answer);

    expect(await port.transact(root, removalsOf(3), paced)).toEqual(['throttled', 'throttled', last]);
    expect(stub.requests).toHaveLength(1);
  });
});
