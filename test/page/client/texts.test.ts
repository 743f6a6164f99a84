import { describe, expect, test } from 'vitest';
import { valueText } from '../../../src/model/basics/text.ts';
import { cut, differenceText, durationText, shownKey } from '../../../src/page/client/texts.ts';

test('the text of a key without a sort key has one part', () => {
  expect([shownKey({ pk: 'a', sk: 'b' }), shownKey({ pk: 'a', sk: '' })]).toEqual(['a / b', 'a']);
});

describe('the text of a value', () => {
  test.each([
    [
      { M: { b: { S: '1' }, a: { M: { y: { N: '1' }, x: { N: '2' } } } } },
      { M: { a: { M: { x: { N: '2' }, y: { N: '1' } } }, b: { S: '1' } } },
    ],
    [{ SS: ['b', 'a'] }, { SS: ['a', 'b'] }],
    [{ L: [{ NS: ['2', '1'] }] }, { L: [{ NS: ['1', '2'] }] }],
  ])('is the same for equal values: %j', (one, other) => {
    expect(valueText(one)).toBe(valueText(other));
  });

  test('differs for lists in another order', () => {
    const [one, other] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((texts) => ({ L: texts.map((S) => ({ S })) }));

    expect(valueText(one)).not.toBe(valueText(other));
  });
});

test.each([
  [{ S: '1' }, '"1"'],
  [{ N: '1' }, '1'],
  [{ L: [{ BOOL: true }, { NULL: true }] }, '[true, null]'],
  [{ S: 'a\u202eb\u0000' }, '"a\\u202eb\\u0000"'],
])('the text of %j shows its type, and what a browser would hide', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test('a long text is not cut in the middle of a character', () => {
  expect([cut('a😀b', 2), cut('a😀b', 3), cut('ab', 2)]).toEqual(['a…', 'a😀…', 'ab']);
});

test('a duration has at most five characters before its unit', () => {
  expect([undefined, 999, 6_666, 12_000].map(durationText)).toEqual(['', '999 ms', '6.7 s', '12 s']);
});

test('a difference tells what is missing from what is too large to be sent', () => {
  const texts = [undefined, null].map((was) => differenceText({ name: 'a', was, is: { N: '1' } }));

  expect(texts).toEqual(['a missing → 1', 'a (large) → 1']);
});
