// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { describe, expect, test } from 'vitest';
import { tokensIn } from './definitions.ts';
import { filledIn, matchesOf } from './pattern.ts';

function matched(pattern: string, source: string): string[] {
  return matchesOf(pattern, tokensIn(source)).map(({ start, end }) => source.slice(start, end));
}

describe('a pattern', () => {
  test('matches wherever its tokens occur in sequence', () => {
    expect(matched('a + b', 'f(a + b, a + c, a + b);')).toEqual(['a + b', 'a + b']);
    expect(matched('a + b', 'f(a - b);')).toEqual([]);
  });

  test('matches across white space, line breaks, comments and trailing commas', () => {
    const source = 'await send(\n  table,\n  // what for\n  [one,\n two], /* and */ three,\n);';

    expect(matched('send(table, [one, two], three);', source)).toEqual([source.slice('await '.length)]);
  });

  test('matches whole tokens only', () => {
    expect(matched('rest', 'restore(arrest, rest);')).toEqual(['rest']);
    expect(matched('restore', 'rest\nore;')).toEqual([]);
    expect(matched("'on'", "f('none', 'on');")).toEqual(["'on'"]);
  });

  test('does not match if the source ends before it does', () => {
    expect(matched('a + b', 'a +\n1')).toEqual([]);
    expect(matched('a;', 'a')).toEqual([]);
  });

  test('keeps the white space of strings and templates', () => {
    expect(matched('`${$a} and ${$b}.`', 'x(`${one} and ${two}.`)')).toEqual(['`${one} and ${two}.`']);
    expect(matched('`${$a} and ${$b}.`', 'x(`${one}  and ${two}.`)')).toEqual([]);
    expect(matched("'a b'", "f('a  b')")).toEqual([]);
  });

  test('has placeholders, each of which matches the same identifier throughout', () => {
    expect(matched('$a === $a', 'f(x === x, x === y, 1 === 1, this === this, x.y === x.z);')).toEqual([
      'x === x',
    ]);
    expect(matched('{ ...$rest, $key }', 'g({ ...left, id });')).toEqual(['{ ...left, id }']);
    expect(matched('return $a', 'function f() { return 1; }')).toEqual([]);
  });
});

describe('a replacement', () => {
  test('uses the identifiers that its placeholders matched', () => {
    const [match] = matchesOf('get($message.root)', tokensIn('await ctx.table.get(asked.root);'));

    expect(filledIn('put(`${$message}`, $message)', match?.placeholders ?? new Map())).toBe(
      'put(`${asked}`, asked)',
    );
  });

  test('with an unknown placeholder is refused', () => {
    expect(() => filledIn('$a + $b', new Map([['$a', 'x']]))).toThrow(
      'Expected the pattern to have $b, as its replacement does',
    );
  });
});
