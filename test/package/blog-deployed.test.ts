import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { author, comment, post } from './blog/test/items.ts';
import { deployProject } from './deploy-project.ts';
import { succeeds } from './shell.ts';

const blog = inject('blog');
let stack: Awaited<ReturnType<typeof deployProject>>;

beforeAll(async () => {
  stack = await deployProject(blog, 'blog-dev');
}, 600_000);
afterAll(() => stack.close());

describe('the stack of a project that is nobody’s sample', () => {
  test('propagates, with no more than the permissions of its template', async () => {
    const { table } = stack;
    const inTime = 120_000;
    await table.put(author, post, { ...comment, author_name: 'A', title: 'E' });
    await table.holds(comment, { title: 'Engines', author_name: 'Ada' }, inTime);

    await table.put({ ...author, name: 'Ada Lovelace' });
    await table.holds(post, { author_name: 'Ada Lovelace' }, inTime);
    await table.holds(comment, { author_name: 'Ada Lovelace' }, inTime);
  });

  test('is proven by `denorm smoke`, which makes items for each of its rules', async () => {
    const said = await succeeds('npx denorm smoke --stack blog-dev --within 120', blog, stack.shell);

    expect(said).toMatch(/^proven +title-on-comments: creation .* change .* removal/m);
    expect(said).toMatch(
      / of stack blog-dev; found \d+ proven, 0 failed, 2 unproven, 0 off; nothing left behind/,
    );
  }, 240_000);

  test('has the functions that its rules need', () => {
    expect([...stack.outputs.keys()].filter((name) => name.endsWith('Function')).toSorted()).toEqual([
      ...['ArchiveFunction', 'FanOutFunction', 'PropagateFunction', 'SweepFunction', 'VerifyFunction'],
    ]);
  });
});
