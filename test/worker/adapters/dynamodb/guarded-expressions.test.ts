import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import {
  guardedExpressions,
  statements,
} from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { access, names, updateOf } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const many = <Value>(count: number, stem: string, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${stem}${index}`, value]));

// 4,096 bytes and 300 operators and functions; AWS, "Quotas", expression parameters.
test.each([
  ['existing', a],
  ['missing', undefined],
])('compare 120 %s attributes beside 100 changes within the limits of DynamoDB', (_, value) => {
  const { UpdateExpression = '', ConditionExpression = '' } = guardedExpressions(names, {
    ...{ set: many(50, 'y', a), remove: Object.keys(many(50, 'z', a)), expect: many(120, 'x', value) },
  });

  expect(UpdateExpression.length).toBeLessThanOrEqual(4096);
  expect(ConditionExpression.length).toBeLessThanOrEqual(4096);
  expect(ConditionExpression.match(/=| AND |attribute_\w+\(/g)?.length).toBeLessThanOrEqual(300);
});

const n: AttributeValue = { N: '1' };
const statementOf = (change: Partial<GuardedUpdate>, worded = statements(access)) =>
  worded(updateOf({ pk: 'p', sk: 's' }, { set: { x: a }, ...change }));

test('a statement is worded as if it were the first', () => {
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

test('a statement is not created if it would be longer than DynamoDB allows', () => {
  const expecting = (length: number) => statementOf({ expect: { ['m'.repeat(length)]: undefined } });
  const room = 8192 - (expecting(8000)?.Statement?.length ?? 0);

  expect(expecting(8000 + room)?.Statement).toHaveLength(8192);
  expect(expecting(8000 + room + 1)).toBeUndefined();
});
