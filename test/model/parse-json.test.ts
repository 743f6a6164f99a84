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
  test('gives back what was written, names with backslashes beside names with quotes included', () => {
    fc.assert(
      fc.property(fc.array(tree), (written) => {
        const text = JSON.stringify(written);

        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test('tells an escape from the backslash before one', () => {
    expect(parseJson(String.raw`{"a\\":"\\n\n\\\\u0041\u0041\""}`)).toEqual({ 'a\\': '\\n\n\\\\u0041A"' });
  });

  test('gives an attribute called __proto__', () => {
    const written = String.raw`{"__proto__":{"S":"a"},"\\":{"S":"b"}}`;

    expect(Object.keys(Object(parseJson(written)))).toEqual(['__proto__', '\\']);
  });

  test('refuses what is no JSON', () => {
    expect(() => parseJson('{')).toThrow(SyntaxError);
    expect(() => parseJson(String.raw`{"a\\":`)).toThrow(SyntaxError);
  });
});
