import { describe, expect, test } from 'vitest';
import {
  addedBy,
  changed,
  type GuardedRemoval,
  headAfter,
  remainderOf,
} from '../../../src/model/work/guarded-write.ts';
import { item } from '../../fixtures/model/items.ts';

const before = item({ Name: 'Ada', Rank: 'staff', Own: 'x' });
const removal: GuardedRemoval = { key: { pk: 'p', sk: 's' }, clear: undefined, expect: {}, size: 0 };

test('an update leaves what it neither sets nor removes', () => {
  expect(changed(before, item({ Name: 'Bob', New: 1 }), ['Rank'])).toEqual(
    item({ Name: 'Bob', Own: 'x', New: 1 }),
  );
});

test.each([
  ['nothing, if it clears nothing alone', {}, undefined],
  ['what it does not clear', { clear: ['Name', 'Rank'] }, item({ Own: 'x' })],
  ['all, if it clears an empty list', { clear: [] }, before],
  ['all beside what it puts', { put: item({ Name: '0' }) }, { ...before, ...item({ Name: '0' }) }],
  [
    'what it puts and does not clear',
    { clear: ['Rank'], put: item({ Name: '0' }) },
    item({ Name: '0', Own: 'x' }),
  ],
])('a removal leaves of an item %s', (_, what, left) => {
  expect(remainderOf(before, { ...removal, ...what })).toEqual(left);
});

describe('what the writes of a transaction add to a head', () => {
  const one = { adds: { '+Likes': '1', '+Mean': '0.1' } };
  const other = { adds: { '+Likes': '-3', '+Mean': '0.2' } };

  test('is the exact sum of each, and one more post, however many they are', () => {
    expect(addedBy([one, other])).toEqual({ '~posts': '1', '+Likes': '-2', '+Mean': '0.3' });
    expect(addedBy([{}])).toEqual({ '~posts': '1' });
  });

  test('is also 0: a mean of zeros is one', () => {
    expect(addedBy([{ adds: { '+Mean': '0', '#Mean': '1' } }])).toMatchObject({ '+Mean': '0' });
  });

  test('makes a head, or is added to what the head has', () => {
    const bare = item({ Part: 'p' });
    const there = item({ Part: 'p', '~posts': 6, '+Likes': 5, Other: 'x' });

    expect(headAfter(undefined, bare, [one])).toEqual({
      ...bare,
      ...item({ '~posts': 1, '+Likes': 1, '+Mean': 0.1 }),
    });
    expect(headAfter(there, bare, [one])).toEqual({
      ...there,
      ...item({ '~posts': 7, '+Likes': 6, '+Mean': 0.1 }),
    });
  });
});
