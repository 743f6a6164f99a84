import { expect, test } from 'vitest';
import { costOfRule } from '../../../src/develop/cost/cost-of-rule.ts';
import { givenItems } from '../../../src/develop/cost/rule-items.ts';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import tags from '../../fixtures/tags/denorm.config.ts';
import { settingsFor } from './blog-stack.ts';

const registry = tags.registry();
const rule = registry.rules[0] ?? expect.fail('no rule');
const post = itemOf({
  ...{ PK: 'POST#1', SK: 'METADATA', Type: 'Post', Title: 'Notes', Tags: ['a', 'b', 'c'] },
});
const tagged = itemOf({ PK: 'TAG#a', SK: 'POST#1', Type: 'TaggedPost', Title: 'Notes' });

test('a new root costs a transaction of its copies, twice their units, and twice its own', async () => {
  const items = givenItems(registry.table, rule, post, tagged);
  const { created } = await costOfRule(settingsFor(registry), registry, rule, items, {
    ...{ fanOuts: [1], itemBytes: undefined },
  });

  expect(created).toMatchObject({
    fanOut: 3,
    counts: { copiesWritten: 3, writeUnits: 3 * 2 + 2, requests: { TransactWriteItems: 1 } },
  });
});
