import { describe, expect, test } from 'vitest';
import { countsText, keyText } from '../../../../src/develop/page/client/texts.ts';
import type { RuleOfChange } from '../../../../src/develop/page/protocol/changes.ts';
import { valueText } from '../../../../src/develop/page/protocol/texts.ts';

test('the text of a key without a sort key has one part', () => {
  expect([keyText({ pk: 'a', sk: 'b' }), keyText({ pk: 'a', sk: '' })]).toEqual(['a / b', 'a']);
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

test('a fan-out that the queue continues is not done, and one that is does not look like a failure', () => {
  const counts = {
    written: 500,
    removed: 0,
    unchanged: 0,
    retried: 0,
    deadLettered: 0,
    orphans: 0,
  };
  const one: RuleOfChange = {
    ...{ rule: 'a', why: '', root: undefined, asks: 'propagation', state: 'running', counts },
    ...{ milliseconds: 1, copies: undefined },
  };

  expect(countsText(one)).toBe('500 written, more to come');
  expect(countsText({ ...one, copies: 900 })).toBe('500 written, of about 900');
  expect(countsText({ ...one, state: 'done' })).toBe('500 written');
});
