import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import {
  guardedExpressions,
  statements,
} from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { fromSdk, toSdk } from '../../../../src/worker/adapters/dynamodb/sdk-values.ts';
import { ofRoot, transactItem } from '../../../../src/worker/adapters/dynamodb/transact-items.ts';
import { access, names, removalOf, updateOf } from './table-fixture.ts';

const key = { pk: 'p', sk: 's' };

const digits = [
  '12345678901234567890123456789012345678',
  '-0.12345678901234567890123456789012345678',
  '1E-130',
];
const number: AttributeValue = { N: digits[0] ?? '' };
const numbers: AttributeValue = { NS: digits };

/** Numbers that JavaScript would round, in every place where a value can contain one. */
test.each<[where: string, value: AttributeValue]>([
  ['a number', number],
  ['a set of numbers', numbers],
  ['a list', { L: [number, numbers, { L: [numbers] }] }],
  ['a map', { M: { number, numbers, inner: { M: { numbers, list: { L: [number] } } } } }],
])('every digit of %s survives in reads and in every kind of write', (_, value) => {
  expect(toSdk(value)).toEqual(value);
  expect(fromSdk({ value: toSdk(value) })).toEqual({ value });

  const update = updateOf(key, { set: { x: value }, expect: { y: value } });
  expect(statements(access)(update)?.Parameters).toEqual([value, { S: 'p' }, { S: 's' }, value]);

  const { ExpressionAttributeValues } = guardedExpressions(names, update);
  expect(ExpressionAttributeValues).toEqual({ ':0': value, ':1': value });

  const check = ofRoot(access, { key, expect: { x: value } }, []);
  const removal = transactItem(access, removalOf(key, { expect: { x: value } }));
  for (const action of [check.ConditionCheck, removal.Delete])
    expect(action?.ExpressionAttributeValues).toEqual({ ':0': value });
});
