import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import { guardedExpressions } from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { names } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const many = <Value>(count: number, stem: string, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${stem}${index}`, value]));

test('share a placeholder among all uses of a name, and compare no key', () => {
  const expected = { x: a, y: undefined, Owner: a, Entry: a };

  expect(guardedExpressions(names, { set: { x: a }, remove: ['y'], expect: expected })).toEqual({
    UpdateExpression: 'SET #0=:0 REMOVE #1',
    ConditionExpression: 'attribute_exists(#2) AND #0=:1 AND attribute_not_exists(#1)',
    ExpressionAttributeNames: { '#0': 'x', '#1': 'y', '#2': 'Owner' },
    ExpressionAttributeValues: { ':0': a, ':1': a },
  });
});

test('of an item that must not exist have no values, and change nothing', () => {
  expect(guardedExpressions(names, { expect: 'absent' })).toEqual({
    ConditionExpression: 'attribute_not_exists(#0)',
    ExpressionAttributeNames: { '#0': 'Owner' },
  });
});

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
