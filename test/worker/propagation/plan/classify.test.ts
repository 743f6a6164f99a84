import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/item.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { classify, classifyMissing } from '../../../../src/worker/propagation/plan/classify.ts';
import { aCrewing, aSailor } from '../../../fixtures/cruises/cruise-items.ts';
import { nameOnCrew } from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';
import { aPost, titleOnTags, titleOnTagsThat } from '../../../fixtures/posts/posts.ts';

const sailor = { pk: 'SAILOR#1', sk: 'SAILOR' };

describe('a check finds a copy', () => {
  test.each<[string, Item | undefined, Item]>([
    ['right', aSailor(), aCrewing('p')],
    ['differs', aSailor({ Name: 'Queequeg' }), aCrewing('p')],
    ['orphan', undefined, aCrewing('p')],
    ['orphan', aSailor({ Kind: 'Cook' }), aCrewing('p')],
    ['foreign', aSailor(), aCrewing('p', { OwnerPart: 'SAILOR#2' })],
  ])('%s', (is, root, copy) => {
    expect(classify(table, nameOnCrew, sailor, root, copy).is).toBe(is);
  });
});

describe('a check finds, where there is no copy,', () => {
  const key = { pk: 'TAG#a', sk: 'POST#1' };
  const root = { pk: 'POST#1', sk: 'POST' };

  test.each<[string, Item | undefined, Rule]>([
    ['missing', aPost(['a']), titleOnTags],
    ['foreign', aPost(['b']), titleOnTags],
    ['foreign', undefined, titleOnTags],
    ['foreign', aPost(['a']), titleOnTagsThat('delete')],
  ])('%s', (is, item, rule) => {
    expect(classifyMissing(table, rule, root, item, key)).toEqual({ is });
  });

  test('invalid if its root is invalid, or the copy would be', () => {
    expect(classifyMissing(table, titleOnTags, root, { ...aPost([]), Tags: { S: 'a' } }, key)).toMatchObject({
      is: 'invalid',
      concerns: 'root',
      code: 'root.invalid',
    });
    expect(classifyMissing(table, titleOnTags, root, aPost(['a'], 'x'.repeat(410_000)), key)).toMatchObject({
      is: 'invalid',
      concerns: 'copy',
      code: 'copy.too-large',
    });
  });
});
