import { expect, test } from 'vitest';
import { fromSdk } from '../../../../src/worker/adapters/dynamodb/table-access.ts';

test.each([
  ['an attribute', { Price: { $unknown: ['X', '1'] as [string, unknown] } }],
  ['a member of a list', { Prices: { L: [{ S: 'a' }, { $unknown: ['X', '1'] as [string, unknown] }] } }],
  [
    'a member of a map',
    { Prices: { M: { a: { M: { b: { $unknown: ['X', '1'] as [string, unknown] } } } } } },
  ],
])('an item is refused of which %s has a type that is not known here', (_, attributes) => {
  expect(() => fromSdk(attributes)).toThrow(expect.objectContaining({ code: 'table.unknown-type' }));
});
