import { describe, expect, test } from 'vitest';
import { optional, type Requirement } from '../../src/model/basics/requirement.ts';
import {
  aKey,
  aRange,
  derivedKey,
  derivedValue,
  finite,
  finiteOrText,
  keys,
  locationIn,
} from '../../src/plan/returns.ts';
import { table } from '../fixtures/model/table.ts';

const secret = 'a secret';

/** What a function returns that cuts a title at so many characters. */
const half = 'The 😀'.slice(0, 5);

describe('what a function returns', () => {
  const anyLocation = locationIn(table);
  const single = { pk: 'id' };
  const numbered = { pk: 'id', sk: { name: 'at', type: 'N' } } as const;

  test.each<[string, Requirement, unknown, string | undefined]>([
    ['a location elsewhere', anyLocation, { pk: 'p' }, 'an object with another in'],
    ['no location', anyLocation, ['p'], 'an array'],
    ['no index', anyLocation, { in: 'index', index: 'x', pk: 'p' }, 'an index that the table does not have'],
    ['no pk', anyLocation, { in: 'index', index: 'ByOwner' }, 'an object whose pk is undefined'],
    ['null', aRange(table), null, 'null'],
    ['a bigint for a key', derivedKey, 1n, undefined],
    ['text for a key', derivedKey, 'x', undefined],
    ['a key of a table without sort keys', aKey(single), { pk: 'p' }, undefined],
    ['a key of such a table, as a kind makes it', aKey(single), { pk: 'p', sk: '' }, undefined],
    ['a sort key for such a table', aKey(single), { pk: 'p', sk: 's' }, 'an object whose sk is text'],
    ['text for a numeric key', aKey(numbered), { pk: 'p', sk: 's' }, 'an object whose sk is text'],
    ['a number for a numeric key', aKey(numbered), { pk: 'p', sk: 7 }, undefined],
    ['a limit of another type', aRange(table), { pk: 'p', from: 7 }, 'an object whose from is a number'],
    ['limits', aRange(table), { pk: 'p', from: 'a', to: 'b' }, undefined],
    ['a beginning of a number', aRange(numbered), { pk: 'p', begins: '7' }, 'an object whose begins is text'],
    [
      'two limits that exclude each other',
      aRange(table),
      { pk: 'p', begins: 'a', to: 'b' },
      'an object with begins and another limit',
    ],
    [
      'a list with another type in it',
      aRange({ pk: 'a', sk: ['b', 'c'] }),
      { pk: 'p', sk: [7] },
      'an object whose sk is another list',
    ],
    [
      'a number for a list',
      aRange({ pk: 'a', sk: ['b', 'c'] }),
      { pk: 'p', sk: 0 },
      'an object whose sk is a number',
    ],
    ['half an emoji', aRange(table), { pk: half }, 'an object whose pk is text with half a character'],
    ['a boolean for a key', derivedKey, true, 'a boolean'],
    ['a Date', derivedValue, new Date(0), 'a Date'],
    ['a Date in a list', derivedValue, [new Date(0)], 'one with a Date'],
    ['a Date further inside', derivedValue, { at: [[new Date(0)]] }, 'one with a Date'],
    ['a name with half an emoji', derivedValue, { [half]: 1 }, 'an object with a name that is no text'],
    ['an object without a prototype', derivedValue, Object.create(null), undefined],
    ['what DynamoDB stores', derivedValue, { a: [1n, true, null, new Set(['x'])], b: undefined }, undefined],
    ['an empty set', derivedValue, new Set(), 'an empty set'],
    [
      'a set of two types',
      derivedValue,
      new Set([1, 'x']),
      'a set that is not of text, of numbers or of bytes',
    ],
    ['an object of a class', derivedValue, new Map(), 'an object of a class'],
    ['33 levels', derivedValue, nested(33), expect.stringContaining('one of more than 32 levels')],
    ['32 levels', derivedValue, nested(32), undefined],
    ['text that ends in half an emoji', derivedValue, half, 'text with half a character'],
    ['nothing derived', derivedValue, undefined, undefined],
    ['no keys', keys(table), [], undefined],
    ['keys', keys(table), [{ pk: 'p', sk: 's' }], undefined],
    ['a key', keys(table), { pk: 'p', sk: 's' }, 'an object'],
    [
      'half a key',
      keys(table),
      [{ pk: 'p', sk: 's' }, { pk: 'p' }],
      'one with an object whose sk is undefined',
    ],
    ['text among keys', keys(table), [{ pk: 'p', sk: 's' }, secret], 'one with text'],
    ['a hole among keys', keys(table), new Array(1), 'one with undefined'],
    ['a number', finite, 0.5, undefined],
    ['no number', finite, Number.NaN, 'NaN'],
    ['an infinite number', finite, Number.NEGATIVE_INFINITY, '-Infinity'],
    ['text for a number', finite, '7', 'text'],
    ['nothing for a number', finite, undefined, 'undefined'],
    ['a number or text', finiteOrText, 0.5, undefined],
    ['text', finiteOrText, '7', undefined],
    ['neither number nor text', finiteOrText, Number.NaN, 'NaN'],
    ['null', finiteOrText, null, 'null'],
    ['nothing, where it may', optional(finite), undefined, undefined],
    ['text, where nothing may be', optional(finite), '1', 'text'],
  ])('is checked: %s', (_, { misfit }, returned, found) => {
    expect(misfit(returned)?.found).toEqual(found);
  });

  test('is told in words that name the types of keys', () => {
    expect(aKey(numbered).words).toBe('{ pk: text, sk: a number }');
    expect(aKey(single).words).toBe('{ pk }, all text');
    expect(aRange(numbered).words).toBe('{ pk: text, from?, to? }');
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 'x' : [nested(levels - 1)];
}
