import { expect, test } from 'vitest';
import { keyAsJson, keyJson, keyOfJson, nameKeysAs, shortText } from '../../../src/cli/output/text.ts';
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

test.each(['0', '-1.5', '1000000000000000000000', '0.0000001', '9'.repeat(38)])(
  'a key with the number %s is read from JSON as it was',
  (sk) => {
    nameKeysAs({ pk: 'd', sk: { name: 'at', type: 'N' } });
    try {
      const json: Record<string, string | number> = JSON.parse(JSON.stringify(keyAsJson({ pk: 'x', sk })));

      expect(keyOfJson(json)).toEqual({ pk: 'x', sk });
      expect(keyJson(keyOfJson(json))).toBe(`{"d":"x","at":${sk}}`);
    } finally {
      nameKeysAs({ pk: 'PK', sk: 'SK' });
    }
  },
);

test('no value is missing', () => {
  expect(shortText(null)).toBe('missing');
});
