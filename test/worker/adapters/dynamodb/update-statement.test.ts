import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import { statements } from '../../../../src/worker/adapters/dynamodb/update-statement.ts';
import { access } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const n: AttributeValue = { N: '1' };
const statementOf = statements(access);

function updateOf(change: Partial<GuardedUpdate>): GuardedUpdate {
  return { key: { pk: 'p', sk: 's' }, set: { x: a }, remove: [], expect: {}, ...change };
}

test('lists the values to set, adds REMOVE for each name, and compares after the key', () => {
  const update = updateOf({ set: { x: a, y: n }, remove: ['u', 'v'], expect: { x: n, u: a, w: undefined } });

  expect(statementOf(update)).toEqual({
    Statement:
      'UPDATE "things.of-test" SET "x"=?,"y"=? REMOVE "u" REMOVE "v" WHERE "Owner"=? AND "Entry"=? AND "x"=? AND "u"=? AND "w" IS MISSING',
    Parameters: [a, n, { S: 'p' }, { S: 's' }, n, a],
  });
});

test('is worded anew if another of the same attributes is expected to be missing', () => {
  const [one, other] = [
    { x: a, w: undefined },
    { x: undefined, w: n },
  ].map((expect) => statementOf(updateOf({ expect })));

  expect(one?.Statement).toMatch(/"x"=\? AND "w" IS MISSING$/);
  expect(other?.Statement).toMatch(/"w"=\? AND "x" IS MISSING$/);
});

test('is worded as if it were the first, whatever names were set, removed or compared before', () => {
  const order = ['u', 'v', 'w', 'x', 'y', 'z'];
  const cuts = [1, 2, 3].flatMap((a) =>
    [a + 1, a + 2].flatMap((b) => [b + 1, b + 2].map((c) => [a, b, c] as const)),
  );
  for (const [a1, b1, c1] of cuts) {
    const valued = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, a]));
    const absent = Object.fromEntries(order.slice(c1).map((name) => [name, undefined]));
    const update = updateOf({
      set: valued(order.slice(0, a1)),
      remove: order.slice(a1, b1),
      expect: { ...valued(order.slice(b1, c1)), ...absent },
    });

    expect(statementOf(update)).toEqual(statements(access)(update));
  }
});

test('omits SET if it only removes, and the key from the comparisons', () => {
  const update = updateOf({
    set: {},
    remove: ['u'],
    expect: { Owner: { S: 'p' }, Entry: { S: 's' }, TagPk: a },
  });

  expect(statementOf(update)).toEqual({
    Statement: 'UPDATE "things.of-test" REMOVE "u" WHERE "Owner"=? AND "Entry"=? AND "TagPk"=?',
    Parameters: [{ S: 'p' }, { S: 's' }, a],
  });
});

test.each([
  ['sets', updateOf({ set: { 'a.b': a } })],
  ['removes', updateOf({ remove: ['a[0]'] })],
  ['compares', updateOf({ expect: { 'a"b': a } })],
  ['expects the absence of', updateOf({ expect: { '': undefined } })],
])('is not created if an update %s an unusual name', (_, update) => {
  expect(statementOf(update)).toBeUndefined();
});

test('is not created for an update that changes nothing', () => {
  expect(statementOf(updateOf({ set: {} }))).toBeUndefined();
});

test('is not created if it would be longer than DynamoDB allows', () => {
  const expectation = (length: number) => ({ ['m'.repeat(length)]: undefined });
  const longest = statementOf(updateOf({ expect: expectation(8000) }));
  const room = 8192 - (longest?.Statement?.length ?? 0);

  expect(statementOf(updateOf({ expect: expectation(8000 + room) }))?.Statement).toHaveLength(8192);
  expect(statementOf(updateOf({ expect: expectation(8000 + room + 1) }))).toBeUndefined();
});
