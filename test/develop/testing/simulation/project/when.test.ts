import type { RemovalPolicy, Rule } from 'stream-denormalizer';
import { expect, test } from 'vitest';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { run } from '../../../../../src/develop/testing/simulation/run.ts';
import {
  authorOnPosts,
  blogTable,
  blogWith,
  post,
  postOnComments,
} from '../../../../fixtures/testing/blog.ts';

const staff = {
  when: { root: (root: Readonly<Record<string, unknown>>) => root['rank'] === 'staff' },
  reads: { root: ['name', 'score', 'rank'], copy: ['author', 'title'] },
};

const titleKeys: Rule = {
  ...{ name: 'title-keys', root: post, copy: post, rootOf: () => undefined, copies: [], own: [] },
  ...{ unknown: 'keep', creates: false, tenant: undefined, onExpire: 'keep' },
  reads: { root: ['published', 'title'], copy: ['published', 'title'] },
  located: { in: 'itself' },
  when: { root: (root: Readonly<Record<string, unknown>>) => root['published'] !== 'draft' },
  derive: { [blogTable.indexes.byAuthor.sk]: ({ root }) => `post#${String(Reflect.get(root, 'title'))}` },
  onDelete: 'clear',
};

test.each<[string, readonly Rule[]]>([
  ...(['delete', 'clear', 'keep'] as const).map((onDelete: RemovalPolicy): [string, readonly Rule[]] => [
    `onDelete ${onDelete}`,
    [{ ...authorOnPosts, ...staff, onDelete }, postOnComments],
  ]),
  ...(['clear', 'keep'] as const).map((onDelete): [string, readonly Rule[]] => [
    `an item that is its own copy, onDelete ${onDelete}`,
    [
      { ...titleKeys, onDelete },
      { ...postOnComments, name: 'comments' },
    ],
  ]),
])('a rule with when keeps its promises: %s', { timeout: 120_000 }, async (_, rules) => {
  const { project, obstacles } = projectOf(blogWith(rules).registry());
  expect(obstacles).toEqual([]);
  for (let seed = 1; seed <= 25; seed += 1)
    expect((await run(projectScenario(project), seed)).violations).toEqual([]);
});
