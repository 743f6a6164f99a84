import { expect, test } from 'vitest';
import { shortText } from '../../../src/cli/output/text.ts';
import { itemToJson } from '../../../src/model/dynamodb-json.ts';
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

test('no value is missing', () => {
  expect(shortText(null)).toBe('missing');
});
