import { describe, expect, test } from 'vitest';
import { keyAttributes } from '../../src/model/items/item.ts';
import { itemSize } from '../../src/model/items/item-size.ts';
import { entryKey, namesOfLedger } from '../../src/model/rules/ledger.ts';
import { planEntry } from '../../src/plan/plan-entry.ts';
import { table } from '../../src/table.ts';
import { itemOf, type PlainAttributes } from '../../src/testing/plain-values.ts';
import { bound } from '../fixtures/model/bound.ts';
import { likesOfPost } from '../simulation/likes-rules.ts';

const likes = likesOfPost(1);
const target = { pk: 'POST#a', sk: 'POST' };
const member = { pk: 'LIKE#1', sk: 'LIKE' };
const key = entryKey(likes, target, member);

const like = (own: PlainAttributes) =>
  itemOf({ [table.pk]: member.pk, [table.sk]: member.sk, [table.type]: 'Like', ...own });
const entry = (sums: PlainAttributes) => ({
  ...keyAttributes(table, key),
  ...namesOfLedger(target, member),
  ...itemOf(sums),
});
const none = { '+Likes': '0', '+Weight': '0', '+Mean': '0', '#Mean': '0' };
const all = { '+Likes': 1, '+Weight': 2, '+Mean': 2, '#Mean': 1 };

function planned(before: PlainAttributes | undefined, after: PlainAttributes | undefined) {
  const read = { entry: before && entry(before), item: after && like(after) };
  return planEntry(bound(likes, table), target, { key: member, ...read });
}

describe('the entry of a member', () => {
  test.each<[string, PlainAttributes | undefined, PlainAttributes | undefined]>([
    ['says what it counts for', all, { Post: 'a', Weight: 2 }],
    ['is missing, as it is', undefined, undefined],
    ['is missing, as it names another target', undefined, { Post: 'b', Weight: 2 }],
  ])('that %s is not written', (_, before, after) => {
    expect(planned(before, after)).toEqual({ is: 'unchanged' });
  });

  test('is made with what the member counts for, which is added to the head', () => {
    const item = entry(all);
    const adds = { '+Likes': '1', '+Weight': '2', '+Mean': '2', '#Mean': '1' };

    expect(planned(undefined, { Post: 'a', Weight: 2 })).toStrictEqual({
      is: 'post',
      write: { key, item, size: itemSize(item), adds },
    });
  });

  test.each<[string, PlainAttributes, PlainAttributes | undefined, object, Record<string, string>]>([
    [
      'gets what differs',
      all,
      { Post: 'a', Weight: 7 },
      { put: itemOf({ ...all, '+Weight': 7, '+Mean': 7 }), clear: [] },
      { '+Likes': '0', '+Weight': '5', '+Mean': '5', '#Mean': '0' },
    ],
    [
      'loses what its member does not count for',
      all,
      { Post: 'a' },
      { put: itemOf({ '+Likes': 1 }), clear: ['+Weight', '+Mean', '#Mean'] },
      { '+Likes': '0', '+Weight': '-2', '+Mean': '-2', '#Mean': '-1' },
    ],
    ['goes with its member', { '+Likes': 1 }, undefined, { clear: undefined }, { ...none, '+Likes': '-1' }],
    ['goes if it says nothing', {}, undefined, { clear: undefined }, none],
  ])('%s, on condition that it is as read', (_, before, after, changes, adds) => {
    const missing = { '+Likes': undefined, '+Weight': undefined, '+Mean': undefined, '#Mean': undefined };

    expect(planned(before, after)).toStrictEqual({
      is: 'post',
      write: {
        key,
        expect: { ...missing, ...itemOf(before) },
        size: itemSize(entry(before)),
        ...changes,
        adds,
      },
    });
  });

  test.each<[string, object]>([
    ['9999999999999.999999999999', { is: 'post' }],
    ['-10000000000000', { is: 'unchanged' }],
    ['0.0000000000001', { is: 'unchanged' }],
  ])('is not made of %s, where invalid members are skipped, if sums might not fit', (N, plan) => {
    const skipping = { ...likes, invalid: 'skip', limit: 1 } as const;
    const item = { ...like({ Post: 'a' }), Weight: { N } };

    expect(planEntry(bound(skipping, table), target, { key: member, entry: undefined, item })).toMatchObject(
      plan,
    );
  });

  test('is refused if its member is invalid', () => {
    expect(planned(all, { Post: 'a', Weight: 'heavy' })).toMatchObject({
      ...{ is: 'refuse', copy: key },
      error: { code: 'member.invalid', key: member },
    });
  });
});
