import { describe, expect, test } from 'vitest';
import { valueText } from '../../../src/model/basics/text.ts';
import {
  cut,
  differenceText,
  durationText,
  isIdle,
  resultText,
  shownKey,
} from '../../../src/page/client/texts.ts';
import type { RuleOfChange } from '../../../src/page/protocol/changes.ts';

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

const counts = { written: 0, removed: 0, unchanged: 0, retried: 0, deadLettered: 0, orphans: 0 };

const one: RuleOfChange = {
  ...{ rule: 'a', why: '', root: undefined, asks: 'propagation', state: 'done', counts },
  ...{ milliseconds: 1, copies: undefined },
};

test('a fan-out that the queue continues shows how far it is', () => {
  const running: RuleOfChange = {
    ...one,
    state: 'running',
    counts: { ...counts, written: 177, unchanged: 3 },
  };

  expect(resultText(running, 'Membership')).toBe('180 / … Membership');
  expect(resultText({ ...running, copies: 2_000 }, 'Membership')).toBe('180 / 2,000 Membership');
  expect(resultText({ ...running, state: 'done' }, 'Membership')).toBe('177 × Membership, 3 equal');
});

test.each([
  ['nothing to write', {}],
  ['waiting', { state: 'waiting' }],
  ['checked', { asks: 'check' }],
  ['does not match', { asks: 'nothing' }],
  ['archived', { asks: 'archive', counts: { ...counts, written: 1 } }],
  ['1 removed, 2 dead-lettered', { counts: { ...counts, removed: 1, deadLettered: 2 } }],
] as const)('says %j of %j', (text, of) => {
  expect(resultText({ ...one, ...of })).toBe(text);
});

test('a change is idle if only copies were checked, and all were right', () => {
  const change = (...rules: Partial<RuleOfChange>[]) => ({ rules: rules.map((of) => ({ ...one, ...of })) });
  const check = { asks: 'check' } as const;

  expect(isIdle(change(check, { asks: 'nothing' }))).toBe(true);
  expect(isIdle(change(check, { ...check, counts: { ...counts, written: 1 } }))).toBe(false);
  expect(isIdle(change(check, { ...check, counts: { ...counts, orphans: 1 } }))).toBe(false);
  expect([isIdle(change(check, {})), isIdle(change({ asks: 'nothing' }))]).toEqual([false, false]);
});
