import { describe, expect, it } from 'vitest';
import type { FilterPattern } from '../../../src/deploy/needs/mapping-filters.ts';
import { eventFilter } from '../../../src/dev/event-source/event-filter.ts';

const record = {
  eventName: 'MODIFY',
  dynamodb: {
    Keys: { PK: { S: 'acct_X#inc' }, SK: { S: 'inc_Y' } },
    NewImage: { Title: { S: '' }, ExpiresAt: { N: '1700000000' } },
  },
};

const passes = (pattern: FilterPattern) => eventFilter([pattern])(record);
const sk = (...matchers: unknown[]) => ({ dynamodb: { Keys: { SK: { S: matchers } } } });
const image = (attributes: FilterPattern) => ({ dynamodb: { NewImage: attributes } });

describe('a filter', () => {
  it.each<[string, FilterPattern, FilterPattern]>([
    ['equality', sk('inc_Y'), sk('inc_Z')],
    ['any of several values', sk('data', 'inc_Y'), sk('data', { prefix: 'other' })],
    ['prefix', sk({ prefix: 'inc_' }), sk({ prefix: 'nc_' })],
    ['suffix', sk({ suffix: '_Y' }), sk({ suffix: 'inc_' })],
    ['exists', image({ ExpiresAt: { N: [{ exists: true }] } }), image({ Other: { N: [{ exists: true }] } })],
    [
      'exists: false',
      image({ Other: { S: [{ exists: false }] } }),
      image({ Title: { S: [{ exists: false }] } }),
    ],
    ['empty text', image({ Title: { S: [''] } }), sk('')],
    ['a member outside dynamodb', { eventName: ['MODIFY'] }, { eventName: ['INSERT'] }],
  ])('supports %s', (_, matching, other) => {
    expect(passes(matching)).toBe(true);
    expect(passes(other)).toBe(false);
  });

  it('requires every member of a pattern, and any of the patterns', () => {
    const both = { dynamodb: { Keys: { PK: { S: [{ suffix: '#inc' }] }, SK: { S: ['data'] } } } };
    expect(eventFilter([both])(record)).toBe(false);
    expect(eventFilter([both, sk('inc_Y')])(record)).toBe(true);
    expect(eventFilter([])(record)).toBe(true);
  });

  it('treats an object as missing, because only leaves exist', () => {
    expect(passes({ dynamodb: { NewImage: [{ exists: true }] } })).toBe(false);
  });

  it.each<[string, FilterPattern]>([
    ['a comparison that denorm does not write', sk({ 'anything-but': ['a'] })],
    ['two comparisons in one', sk({ prefix: 'a', suffix: 'b' })],
    ['a value without a list', { eventName: 'INSERT' }],
    ['an empty list', sk()],
    ['a prefix that is not text', sk({ prefix: 1 })],
    ['exists with a text', sk({ exists: 'yes' })],
    ['a number', sk(1)],
    ['$or', { $or: [sk('a'), sk('b')] }],
    ['a list in a list', sk(['a'])],
  ])('refuses %s when it is created', (_, pattern) => {
    expect(() => eventFilter([pattern])).toThrow(
      expect.objectContaining({ name: 'LocalError', code: 'filter.unknown-pattern' }),
    );
  });
});
