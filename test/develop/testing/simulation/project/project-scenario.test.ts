import { defineKind } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { defaultSteps, run } from '../../../../../src/develop/testing/simulation/run.ts';
import { realFunctions } from '../../../../../src/develop/testing/simulation/world/worker-under-test.ts';
import type { Config } from '../../../../../src/model/config.ts';
import { authorOnPosts, blog, blogWith } from '../../../../fixtures/testing/blog.ts';
import { refused } from '../../../../fixtures/testing/wrong-rules.ts';
import { functionsOf, peers } from '../../../../simulation/peers.ts';

const scenarioOf = (config: Config) => projectScenario(projectOf(config.registry()).project);

describe('the rules of a project', { timeout: 120_000 }, () => {
  test.each(peers)('are seen to be broken by a worker that does it another way: %s', async (peer) => {
    const scenario = scenarioOf(blog);
    for (let seed = 1; seed <= 40; seed += 1) {
      const { violations } = await run(scenario, seed, defaultSteps, functionsOf(peer));
      if (violations.length === 0) continue;

      expect([1, 2, 3, 4, 6]).toContain(violations[0]?.invariant);
      return;
    }
    throw new Error('Expected a failing seed, found none');
  });

  test('are seen to be broken where nothing is archived', async () => {
    const scenario = scenarioOf(blog);
    const functions = { ...realFunctions, archiveBatch: async () => new Map() };
    const whats = [];
    for (let seed = 1; seed <= 40 && whats.length === 0; seed += 1)
      whats.push(...(await run(scenario, seed, defaultSteps, functions)).violations.map(({ what }) => what));

    expect(whats).toContain('an item that expired is not in the archive as it last was');
  });

  test('are simulated with the examples of their kinds, and a wrong example is named', () => {
    const coupon = (Code: string) =>
      defineKind({
        name: 'Coupon',
        pk: 'coupon#{coupon}',
        sk: 'coupon',
        attributes: z.object({ Code: z.string().regex(/^[A-Z]{3}-20\d\d$/) }),
        examples: [{ Code }, { Code: 'ABC-2026' }],
      });
    const obstaclesOf = (kind: ReturnType<typeof coupon>) =>
      projectOf(
        blogWith([{ ...authorOnPosts, root: kind, reads: { root: ['Code'], copy: ['author'] } }]).registry(),
      )
        .obstacles.map(({ message }) => message)
        .filter((message) => message.includes('Coupon'));

    expect(obstaclesOf(coupon('XYZ-2001')).join()).not.toContain('Code');
    expect(obstaclesOf(coupon('xyz'))).toEqual([
      "Expected each example of 'Code' of Coupon to be a value that its schema accepts, found one that it rejects: correct the example",
    ]);
  });

  test.each(refused)('are refused before the first seed: $name', ({ rules, says, needs }) => {
    const { obstacles } = projectOf(blogWith(rules).registry());

    expect(obstacles).toEqual([{ needs, message: expect.stringContaining(says) }]);
  });

  test('a rule whose when is true for no root that can be made asks for examples', () => {
    const never = { ...authorOnPosts, when: { root: () => false } };
    const { obstacles } = projectOf(blogWith([never]).registry());

    expect(obstacles).toEqual([
      { needs: 'examples', message: expect.stringContaining('for which when of author-on-posts is true') },
    ]);
  });
});
