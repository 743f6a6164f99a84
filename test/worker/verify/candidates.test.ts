import { describe, expect, test } from 'vitest';
import { type Item, keyAttributes, keyed as keyedIn } from '../../../src/model/items/item.ts';
import { entryKey, namesOfLedger } from '../../../src/model/rules/ledger.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { table } from '../../../src/table.ts';
import { itemOf, type PlainAttributes } from '../../../src/testing/plain-values.ts';
import { countedIn, placedKeysIn } from '../../../src/worker/verify/candidates.ts';
import { classifyEntry } from '../../../src/worker/verify/classify-target.ts';
import { bound } from '../../fixtures/model/bound.ts';
import {
  aMember,
  anAddress,
  aPost,
  aTagged,
  memberOnAddress,
  titleOnTags,
  titleOnTagsThat,
} from '../../fixtures/world/posts.ts';
import { keyed, keyIn } from '../../fixtures/world/worker.ts';
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
const placed = { is: 'entry', rule: bound(rule, table), target, member } as const;
const failing = bound({ ...rule, targetsOf: fails }, table);

describe('an item of a ledger or a member', () => {
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
    const entries = countedIn(aggregate, keyedIn(table, item)).filter(({ is }) => is === 'entry');

    expect(entries).toEqual(expected);
  });

  test.each<[string, PlainAttributes, object]>([
    ['right', { Post: 'a' }, { is: 'right' }],
    ['derived', { Post: 'b' }, { is: 'drift', drift: { kind: 'derived', copy: member, root: target } }],
    ['invalid', { Post: 'a', Weight: 'x' }, { drift: { kind: 'invalid', code: 'member.invalid' } }],
  ])('makes its entry %s', (_, own, expected) => {
    expect(classifyEntry(placed.rule, target, { key: member, entry, item: like(own) })).toMatchObject(
      expected,
    );
  });
});

describe('placedKeysIn', () => {
  const root = keyIn(aPost([]));
  const excluding = { ...titleOnTags, when: { root: () => false } };
  const { Tags, ...invalid } = aPost([]);

  test.each<[string, Rule, Item, readonly unknown[]]>([
    ['each key of a root', titleOnTags, aPost(['a', 'b']), [keyIn(aTagged('a')), keyIn(aTagged('b'))]],
    ['the one key of a root', memberOnAddress, aMember('1', 'a@x'), [keyIn(anAddress('1', 'a@x'))]],
    ['no key by a rule that does not create', titleOnTagsThat('delete'), aPost(['a']), []],
    ['no key of an item of another kind', titleOnTags, aMember('1', 'a@x'), []],
    ['no key of a root that the rule does not apply to', excluding, aPost(['a']), []],
    ['its own key for an invalid root', titleOnTags, invalid, [root]],
  ])('gives %s', (_, rule, item, keys) => {
    const placing = bound(rule);

    expect(placedKeysIn([placing], keyed(item))).toEqual(
      keys.map((key) => ({ is: 'placed', rule: placing, root: keyIn(item), key })),
    );
  });
});
