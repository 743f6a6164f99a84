import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import { Expression } from '../../../../src/worker/adapters/dynamodb/expression.ts';
import { fromSdk, toSdk } from '../../../../src/worker/adapters/dynamodb/sdk-values.ts';
import { conditionCheck, transactItem } from '../../../../src/worker/adapters/dynamodb/transact-actions.ts';
import { statements } from '../../../../src/worker/adapters/dynamodb/update-statement.ts';
import { access, names } from './table-fixture.ts';

const key = { pk: 'p', sk: 's' };

const digits = [
  '12345678901234567890123456789012345678',
  '-0.12345678901234567890123456789012345678',
  '1E-130',
];
const number: AttributeValue = { N: digits[0] ?? '' };
const numbers: AttributeValue = { NS: digits };

/** Numbers that JavaScript would round, in every place where a value can contain one. */
const exact: [where: string, value: AttributeValue][] = [
  ['a number', number],
  ['a set of numbers', numbers],
  ['a list', { L: [number, numbers, { L: [numbers] }] }],
  ['a map', { M: { number, numbers, inner: { M: { numbers, list: { L: [number] } } } } }],
];

describe.each(exact)('every digit of %s survives', (_, value) => {
  test('in writes and reads', () => {
    expect(toSdk(value)).toEqual(value);
    expect(fromSdk({ value: toSdk(value) })).toEqual({ value });
  });

  test('in a statement that sets it, and in one that compares it', () => {
    const update = { key, set: { x: value }, remove: [], expect: { y: value } };

    expect(statements(access)(update)?.Parameters).toEqual([value, { S: 'p' }, { S: 's' }, value]);
  });

  test('in an update, and in its condition', () => {
    const expression = new Expression(names);
    expression.update({ x: value }, []);
    expression.condition({ y: value });

    expect(Object.values(expression.parameters().ExpressionAttributeValues ?? {})).toEqual([value, value]);
  });

  test('in the conditions of a removal, on the copy and on its root', () => {
    const check = conditionCheck(access, { key, expect: { x: value } });
    const removal = transactItem(access, { key, expect: { x: value }, clear: undefined, size: 1 });

    for (const action of [check.ConditionCheck, removal.Delete])
      expect(Object.values(action?.ExpressionAttributeValues ?? {})).toEqual([value]);
  });
});
