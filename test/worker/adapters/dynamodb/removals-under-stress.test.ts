import { describe, expect, test } from 'vitest';
import type { GuardedRemoval } from '../../../../src/model/guarded-write.ts';
import { backOff, patienceFor, type StubAnswer, type StubRequest, tableThat } from './stub-dynamodb.ts';

const root = { key: { pk: 'p', sk: 'root' }, expect: 'absent' } as const;

function removalsOf(count: number, size = 100): GuardedRemoval[] {
  return Array.from({ length: count }, (_, index) => ({
    key: { pk: 'p', sk: String(index) },
    clear: undefined,
    expect: {},
    size,
  }));
}

/** The sort keys of a transaction’s items, in their order. */
function sksOf({ body }: StubRequest): unknown[] {
  return body.TransactItems.flatMap((item) => Object.values(item).map(({ Key }) => Key.Entry?.S));
}

/** Cancels a transaction that contains any of these items, with these reasons; the others succeed. */
function cancelling(
  reasons: Readonly<Record<string, string | { Code: string; Message: string }>>,
  request: StubRequest,
): StubAnswer {
  const codes = sksOf(request).map((sk) => {
    const reason = reasons[String(sk)] ?? 'None';
    return typeof reason === 'string' ? { Code: reason } : reason;
  });
  if (codes.every(({ Code }) => Code === 'None')) return { result: {} };
  return { error: 'TransactionCanceledException', reasons: codes };
}

describe('removals', () => {
  test('are sent ninety-nine per transaction, with the root first, one transaction after another', async () => {
    const { port, stub } = await tableThat(() => ({ result: {} }));

    expect(await port.transact(root, removalsOf(200))).toEqual(Array(200).fill('written'));
    expect(stub.requests.map((request) => sksOf(request).length)).toEqual([100, 100, 3]);
    expect(stub.requests.every((request) => sksOf(request)[0] === 'root')).toBe(true);
    expect(stub.load.most).toBe(1);
  });

  test('keep each transaction below the size limit', async () => {
    const { port, stub } = await tableThat(() => ({ result: {} }));

    await port.transact(root, removalsOf(20, 400_000));

    expect(stub.requests.map((request) => sksOf(request).length - 1)).toEqual([8, 8, 4]);
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

  test('all fail with their root, and the remaining ones are not sent', async () => {
    const { port, stub } = await tableThat((request) =>
      cancelling({ root: 'ConditionalCheckFailed', '1': 'ConditionalCheckFailed' }, request),
    );

    expect(await port.transact(root, removalsOf(150))).toEqual(Array(150).fill('root'));
    expect(stub.requests).toHaveLength(1);
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

  test('are retried as long as one of them is answered each time', async () => {
    const { port, stub } = await tableThat((request, earlier) =>
      cancelling(
        { [earlier]: 'ConditionalCheckFailed', ...(earlier < 4 && { '4': 'TransactionConflict' }) },
        request,
      ),
    );

    expect(await port.transact(root, removalsOf(5))).toEqual(Array(5).fill('lost'));
    expect(stub.requests.length).toBeGreaterThan(backOff.attempts);
  });

  test('that conflict again and again are unavailable, and the rest succeed', async () => {
    const { port, stub } = await tableThat((request) => cancelling({ '1': 'TransactionConflict' }, request));

    expect(await port.transact(root, removalsOf(3))).toEqual(['written', 'unavailable', 'written']);
    expect(stub.requests).toHaveLength(backOff.attempts + 1);
  });

  test.each<[string, StubAnswer]>([
    [
      'whose root conflicts again and again',
      {
        error: 'TransactionCanceledException',
        reasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }, { Code: 'None' }],
      },
    ],
    ['that are cancelled without reasons', { error: 'TransactionCanceledException' }],
    [
      'that are cancelled with empty reasons',
      { error: 'TransactionCanceledException', reasons: [{ Code: 'None' }, { Code: 'None' }, {}] },
    ],
    ['whose transaction is still running', { error: 'TransactionInProgressException' }],
  ])('%s are unavailable', async (_, answer) => {
    const { port, stub } = await tableThat(() => answer);

    expect(await port.transact(root, removalsOf(2))).toEqual(['unavailable', 'unavailable']);
    expect(stub.requests).toHaveLength(backOff.attempts);
  });

  test.each<StubAnswer>([
    { error: 'ThrottlingException' },
    { error: 'InternalServerError', status: 500 },
    'silence',
  ])(
    'are unavailable if their transaction fails with %j, and those of other transactions succeed',
    async (answer) => {
      const { port } = await tableThat(
        (request) => (sksOf(request).length === 100 ? answer : { result: {} }),
        { requestTimeout: patienceFor(answer) },
      );

      expect(await port.transact(root, removalsOf(100))).toEqual([
        ...Array(99).fill('unavailable'),
        'written',
      ]);
    },
  );

  test('are split until the invalid one is alone', async () => {
    const { port } = await tableThat((request) =>
      sksOf(request).includes('70')
        ? { error: 'ValidationException', message: 'Expression size has exceeded' }
        : { result: {} },
    );

    const outcomes = await port.transact(root, removalsOf(99));

    expect(outcomes).toEqual(removalsOf(99).map(({ key }) => (key.sk === '70' ? 'refused' : 'written')));
  });

  test('are refused if their root’s condition is invalid', async () => {
    const { port } = await tableThat((request) => cancelling({ root: 'ValidationError' }, request));

    expect(await port.transact(root, removalsOf(2))).toEqual(['refused', 'refused']);
  });

  test.each<[string, StubAnswer, string]>([
    ['access is denied', { error: 'AccessDeniedException' }, 'aws.denied'],
    [
      'an action is denied',
      { error: 'TransactionCanceledException', reasons: [{ Code: 'None' }, { Code: 'AccessDenied' }] },
      'aws.denied',
    ],
    [
      'the table has another shape',
      {
        error: 'TransactionCanceledException',
        reasons: [
          { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
          { Code: 'None' },
        ],
      },
      'table.other-shape',
    ],
  ])('throw a FatalError if %s', async (_, answer, code) => {
    const { port } = await tableThat(() => answer);

    await expect(port.transact(root, removalsOf(1))).rejects.toMatchObject({ name: 'FatalError', code });
  });
});
