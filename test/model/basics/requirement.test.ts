import { describe, expect, test } from 'vitest';
import {
  aNumber,
  aText,
  list,
  object,
  oneOf,
  optional,
  type Requirement,
  record,
} from '../../../src/model/basics/requirement.ts';

const secret = 'a secret';
const policies = oneOf('delete', 'clear', 'keep');
const limits = object({ least: aNumber, most: optional(aNumber) });
const texts = list('a list of at most 2 texts', aText, { most: 2 });
const placed = object(({ in: where }) => ({
  in: oneOf('key', 'index'),
  ...(where === 'index' && { index: aText }),
}));

describe('a requirement', () => {
  test.each<[string, Requirement, unknown]>([
    ['one of several words', policies, 'clear'],
    ['an object without an optional field', limits, { least: 1 }],
    ['a list', texts, ['a', 'b']],
    ['an empty list', texts, []],
    ['an object of any fields', record(aText), { a: 'b' }],
    ['a field that only some objects have', placed, { in: 'index', index: 'i' }],
    ['undefined where it may be', optional(texts), undefined],
  ])('is met by %s', (_, { misfit }, value) => {
    expect(misfit(value)).toBeUndefined();
  });

  test.each<[string, Requirement, unknown, string, string]>([
    [
      'another word',
      policies,
      secret,
      'text',
      "Expected it to be 'delete', 'clear' or 'keep', got 'a secret': correct it",
    ],
    ['nothing', aText, undefined, 'undefined', 'Expected it to be text, got none: add it'],
    ['no object', limits, [secret], 'an array', 'Expected it to be an object, got an array: correct it'],
    [
      'a field of another type',
      limits,
      { least: secret },
      'an object whose least is text',
      "Expected least of it to be a number, got 'a secret': correct it",
    ],
    [
      'a field that nobody reads',
      limits,
      { least: 1, mots: 2 },
      'an object with another field',
      "Expected a field of it, got 'mots': did you mean 'most'?",
    ],
    [
      'a field that only others have',
      placed,
      { in: 'key', index: 'i' },
      'an object with another field',
      "Expected a field of it, got 'index': it has in",
    ],
    [
      'a hole in a list',
      texts,
      new Array(1),
      'one with undefined',
      'Expected element 1 of it to be text, got none: add it',
    ],
    [
      'a list that is too long',
      texts,
      ['a', 'b', secret],
      'one of 3',
      'Expected it to be a list of at most 2 texts, got one of 3: correct it',
    ],
    [
      'a part of a part',
      object({ all: list('a list', limits) }),
      { all: [{ least: null }] },
      'an object whose all is one with an object whose least is null',
      'Expected least of element 1 of all of it to be a number, got null: correct it',
    ],
  ])('is not met by %s, which is said with and without content', (_, { misfit }, value, found, message) => {
    expect(misfit(value)).toMatchObject({ found });
    expect(misfit(value)?.message('it')).toBe(message);
  });
});
