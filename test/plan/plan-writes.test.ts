import { describe, expect, test } from 'vitest';
import type { Item, ItemKey } from '../../src/model/items/item.ts';
import { itemSize, maxItem } from '../../src/model/items/item-size.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { planCreation } from '../../src/plan/plan-writes.ts';
import { RootProjection } from '../../src/plan/projection.ts';
import { bound } from '../fixtures/model/bound.ts';
import { aMember, aPost, aTagged, memberOnAddress, titleOnTags } from '../fixtures/world/posts.ts';
import { refusal } from '../suites/refusal.ts';

const underA: ItemKey = { pk: 'TAG#a', sk: 'POST#1' };

function planned(root: Item, rule: Rule = titleOnTags, key = underA) {
  return planCreation(new RootProjection(bound(rule), root), key);
}

/** A post whose copy is so large. */
function ofSize(bytes: number): Item {
  return aPost(['a'], 'x'.repeat(bytes - itemSize(aTagged('a', ''))));
}

describe('a copy that is created', () => {
  test('has its key, its type and what the rule writes, if the root is as read', () => {
    expect(planned(aPost(['a']))).toEqual({
      write: { key: underA, item: aTagged('a'), size: itemSize(aTagged('a')) },
      rootExpect: { Kind: { S: 'Post' }, Tags: { L: [{ S: 'a' }] }, Title: { S: 'one' } },
      narrowed: false,
    });
  });

  test('may be as large as an item, and not larger', () => {
    expect(planned(ofSize(maxItem)).write.size).toBe(maxItem);
    expect(refusal(() => planned(ofSize(maxItem + 1)))).toMatchObject({
      code: 'copy.too-large',
      concerns: 'copy',
      rule: 'title-on-tags',
      key: underA,
      message: "A copy of rule title-on-tags would be larger than DynamoDB's 400 KB: make the root smaller",
    });
  });

  test('has a narrowed condition if an expression cannot hold all that is copied', () => {
    const wide = { ...titleOnTags, copies: Array.from({ length: 121 }, (_, index) => `a${index}`) };

    expect(planned(aPost(['a']), wide)).toMatchObject({
      rootExpect: { Kind: { S: 'Post' }, Tags: { L: [{ S: 'a' }] } },
      narrowed: true,
    });
    expect(planned(aPost(['a']), wide).rootExpect).not.toHaveProperty('a0');
  });

  test('is refused if it would not name its root, and nothing is at fault but the copy', () => {
    const misnaming = { ...memberOnAddress, derive: {} };
    const key = { pk: 'ADDRESS#e', sk: 'ADDRESS' };

    expect(refusal(() => planned(aMember('1', 'e'), misnaming, key))).toMatchObject({
      code: 'copy.misnamed',
      concerns: 'copy',
      rule: 'member-on-address',
      key,
      message:
        'Expected what rule member-on-address writes to make an Address that names its root: correct located.at or rootOf, or write what rootOf reads',
    });
  });
});
