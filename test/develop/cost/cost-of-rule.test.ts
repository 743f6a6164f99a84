import { expect, test } from 'vitest';
import { costOfRule } from '../../../src/develop/cost/cost-of-rule.ts';
import { generatedItems } from '../../../src/develop/cost/generated-items.ts';
import { dollarsOf } from '../../../src/develop/cost/prices.ts';
import { givenItems } from '../../../src/develop/cost/rule-items.ts';
import { settings } from '../../fixtures/application/stack.ts';
import { authorOnPosts, blog, postOnComments, blogTable as table } from '../../fixtures/testing/blog.ts';
import { ada, firstComment, postBy, settingsFor } from './blog-stack.ts';

const registry = blog.registry();
const stack = settingsFor(registry);
const posts = givenItems(table, authorOnPosts, ada, postBy('ada'));
const comments = givenItems(table, postOnComments, postBy('ada'), firstComment);

test('a fan-out over a partition costs its units, and a request for 25 writes', async () => {
  const { fanOuts } = await costOfRule(stack, registry, postOnComments, comments, {
    ...{ fanOuts: [1, 50], itemBytes: 1024 },
  });

  const [one, fifty] = fanOuts;
  expect(one).toMatchObject({ fanOut: 1, counts: { copiesWritten: 1, writeUnits: 1 } });
  expect(fifty).toMatchObject({ fanOut: 50, counts: { copiesWritten: 50, writeUnits: 50 } });
  expect(fifty?.counts.requests).toMatchObject({ Query: 1, BatchExecuteStatement: 2 });
  // Archive is told of the post, which it archives one day.
  expect(one?.counts.invocations).toBe(3);
});

test('the dollars are those of a million changes', async () => {
  const { fanOuts } = await costOfRule(stack, registry, authorOnPosts, posts, {
    ...{ fanOuts: [5], itemBytes: undefined },
  });
  const { counts, dollars } = fanOuts[0] ?? expect.fail('no row');

  expect(dollars.total).toBeCloseTo(1_000_000 * dollarsOf(counts).total, 6);
  // Each copy is in the index: a unit for it, and one for the item.
  expect(dollars.writes).toBeCloseTo(10 * 0.625, 9);
});

test.each(registry.rules)('changes of $name reach every copy of items that are made for it', async (rule) => {
  const items = generatedItems(table, rule);
  const { fanOuts } = await costOfRule(stack, registry, rule, items, {
    fanOuts: [1, 5, 60],
    itemBytes: 1024,
  });

  expect(fanOuts.map(({ counts }) => counts.copiesWritten)).toEqual([1, 5, 60]);
});

test('a rule is counted without the others that its root concerns', async () => {
  const noisy = { ...authorOnPosts, name: 'author-again', copies: [], derive: { author_name: () => 'x' } };
  const more = { ...registry, rules: [authorOnPosts, noisy] };
  const options = { fanOuts: [5], itemBytes: undefined };

  expect(await costOfRule(stack, more, authorOnPosts, posts, options)).toEqual(
    await costOfRule(stack, registry, authorOnPosts, posts, options),
  );
});

test('a stack whose filters pass no record of the rule is an error, instead of a rule that costs nothing', async () => {
  await expect(
    costOfRule(settings, registry, authorOnPosts, posts, {
      fanOuts: [5],
      itemBytes: undefined,
    }),
  ).rejects.toThrow(
    'Expected the worker to write 5 copies of author-on-posts, found 0 writes: let the filters',
  );
});
