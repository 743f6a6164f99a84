import { describe, expect, test } from 'vitest';
import { backOff, patienceFor, type StubAnswer, type StubRequest, tableThat } from './stub-dynamodb.ts';
import { absentRoot, keysOf, removalOf } from './table-fixture.ts';

const root = absentRoot();
const shapeMessage = 'The provided key element does not match the schema';
const removalsOf = (count: number, size = 100) => keysOf(count).map((key) => removalOf(key, { size }));

/** The sort keys of a transaction’s items, in their order. */
function sksOf({ body }: StubRequest): unknown[] {
  return body.TransactItems.flatMap((item) => Object.values(item).map(({ Key }) => Key.Entry?.S));
}

/** Cancels a transaction that contains any of these items, with these codes; the others succeed. */
function cancelling(codes: Readonly<Record<string, string>>, request: StubRequest): StubAnswer {
  const reasons = sksOf(request).map((sk) => ({ Code: codes[String(sk)] ?? 'None' }));
  if (reasons.every(({ Code }) => Code === 'None')) return { result: {} };
  return { error: 'TransactionCanceledException', reasons };
}

/** A transaction cancelled with these codes, in the order of its items. */
function cancelled(...codes: (string | undefined)[]): StubAnswer {
  return { error: 'TransactionCanceledException', reasons: codes.map((Code) => ({ Code })) };
}

describe('removals', () => {
  test.each([
    ['ninety-nine per transaction', 200, 100, [99, 99, 2]],
    ['below the size limit', 20, 400_000, [8, 8, 4]],
  ])('are sent %s, with the root first, one transaction after another', async (_, count, size, expected) => {
    const { port, stub } = await tableThat(() => ({ result: {} }));

    expect(await port.transact(root, removalsOf(count, size))).toEqual(Array(count).fill('written'));
    expect(stub.requests.map((request) => sksOf(request).length - 1)).toEqual(expected);
    expect(stub.requests.every((request) => sksOf(request)[0] === 'root')).toBe(true);
    expect(stub.load.most).toBe(1);
  });

  test('whose condition failed or that are refused are omitted, and the others succeed', async () => {
    const { port, stub } = await tableThat((request) =>
      cancelling({ '1': 'ConditionalCheckFailed', '3': 'ValidationError' }, request),
    );

    expect(await port.transact(root, removalsOf(4))).toEqual(['written', 'lost', 'written', 'refused']);
    expect(stub.requests.map(sksOf)).toEqual([
      ['root', '0', '1', '2', '3'],
      ['root', '0', '2'],
    ]);
  });

  test.each([
    ['fail with their root, and the remaining ones are not sent', 'ConditionalCheckFailed', 'root', 1],
    ['are refused if their root’s condition is invalid', 'ValidationError', 'refused', 2],
  ])('all %s', async (_, code, outcome, requests) => {
    const { port, stub } = await tableThat((request) =>
      cancelling({ root: code, '1': 'ConditionalCheckFailed' }, request),
    );

    expect(await port.transact(root, removalsOf(150))).toEqual(Array(150).fill(outcome));
    expect(stub.requests).toHaveLength(requests);
  });

  test('are sent without the one that makes a head refuse the sum', async () => {
    const { port } = await tableThat((request) =>
      sksOf(request).includes('2') ? cancelling({ root: 'ValidationError' }, request) : { result: {} },
    );
    const head = { key: root.key, expect: 'head' } as const;

    expect(await port.transact(head, removalsOf(4))).toEqual(['written', 'written', 'refused', 'written']);
  });

  test.each(['TransactionConflict', 'ThrottlingError'])('are retried after %s', async (code) => {
    const { port, stub } = await tableThat((request, earlier) =>
      earlier === 0 ? cancelling({ '1': code, '2': 'ConditionalCheckFailed' }, request) : { result: {} },
    );

    expect(await port.transact(root, removalsOf(4))).toEqual(['written', 'written', 'lost', 'written']);
    expect(stub.requests.map(sksOf)).toEqual([
      ['root', '0', '1', '2', '3'],
      ['root', '0', '1', '3'],
    ]);
  });

  test('that conflict again and again are unavailable, and the rest succeed', async () => {
    const { port, stub } = await tableThat((request) => cancelling({ '1': 'TransactionConflict' }, request));

    expect(await port.transact(root, removalsOf(3))).toEqual(['written', 'unavailable', 'written']);
    expect(stub.requests).toHaveLength(backOff.attempts + 1);
  });

  test.each<[string, StubAnswer]>([
    ['whose root conflicts again and again', cancelled('TransactionConflict', 'None', 'None')],
    ['that are cancelled without reasons', { error: 'TransactionCanceledException' }],
    ['that are cancelled with empty reasons', cancelled('None', 'None', undefined)],
    ['whose transaction is still running', { error: 'TransactionInProgressException' }],
  ])('%s are unavailable', async (_, answer) => {
    const { port, stub } = await tableThat(() => answer);

    expect(await port.transact(root, removalsOf(2))).toEqual(['unavailable', 'unavailable']);
    expect(stub.requests).toHaveLength(backOff.attempts);
  });

  test('are unavailable if their transaction is not answered, and others succeed', async () => {
    const { port } = await tableThat(
      (request) => (sksOf(request).length === 100 ? 'silence' : { result: {} }),
      { requestTimeout: patienceFor('silence') },
    );

    expect(await port.transact(root, removalsOf(100))).toEqual([...Array(99).fill('unavailable'), 'written']);
  });

  test('are split until the invalid one is alone', async () => {
    const { port } = await tableThat((request) =>
      sksOf(request).includes('70')
        ? { error: 'ValidationException', message: 'Expression size has exceeded' }
        : { result: {} },
    );

    expect(await port.transact(root, removalsOf(99))).toEqual(Array(99).fill('written').with(70, 'refused'));
  });

  test.each<[string, StubAnswer, string]>([
    ['access is denied', { error: 'AccessDeniedException' }, 'aws.denied'],
    ['an action is denied', cancelled('None', 'AccessDenied'), 'aws.denied'],
    [
      'the table has another shape',
      {
        error: 'TransactionCanceledException',
        reasons: [{ Code: 'ValidationError', Message: shapeMessage }, { Code: 'None' }],
      },
      'table.other-shape',
    ],
  ])('throw a FatalError if %s', async (_, answer, code) => {
    const { port } = await tableThat(() => answer);

    await expect(port.transact(root, removalsOf(1))).rejects.toMatchObject({ name: 'FatalError', code });
  });
});
