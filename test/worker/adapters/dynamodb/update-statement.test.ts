import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import { statements } from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { access, updateOf } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const n: AttributeValue = { N: '1' };
const statementOf = (change: Partial<GuardedUpdate>, worded = statements(access)) =>
  worded(updateOf({ pk: 'p', sk: 's' }, { set: { x: a }, ...change }));

test.each<[string, Partial<GuardedUpdate>, string, AttributeValue[]]>([
  [
    'lists the values to set, adds REMOVE for each name, and compares after the key',
    { set: { x: a, y: n }, remove: ['u', 'v'], expect: { x: n, u: a, w: undefined } },
    'SET "x"=?,"y"=? REMOVE "u" REMOVE "v" WHERE "Owner"=? AND "Entry"=? AND "x"=? AND "u"=? AND "w" IS MISSING',
    [a, n, { S: 'p' }, { S: 's' }, n, a],
  ],
  [
    'omits SET if it only removes, and the key from the comparisons',
    { set: {}, remove: ['u'], expect: { Owner: { S: 'p' }, Entry: { S: 's' }, TagPk: a } },
    'REMOVE "u" WHERE "Owner"=? AND "Entry"=? AND "TagPk"=?',
    [{ S: 'p' }, { S: 's' }, a],
  ],
])('%s', (_, change, wording, Parameters) => {
  expect(statementOf(change)).toEqual({ Statement: `UPDATE "things.of-test" ${wording}`, Parameters });
});

test('is worded as if it were the first, whatever names were set, removed or compared before', () => {
  const worded = statements(access);
  const order = ['u', 'v', 'w', 'x', 'y', 'z'];
  const cuts = [1, 2, 3].flatMap((first) =>
    [first + 1, first + 2].flatMap((b) => [b + 1, b + 2].map((c) => [first, b, c] as const)),
  );
  for (const [first, second, third] of cuts) {
    const valued = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, a]));
    const absent = Object.fromEntries(order.slice(third).map((name) => [name, undefined]));
    const change = {
      set: valued(order.slice(0, first)),
      remove: order.slice(first, second),
      expect: { ...valued(order.slice(second, third)), ...absent },
    };

    expect(statementOf(change, worded)).toEqual(statementOf(change));
  }
  expect(statementOf({ expect: { x: a, w: undefined } }, worded)?.Statement).toMatch(
    /"x"=\? AND "w" IS MISSING$/,
  );
  expect(statementOf({ expect: { x: undefined, w: n } }, worded)?.Statement).toMatch(
    /"w"=\? AND "x" IS MISSING$/,
  );
});

test.each<[string, Partial<GuardedUpdate>]>([
  ['sets an unusual name', { set: { 'a.b': a } }],
  ['removes an unusual name', { remove: ['a[0]'] }],
  ['compares an unusual name', { expect: { 'a"b': a } }],
  ['expects the absence of an unusual name', { expect: { '': undefined } }],
  ['changes nothing', { set: {} }],
])('is not created if an update %s', (_, change) => {
  expect(statementOf(change)).toBeUndefined();
});

test('is not created if it would be longer than DynamoDB allows', () => {
  const expecting = (length: number) => statementOf({ expect: { ['m'.repeat(length)]: undefined } });
  const room = 8192 - (expecting(8000)?.Statement?.length ?? 0);

  expect(expecting(8000 + room)?.Statement).toHaveLength(8192);
  expect(expecting(8000 + room + 1)).toBeUndefined();
});
