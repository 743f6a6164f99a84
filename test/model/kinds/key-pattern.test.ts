import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edgesOverlap, filled, keyPattern } from '../../../src/model/kinds/key-pattern.ts';
import { keyPart } from '../../fixtures/model/arbitraries.ts';
import { refusal } from '../../suites/refusal.ts';

const patterns = [
  'acct_{account}#inc',
  'acct_{account}#inc_{incident}',
  'acct_{account}#inc_{incident}#incpart',
  '{participant}',
  'USER#{user}',
  '{user}.*',
  'a({x})|[{y}]^$',
  '{a}§{b}/{c}',
  '{left}😀{right}',
  'METADATA',
];

const anyPattern = fc.constantFrom(...patterns).map(keyPattern);
const someText = fc.oneof(keyPart, fc.constant(''));
const ids = fc.record({
  account: someText,
  incident: someText,
  participant: someText,
  user: someText,
  x: someText,
  y: someText,
  a: someText,
  b: someText,
  c: someText,
  left: someText,
  right: someText,
});

describe('a key pattern', () => {
  test('parses everything that it writes, or refuses to write it', () => {
    fc.assert(
      fc.property(anyPattern, ids, (pattern, given) => {
        const part = written(pattern, given);
        if (part === undefined) return;
        const read = pattern.parse(part) ?? {};

        for (const [name, id] of Object.entries(read))
          expect(id).toBe(Object.entries(given).find(([n]) => n === name)?.[1]);
        expect(Object.keys(read)).toEqual(pattern.names);
      }),
      { numRuns: 2000 },
    );
  });

  test('writes everything that it parses', () => {
    const candidates = fc.oneof(
      keyPart,
      fc
        .tuple(fc.constantFrom(...patterns), keyPart, keyPart)
        .map(([pattern, one, other]) =>
          filled(keyPattern(pattern), (_, index) => (index === 0 ? one : other)),
        ),
    );
    fc.assert(
      fc.property(anyPattern, candidates, (pattern, part) => {
        const read = pattern.parse(part);

        expect(read === undefined ? part : pattern.write(read)).toBe(part);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['acct_{account}#inc', 'acct_#inc', 'an id is empty'],
    ['acct_{account}#inc', 'acct_1#inc_2', 'text follows'],
    ['acct_{account}#inc', 'xacct_1#inc', 'text stands before'],
    ['acct_{account}#inc', 'acct_1#2#inc', 'an id holds the sign that ends it'],
    ['USER#{user}', 'user#1', 'the case differs'],
    ['METADATA', 'METADATA#', 'it is another text'],
    ['{user}.x', 'aax', 'a dot stands for itself only'],
  ])('%s does not match %s: %s', (pattern, part) => {
    expect(keyPattern(pattern).parse(part)).toBeUndefined();
  });

  test.each([
    ['a line break', 'USER#a\nb', 'a\nb'],
    ['emoji', 'USER#😀', '😀'],
    ['the sign of the pattern in a last id', 'USER#a#b', 'a#b'],
    ['two dots', 'USER#..', '..'],
  ])('parses an id with %s', (_, part, user) => {
    expect(keyPattern('USER#{user}').parse(part)).toEqual({ user });
  });

  test('ends an id at a whole character, not at half of one', () => {
    expect(keyPattern('{left}😀{right}').parse('😁😀x')).toEqual({ left: '😁', right: 'x' });
  });

  test.each<[string, Record<string, string>]>([
    ['an empty id', { account: '', incident: '2' }],
    ['a missing id', { account: '1' }],
    ['an id with the text that follows it', { account: '1#2', incident: '2' }],
  ])('refuses to write %s, without quoting it', (_, given) => {
    const error = refusal(() => keyPattern('acct_{account}#inc_{incident}').write(given));

    expect(error).toMatchObject({ code: 'key.unwritable' });
    expect(error.message).toContain("'acct_{account}#inc_{incident}'");
    expect(error.message).not.toContain('1#2');
  });

  test.each([
    [
      { account: '1' },
      "the id 'incident' of the key pattern 'acct_{account}#inc_{incident}' to be text, got none",
    ],
    [
      { account: 7 as never, incident: '2' },
      "the id 'account' of the key pattern 'acct_{account}#inc_{incident}' to be text, got a number",
    ],
  ])('names an id that is missing or no text', (given: Record<string, string>, message) => {
    expect(refusal(() => keyPattern('acct_{account}#inc_{incident}').write(given)).message).toBe(
      `Expected ${message}`,
    );
  });

  test.each([
    ['{a}{b}', 'put text between two names'],
    ['x{a}{b}y', 'put text between two names'],
    ['{a}#{a}', 'name each id once'],
    ['a{b', 'close each brace'],
    ['a}b', 'close each brace'],
    ['{}', 'close each brace, and give a name'],
    ['AT#{at:number}', 'close each brace, and give a name one type or width'],
    ['{at:4}', 'close each brace, and give a name one type or width'],
    ['{a-b}', 'a name in braces has letters, digits and _ only'],
    ['A#{a.b}', 'a name in braces has letters, digits and _ only'],
    [['A#$', '{a}'].join(''), 'write {id}, without $'],
  ])('refuses the pattern %s: %s', (shape, why) => {
    const error = refusal(() => keyPattern(shape));

    expect(error).toMatchObject({ code: 'key.malformed' });
    expect(error.message).toContain(`got '${shape}': ${why}`);
  });

  test('parses any text in time in proportion to it', () => {
    const started = performance.now();
    const part = `a${'b'.repeat(1_000_000)}`;

    expect(keyPattern('a{x}bc{y}bc{z}d').parse(part)).toBeUndefined();
    expect(keyPattern('a{x}b{y}b{z}').parse(part)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('knows the prefix and suffix of every key that it matches', () => {
    expect(keyPattern('acct_{account}#inc').edges).toEqual({ prefix: 'acct_', suffix: '#inc' });
    expect(keyPattern('USER#{user}').edges).toEqual({ prefix: 'USER#', suffix: '' });
    expect(keyPattern('{participant}').edges).toEqual({ prefix: '', suffix: '' });
    expect(keyPattern('data').edges).toEqual({ exact: 'data', prefix: 'data', suffix: 'data' });
  });
});

describe('a key part', () => {
  const overlap = (one: string, other: string) =>
    edgesOverlap(keyPattern(one).edges, keyPattern(other).edges);

  test.each([
    ['USER#{user}', 'USER#{id}'],
    ['USER#{user}', '{any}'],
    ['USER#{user}', 'USER#1'],
    ['{a}#X', 'A#{b}'],
    ['{a}#{b}', '{c}-{d}'],
    ['a{x}', '{y}b'],
    ['METADATA', 'METADATA'],
  ])('may fit %s and %s', (one, other) => {
    expect([overlap(one, other), overlap(other, one)]).toEqual([true, true]);
  });

  test.each([
    ['USER#{user}', 'TEAM#{team}'],
    ['USER#{user}', 'USER'],
    ['{a}#X', '{b}#Y'],
    ['METADATA', 'METADATA#1'],
    ['{a}#X', 'X'],
  ])('does not fit %s and %s', (one, other) => {
    expect([overlap(one, other), overlap(other, one)]).toEqual([false, false]);
  });
});

function written(pattern: ReturnType<typeof keyPattern>, given: Record<string, string>): string | undefined {
  try {
    return pattern.write(given);
  } catch (error) {
    expect(error).toMatchObject({ code: 'key.unwritable' });
    return undefined;
  }
}
