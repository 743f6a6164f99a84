import { describe, expect, test } from 'vitest';
import { keyAttributes, keyed } from '../../../src/model/items/item.ts';
import { entryKey, namesOfLedger } from '../../../src/model/rules/ledger.ts';
import { table } from '../../../src/table.ts';
import { itemOf, type PlainAttributes } from '../../../src/testing/plain-values.ts';
import { classifyEntry, postedBy } from '../../../src/worker/verify/placed-entry.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { likesOfPost } from '../../simulation/likes-rules.ts';

const rule = likesOfPost(1);
const target = { pk: 'POST#a', sk: 'POST' };
const member = { pk: 'LIKE#1', sk: 'LIKE' };
const like = (own: PlainAttributes) =>
  itemOf({ [table.pk]: 'LIKE#1', [table.sk]: 'LIKE', [table.type]: 'Like', ...own });
const entry = {
  ...keyAttributes(table, entryKey(rule, target, member)),
  ...namesOfLedger(target, member),
  ...itemOf({ '+Likes': 1 }),
};
const fails = () => {
  throw new Error('odd');
};
const placed = { rule: bound(rule, table), target, member };
const failing = bound({ ...rule, targetsOf: fails }, table);

describe('an item', () => {
  test.each([
    ['each target of a member', placed.rule, like({ Post: 'a' }), [placed]],
    ['what an entry says', placed.rule, entry, [placed]],
    [
      'its own key if targetsOf fails on it',
      failing,
      like({ Post: 'a' }),
      [{ ...placed, rule: failing, target: member }],
    ],
    ['nothing of an item of another kind', placed.rule, like({ [table.type]: 'Dislike', Post: 'a' }), []],
    ['nothing without a ledger', { ...placed.rule, ledger: undefined }, like({ Post: 'a' }), []],
  ])('says of ledgers: %s', (_, aggregate, item, expected) => {
    expect(postedBy(aggregate, keyed(table, item))).toEqual(expected);
  });

  test.each<[string, PlainAttributes, object]>([
    ['right', { Post: 'a' }, { is: 'right' }],
    ['derived', { Post: 'b' }, { is: 'drift', drift: { kind: 'derived', copy: member, root: target } }],
    ['invalid', { Post: 'a', Weight: 'x' }, { drift: { kind: 'invalid', code: 'member.invalid' } }],
  ])('makes its entry %s', (_, own, expected) => {
    expect(classifyEntry(placed, { key: member, entry, item: like(own) })).toMatchObject(expected);
  });
});
