import { expect, test } from 'vitest';
import { keyJson, namedKey, shortText } from '../../../src/cli/output/text.ts';
import { itemToJson } from '../../../src/model/items/dynamodb-json.ts';
import { value } from '../../fixtures/model/items.ts';

test.each([
  ['"a"', value('a')],
  ['1.50', { N: '1.50' }],
  ['binary AQI=', value(new Uint8Array([1, 2]))],
  ['true', value(true)],
  ['null', value(null)],
  ['set of "a", "b"', value(new Set(['a', 'b']))],
  ['set of 1, 2', { NS: ['1', '2'] }],
  ['set of binary AQ==', { BS: [new Uint8Array([1])] }],
  ['["a", 1]', value(['a', 1])],
  ['{"a": {"b": "c"}}', value({ a: { b: 'c' } })],
  [`"${'x'.repeat(79)}… (102 characters)`, value('x'.repeat(100))],
])('%s', (text, one) => {
  expect(shortText(itemToJson({ one })['one'])).toBe(text);
});

test.each([
  ['0', 0],
  ['-1.5', -1.5],
  ['1000000000000000000000', '1000000000000000000000'],
  ['0.0000001', '0.0000001'],
  ['9'.repeat(38), '9'.repeat(38)],
])(
  'the number %s of a key is a number of JSON if readers take it as it is written, otherwise text',
  (sk, at) => {
    const table = { pk: 'd', sk: { name: 'at', type: 'N' } } as const;

    expect(namedKey(table, { pk: 'x', sk })).toEqual({ d: 'x', at });
    expect(keyJson(table, { pk: 'x', sk })).toBe(`{"d":"x","at":${sk}}`);
  },
);

test('no value is missing', () => {
  expect(shortText(null)).toBe('missing');
});
