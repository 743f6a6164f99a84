import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import { guardedExpressions } from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { names } from './table-fixture.ts';

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
