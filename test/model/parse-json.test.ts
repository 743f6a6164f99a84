import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/model/parse-json.ts';

const attributeName = fc.constantFrom('"', '\\', 'n', '\n', 'a', '\\"', '\t', '\\\\', 'u005c', '\ue000', '/');
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    attributeName,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(attributeName, tie('node'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).node;

describe('parseJson', () => {
  test('returns what was written, even names with backslashes next to names with quotes', () => {
    fc.assert(
      fc.property(fc.array(tree), (written) => {
        const text = JSON.stringify(written);

        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test('distinguishes an escape from the backslash before it', () => {
    expect(parseJson(String.raw`{"a\\":"\\n\n\\\\u0041\u0041\""}`)).toEqual({ 'a\\': '\\n\n\\\\u0041A"' });
  });

  test('keeps an attribute called __proto__', () => {
    const written = String.raw`{"__proto__":{"S":"a"},"\\":{"S":"b"}}`;

    expect(Object.keys(Object(parseJson(written)))).toEqual(['__proto__', '\\']);
  });

  test('refuses text that is not JSON', () => {
    expect(() => parseJson('{')).toThrow(SyntaxError);
    expect(() => parseJson(String.raw`{"a\\":`)).toThrow(SyntaxError);
  });
});
