import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainJson } from '../../../src/cli/archive/state-text.ts';
import { table } from '../../../src/table.ts';
import { attributes } from '../../fixtures/model/arbitraries.ts';

test('an item of every type reads as plain JSON, its keys first', () => {
  const text = plainJson(
    {
      SK: { S: 'METADATA' },
      PK: { S: 'ORDER#1' },
      Total: { N: '59.97' },
      Photo: { B: Uint8Array.from([0, 255]) },
      Paid: { BOOL: true },
      Note: { NULL: true },
      Tags: { SS: ['a', 'b'] },
      Sizes: { NS: ['1', '2.5'] },
      Keys: { BS: [Uint8Array.from([1])] },
      Lines: { L: [{ M: { Quantity: { N: '1' } } }, { L: [] }] },
      Empty: { M: {} },
    },
    table,
  );

  expect(JSON.parse(text)).toEqual({
    PK: 'ORDER#1',
    SK: 'METADATA',
    Total: 59.97,
    Photo: 'AP8=',
    Paid: true,
    Note: null,
    Tags: ['a', 'b'],
    Sizes: [1, 2.5],
    Keys: ['AQ=='],
    Lines: [{ Quantity: 1 }, []],
    Empty: {},
  });
  expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  expect(Object.keys(JSON.parse(text)).slice(0, 4)).toEqual(['PK', 'SK', 'Empty', 'Keys']);
});

test.each([
  ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
  ['0.10', '0.10'],
  ['1E+100', '1E+100'],
  ['+.5', '5e-1'],
  ['007', '7e0'],
])('the number %s keeps all its digits', (N, written) => {
  expect(plainJson({ N: { N } }, table)).toBe(`{\n  "N": ${written}\n}`);
});

test('any item is printed as JSON', () => {
  fc.assert(fc.property(attributes, (item) => void JSON.parse(plainJson(item, table))));
});
