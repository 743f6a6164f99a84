import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault, parseJson } from '../../src/model/parse-json.ts';

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

describe('jsonFault', () => {
  test.each([
    ['', 'line 1, column 1'],
    ['{PK:"a"}', 'line 1, column 2'],
    ['[1, x]', 'line 1, column 5'],
    ['["at position 9 (line 9 column 9)", x]', 'line 1, column 37'],
    ['[tru', 'line 1, column 5'],
    ['{\n  "a": 1,\n  "b": nil\n}', 'line 3, column 9'],
    ['{\n  "a": 1,\n}', 'line 3, column 1'],
    ['{"a":1}\n{"a":2}', 'line 2, column 1'],
  ])('says where %j stops to be JSON', (text, where) => {
    expect(jsonFault(text)).toBe(where);
  });

  test('is undefined for JSON, and only for JSON', () => {
    fc.assert(
      fc.property(tree, fc.nat(), (written, at) => {
        const text = JSON.stringify([written]);

        expect(jsonFault(text)).toBeUndefined();
        expect(jsonFault(text.slice(0, at % text.length))).toMatch(/^line 1, column \d+$/);
      }),
    );
  });
});
