import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonOrUndefined, parseJson } from '../../../src/model/basics/parse-json.ts';

const attributeName = fc.constantFrom('"', '\\', 'n', '\n', 'a', '\\"', '\t', '\\\\', 'u005c', '\ue000', '/');
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    attributeName,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(attributeName, tie('node'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).node;

const everyPrivate = `{"\\\\":"${String.fromCharCode(...Array.from({ length: 6_400 }, (_, index) => 0xe000 + index))}"}`;

/** The same JSON with every `a`, `u` and `/` of its strings as an escape. */
const respelt = (text: string) =>
  text.replace(/\\[\s\S]|[au/]/g, (token) =>
    token.length > 1 ? token : `\\u${token.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('parseJson', () => {
  test('returns what was written, even names with backslashes next to names with quotes', () => {
    fc.assert(
      fc.property(fc.array(tree), fc.boolean(), (written, escaped) => {
        const text = JSON.stringify(written);

        expect(JSON.stringify(parseJson(escaped ? respelt(text) : text))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test('accepts the texts that JSON.parse accepts, and no others', () => {
    const inserted = fc.constantFrom('"', '\\', ':', ',', '{', '}', '1', ' ', '\n', '\ud800', '\ue000');
    fc.assert(
      fc.property(tree, fc.nat(), inserted, (written, place, token) => {
        const text = JSON.stringify([written]);
        const at = place % text.length;
        const changed = `${text.slice(0, at)}${token}${text.slice(at)}`;

        expect(jsonOrUndefined(changed) === undefined).toBe(!isJson(changed));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['every character for private use beside a backslash', everyPrivate, everyPrivate],
    [
      'a name twice, spelt otherwise',
      String.raw`{"b":1,"\\":2,"\u0062":3,"b":4}`,
      String.raw`{"b":4,"\\":2}`,
    ],
    ['names that are numbers', String.raw`{"\\":1,"7":2,"\u0033":3}`, String.raw`{"3":3,"7":2,"\\":1}`],
    ['names like those inserted', String.raw`{"n1":1,"\\":2,"n0":3}`, String.raw`{"n1":1,"\\":2,"n0":3}`],
    ['half a surrogate pair', String.raw`{"\ud800":"\udc00"}`, String.raw`{"\ud800":"\udc00"}`],
  ])('reads %s', (_, text, read) => {
    expect(JSON.stringify(parseJson(text))).toBe(read);
  });

  test('reads JSON that is nested deeper than a stack allows', () => {
    const levels = 200_000;
    let value = parseJson(`${'['.repeat(levels)}{"\\n":1}${']'.repeat(levels)}`);
    while (Array.isArray(value)) [value] = value;

    expect(value).toEqual({ '\n': 1 });
  });

  test('takes time in proportion to the text, even if it ends within a string', () => {
    const started = performance.now();

    expect(() => parseJson(`{"\\n":"${'\\"'.repeat(500_000)}`)).toThrow(SyntaxError);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('keeps an attribute called __proto__', () => {
    const written = String.raw`{"__proto__":{"S":"a"},"\\":{"S":"b"}}`;

    expect(Object.keys(Object(parseJson(written)))).toEqual(['__proto__', '\\']);
  });
});
