import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import { Expression } from '../../../../src/worker/adapters/dynamodb/expression.ts';
import { names } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const many = (count: number, stem: string) => Array.from({ length: count }, (_, index) => `${stem}${index}`);

test('shares a placeholder among all uses of a name', () => {
  const expression = new Expression(names);

  expect(expression.update({ x: a }, ['y'])).toBe('SET #0=:0 REMOVE #1');
  expect(expression.condition({ x: a, y: undefined, Owner: a, Entry: a })).toBe(
    'attribute_exists(#2) AND #0=:1 AND attribute_not_exists(#1)',
  );
  expect(expression.parameters()).toEqual({
    ExpressionAttributeNames: { '#0': 'x', '#1': 'y', '#2': 'Owner' },
    ExpressionAttributeValues: { ':0': a, ':1': a },
  });
});

test('has no values if it needs none', () => {
  const expression = new Expression(names);

  expect(expression.absence()).toBe('attribute_not_exists(#0)');
  expect(expression.parameters()).toEqual({ ExpressionAttributeNames: { '#0': 'Owner' } });
});

// 4,096 bytes and 300 operators and functions; AWS, "Quotas", expression parameters.
test.each([
  ['existing', a],
  ['missing', undefined],
])('compares 120 %s attributes beside 100 changes within the limits of DynamoDB', (_, value) => {
  const expression = new Expression(names);
  const update = expression.update(Object.fromEntries(many(50, 'y').map((name) => [name, a])), many(50, 'z'));
  const condition = expression.condition(Object.fromEntries(many(120, 'x').map((name) => [name, value])));

  expect(update.length).toBeLessThanOrEqual(4096);
  expect(condition.length).toBeLessThanOrEqual(4096);
  expect(condition.match(/=| AND |attribute_\w+\(/g)?.length).toBeLessThanOrEqual(300);
});
