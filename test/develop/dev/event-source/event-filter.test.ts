import { describe, expect, it } from 'vitest';
import { eventFilter, type FilterPattern } from '../../../../src/develop/dev/event-source/event-filter.ts';

const record = {
  eventName: 'MODIFY',
  userIdentity: { type: 'Service' },
  dynamodb: {
    Keys: { PK: { S: 'acct_X#inc' }, SK: { S: 'inc_Y' } },
    NewImage: {
      Title: { S: '' },
      ExpiresAt: { N: '1700000000' },
      Tags: { SS: ['red', 'blue'] },
      Gone: { NULL: true },
    },
    OldImage: null,
    SizeBytes: 120,
  },
};

const passes = (pattern: FilterPattern) => eventFilter([pattern])(record);
const sk = (...matchers: unknown[]) => ({ dynamodb: { Keys: { SK: { S: matchers } } } });
const size = (...matchers: unknown[]) => ({ dynamodb: { SizeBytes: matchers } });
const image = (attributes: FilterPattern) => ({ dynamodb: { NewImage: attributes } });

describe('a filter', () => {
  it.each<[string, FilterPattern, FilterPattern]>([
    ['equality', sk('inc_Y'), sk('inc_Z')],
    ['any of several values', sk('data', 'inc_Y'), sk('data', 'other')],
    ['prefix', sk({ prefix: 'inc_' }), sk({ prefix: 'nc_' })],
    ['suffix', sk({ suffix: '_Y' }), sk({ suffix: 'inc_' })],
    ['equals-ignore-case', sk({ 'equals-ignore-case': 'INC_y' }), sk({ 'equals-ignore-case': 'INC' })],
    ['anything-but', sk({ 'anything-but': ['data'] }), sk({ 'anything-but': ['data', 'inc_Y'] })],
    ['anything-but of one value', sk({ 'anything-but': 'data' }), sk({ 'anything-but': 'inc_Y' })],
    ['exists', image({ ExpiresAt: { N: [{ exists: true }] } }), image({ Other: { N: [{ exists: true }] } })],
    [
      'exists: false',
      image({ Other: { S: [{ exists: false }] } }),
      image({ Title: { S: [{ exists: false }] } }),
    ],
    ['empty text', image({ Title: { S: [''] } }), sk('')],
    ['null', { dynamodb: { OldImage: [null] } }, sk(null)],
    ['true', image({ Gone: { NULL: [true] } }), image({ Gone: { NULL: [false] } })],
    ['numeric equality', size({ numeric: ['=', 120] }), size({ numeric: ['=', 121] })],
    ['a numeric range', size({ numeric: ['>', 100, '<=', 120] }), size({ numeric: ['>=', 1, '<', 120] })],
    ['a member of a list', image({ Tags: { SS: ['blue'] } }), image({ Tags: { SS: ['green'] } })],
    ['a member outside dynamodb', { eventName: ['MODIFY'] }, { userIdentity: { type: ['User'] } }],
    [
      '$or beside other members',
      { eventName: ['MODIFY'], $or: [sk('data'), size(120)] },
      { eventName: ['INSERT'], $or: [sk('inc_Y'), size(120)] },
    ],
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
    expect(passes(image({ ExpiresAt: [{ exists: true }] }))).toBe(false);
  });

  it('does not compare a number attribute as a number, because it is text in a record', () => {
    expect(passes(image({ ExpiresAt: { N: [{ numeric: ['>', 0] }] } }))).toBe(false);
    expect(passes(image({ ExpiresAt: { N: [1_700_000_000] } }))).toBe(false);
  });

  it.each<[string, FilterPattern]>([
    ['an unknown comparison', sk({ wildcard: 'inc_*' })],
    ['two comparisons in one', sk({ prefix: 'a', suffix: 'b' })],
    ['a value without a list', { eventName: 'INSERT' }],
    ['an empty list', sk()],
    ['a prefix that is not text', sk({ prefix: 1 })],
    ['an unknown relation', size({ numeric: ['!=', 1] })],
    ['a relation without a number', size({ numeric: ['>'] })],
    ['anything-but with a comparison', sk({ 'anything-but': { prefix: 'a' } })],
    ['exists with a text', sk({ exists: 'yes' })],
    ['$or with one alternative', { $or: [sk('a')] }],
    ['a list in a list', sk(['a'])],
  ])('refuses %s when it is created', (_, pattern) => {
    expect(() => eventFilter([pattern])).toThrow(
      expect.objectContaining({ name: 'LocalError', code: 'filter.unknown-pattern' }),
    );
  });
});
