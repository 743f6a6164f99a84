import { expect, test } from 'vitest';
import { valueText } from '../../../src/cli/output/text.ts';
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
  ['missing', undefined],
  [`"${'x'.repeat(79)}… (102 characters)`, value('x'.repeat(100))],
])('%s', (text, one) => {
  expect(valueText(one)).toBe(text);
});
