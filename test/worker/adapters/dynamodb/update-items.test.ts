import { describe, expect, test } from 'vitest';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import {
  type Body,
  backOff,
  patienceFor,
  type StubAnswer,
  type StubRequest,
  tableThat,
  written,
} from './stub-dynamodb.ts';
import { keysOf, updateOf } from './table-fixture.ts';

/** An update of one attribute. */
function settingOf(sk: string, name = 'a'): GuardedUpdate {
  return updateOf({ pk: 'p', sk }, { set: { [name]: { S: sk } } });
}

function updatesOf(count: number): GuardedUpdate[] {
  return keysOf(count).map(({ sk }) => settingOf(sk));
}

/** The sort keys in a request of statements: each statement here has one parameter before its key. */
function sksOf({ body }: { readonly body: Body }): unknown[] {
  return body.Statements.map(({ Parameters }) => Object.values(Parameters[2] ?? {})[0]);
}

/** Answers each statement by its sort key; the default is written. */
function statements(errors: Readonly<Record<string, object>>, request: StubRequest): StubAnswer {
  return { result: { Responses: sksOf(request).map((sk) => ({ Error: errors[String(sk)] })) } };
}

/** One of each kind of refusal that passes. */
const retried = ['ThrottlingError', 'TransactionConflict'];

describe('statements', () => {
  test.each(retried)('are retried by themselves after %s', async (Code) => {
    const { port, stub } = await tableThat((request, earlier) =>
      statements(earlier === 0 ? { '1': { Code }, '2': { Code: 'ConditionalCheckFailed' } } : {}, request),
    );

    expect(await port.update(updatesOf(4))).toEqual(['written', 'written', 'lost', 'written']);
    expect(stub.requests.map(sksOf)).toEqual([['0', '1', '2', '3'], ['1']]);
  });

  test.each(retried)('are unavailable if %s does not end, and the others are written', async (Code) => {
    const { port, stub } = await tableThat((request) => statements({ '1': { Code } }, request));

    expect(await port.update(updatesOf(3))).toEqual(['written', 'unavailable', 'written']);
    // The first request writes the others.
    expect(stub.requests).toHaveLength(1 + backOff.attempts);
  });

  test('are retried if they got no answer', async () => {
    const { port, stub } = await tableThat((request, earlier) =>
      earlier === 0 ? { result: { Responses: [{}] } } : written(request),
    );

    expect(await port.update(updatesOf(2))).toEqual(['written', 'written']);
    expect(stub.requests.map(sksOf)).toEqual([['0', '1'], ['1']]);
  });

  test.each<[StubAnswer, string]>([
    [{ result: {} }, 'written'],
    [{ error: 'ConditionalCheckFailedException' }, 'lost'],
    ['silence', 'unavailable'],
  ])('that are refused as invalid are updated one by one: %j is %s', async (answer, outcome) => {
    const { port, stub } = await tableThat(
      (request) =>
        request.operation === 'UpdateItem'
          ? answer
          : statements({ '1': { Code: 'ValidationError', Message: 'Type mismatch for Index Key' } }, request),
      { requestTimeout: patienceFor(answer) },
    );

    expect(await port.update(updatesOf(3))).toEqual(['written', outcome, 'written']);
    expect(stub.requests[1]).toMatchObject({ operation: 'UpdateItem', body: { Key: { Entry: { S: '1' } } } });
  });

  test('that are refused as a whole are written one by one', async () => {
    const { port, stub } = await tableThat(({ operation }) =>
      operation === 'UpdateItem' ? { result: {} } : { error: 'ValidationException' },
    );

    expect(await port.update(updatesOf(3))).toEqual(['written', 'written', 'written']);
    expect(stub.requests.map(({ operation }) => operation)).toEqual([
      'BatchExecuteStatement',
      ...Array(3).fill('UpdateItem'),
    ]);
  });

  test('are unavailable if their request is not answered, and others are written', async () => {
    const { port } = await tableThat(
      (request) => (sksOf(request).length === 25 ? 'silence' : written(request)),
      { requestTimeout: patienceFor('silence') },
    );

    expect(await port.update(updatesOf(26))).toEqual([...Array(25).fill('unavailable'), 'written']);
  });

  test('of other requests have finished when access is denied', async () => {
    const { port, stub } = await tableThat((request) =>
      sksOf(request).length === 25 ? { error: 'AccessDeniedException' } : written(request),
    );

    await expect(port.update(updatesOf(60))).rejects.toMatchObject({ code: 'aws.denied' });
    expect(stub.requests).toHaveLength(3);
    expect(stub.load.underWay).toBe(0);
  });

  test('are sent twenty-five per request, with limited parallel requests', async () => {
    const { port, stub } = await tableThat(written, { sideBySide: 3 });

    await Promise.all([port.update(updatesOf(130)), port.update(updatesOf(26))]);

    expect(stub.requests.map((request) => sksOf(request).length).sort((a, b) => a - b)).toEqual([
      ...[1, 5],
      ...Array(6).fill(25),
    ]);
    expect(stub.load.most).toBe(3);
  });

  test('with large values share a request with fewer others', async () => {
    const { port, stub } = await tableThat(written);
    const large = [
      { S: 'x'.repeat(390_000) },
      { L: [{ S: 'x'.repeat(390_000) }] },
      { B: new Uint8Array(390_000) },
    ] as const;

    await port.update(
      updatesOf(25).map((update, index) => ({ ...update, set: { a: large[index % 3] ?? large[0] } })),
    );

    expect(stub.requests.map((request) => sksOf(request).length).sort()).toEqual([4, 7, 7, 7]);
  });

  test('never contain an item twice in a request', async () => {
    const { port, stub } = await tableThat(written);

    expect(await port.update(['a', 'b', 'a', 'a'].map((sk) => settingOf(sk)))).toEqual(
      Array(4).fill('written'),
    );
    expect(stub.requests.map(sksOf)).toEqual([['a', 'b'], ['a'], ['a']]);
  });
});

describe('updates that no statement can express', () => {
  const odd = (sk: string) => settingOf(sk, 'a.b');

  test('are retried after a conflict with a transaction', async () => {
    const { port } = await tableThat((_, earlier) =>
      earlier === 0 ? { error: 'TransactionConflictException' } : { result: {} },
    );

    expect(await port.update([odd('a')])).toEqual(['written']);
  });

  test('are sent in limited parallel requests, and never create an item', async () => {
    const { port, stub } = await tableThat(() => ({ result: {} }), { sideBySide: 3 });

    await port.update(keysOf(10).map(({ sk }) => odd(sk)));

    expect(stub.load.most).toBe(3);
    expect(stub.requests).toHaveLength(10);
    for (const { body } of stub.requests)
      expect(body).toMatchObject({ ConditionExpression: expect.stringMatching(/^attribute_exists\(#\w+\)/) });
  });
});
