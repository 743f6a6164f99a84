import { describe, expect, test } from 'vitest';
import type { ItemKey } from '../../../src/model/items/item.ts';
import {
  entriesOf,
  entryIn,
  entryKey,
  headKey,
  headOf,
  headsOf,
  isHead,
  isOfLedger,
  namesOfLedger,
  sumNames,
  targetNamed,
} from '../../../src/model/rules/ledger.ts';
import { salesOfDay } from '../../fixtures/world/days.ts';
import { likesOfPost } from '../../simulation/likes-rules.ts';

const likes = likesOfPost(8);
const target: ItemKey = { pk: 'POST#1', sk: 'POST' };
const members = Array.from({ length: 200 }, (_, like): ItemKey => ({ pk: `LIKE#${like}`, sk: 'LIKE' }));
const [member = target] = members;
const key = entryKey(likes, target, member);
const texts = (keys: readonly ItemKey[]) => new Set(keys.map((one) => JSON.stringify(one)));

test('heads make their target, and are made by nobody', () => {
  const making = salesOfDay('delete', 2);

  expect(headsOf(making)).toMatchObject({ creates: true, onEmpty: 'delete', memberCount: 'Sales' });
  expect(entriesOf(making)).toMatchObject({ creates: false, onEmpty: undefined });
});

describe('the entry of a member', () => {
  test('has one key of its own, in the partition of its head', () => {
    expect(texts(members.map((one) => entryKey(likes, target, one))).size).toBe(200);
    expect(entryKey(likes, target, { ...member })).toEqual(key);
    expect(key.pk).toMatch(/^~likes-of-post#[0-7]\/8#\["POST#1","POST"\]$/);
    expect(headOf(key)).toEqual({ pk: key.pk, sk: 'head' });
  });

  test('is in one of the shards, which share the members', () => {
    const heads = Array.from({ length: 8 }, (_, shard) => headKey(likes, target, shard));
    const used = texts(members.map((one) => headOf(entryKey(likes, target, one))));

    expect(used).toEqual(texts(heads));
  });

  test('is another one with another number of shards, another target or aggregate', () => {
    const others = [
      entryKey(likesOfPost(1), target, member),
      entryKey(likes, { ...target, pk: 'POST#2' }, member),
      entryKey({ ...likes, name: 'likes' }, target, member),
    ];

    expect(texts([key, ...others]).size).toBe(4);
  });

  test.each(['x'.repeat(1000), '😀'.repeat(254)])('of a long key fits into a key of its own: %#', (sk) => {
    const [a = key, b = key] = ['a', 'b'].map((pk) => entryKey(likes, { pk, sk }, { pk, sk }));

    expect(Buffer.byteLength(a.sk)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(a.pk)).toBeLessThanOrEqual(2048);
    expect([a.pk === b.pk, a.sk === b.sk]).toEqual([false, false]);
  });
});

describe('an item says whose entry it is', () => {
  const names = namesOfLedger(target, member);

  test.each([
    ['by its names, not by its key, which may be a digest', key, names, { target, member }],
    ['not if it is a head, whatever it says', headOf(key), names, undefined],
    ['not if it has lost a name', key, namesOfLedger(target), undefined],
    ['not if its key is no entry of this aggregate', { ...key, pk: '~likes#0/8#x' }, names, undefined],
    ['not if a name is no key', key, { ...names, '~member': { S: 'LIKE#0' } } as const, undefined],
  ])('%s', (_, at, item, expected) => {
    expect(entryIn(likes, at, item)).toEqual(expected);
  });

  test('and a head whose head', () => {
    expect(targetNamed(namesOfLedger(target))).toEqual(target);
    expect([isHead(likes, headOf(key)), isHead(likes, key), isHead(likes, { pk: 'p', sk: 'head' })]).toEqual([
      ...[true, false, false],
    ]);
  });

  test('only of an aggregate with a ledger', () => {
    const { ledger: _, ...without } = likes;

    expect([isOfLedger(likes, key), isOfLedger({ ...without, ledger: undefined }, key)]).toEqual([
      true,
      false,
    ]);
  });
});

test('an average keeps the sum and how many there were, others their sum', () => {
  expect(sumNames(likes)).toEqual(['+Likes', '+Weight', '+Mean', '#Mean']);
  expect(headsOf(likes).computes).toMatchObject({
    Likes: { of: '+Likes' },
    Mean: { of: '+Mean', weight: '#Mean' },
  });
  expect(Object.keys(entriesOf(likes).computes)).toEqual(sumNames(likes));
});

test('a target is computed from all heads: no limit and no invalid one leaves any out', () => {
  const heads = headsOf({ ...likes, limit: 3, invalid: 'skip' });

  expect(heads.members).toHaveLength(8);
  expect([heads.limit, heads.invalid]).toEqual([Number.POSITIVE_INFINITY, 'dead-letter']);
});
