import { defineConfig, defineKind, defineRule, type Rule } from 'stream-denormalizer';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { run } from '../../../../../src/develop/testing/simulation/run.ts';
import { table } from '../../../../fixtures/model/table.ts';
import { memberOnAddress, titleOnTags, titleOnTagsThat } from '../../../../fixtures/posts/posts.ts';

test.each<[string, readonly Rule[]]>([
  ['copies at several keys', [titleOnTagsThat('delete')]],
  ['copies that stay at keys which left the list', [titleOnTagsThat('keep')]],
  ['created copies at several keys', [titleOnTags]],
  ['created copies at several keys, some roots only', [{ ...titleOnTags, when: { root: isLong } }]],
  ['a created copy at a key that two roots may want', [memberOnAddress]],
])('a simulation finds that rules keep their promises: %s', { timeout: 120_000 }, async (_, rules) => {
  const { project, obstacles } = projectOf(defineConfig({ table, rules }).registry());
  expect(obstacles).toEqual([]);
  let written = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const outcome = await run(projectScenario(project), seed);
    expect(outcome.violations, `seed ${seed}`).toEqual([]);
    written += outcome.written;
  }
  expect(written).toBeGreaterThan(0);
});

test('a simulation refutes a rule whose created copies name another root', { timeout: 60_000 }, async () => {
  const owner = defineKind({
    name: 'Owner',
    pk: 'O#{o}',
    sk: 'O',
    attributes: z.object({ Name: z.string() }),
  });
  const card = defineKind({ name: 'Card', pk: 'C#{o}', sk: 'C', attributes: z.object({ Name: z.string() }) });
  const astray = defineRule({
    name: 'astray',
    root: owner,
    copy: card,
    located: { in: 'key', at: ({ ids }) => card.key(ids) },
    rootOf: ({ ids }) => owner.key({ o: `${ids.o}x` }),
    creates: true,
    copies: ['Name'],
    onDelete: 'delete',
    onExpire: 'delete',
  });
  const { project } = projectOf(defineConfig({ table, rules: [astray] }).registry());
  const outcomes = await Promise.all([1, 2, 3].map((seed) => run(projectScenario(project), seed)));

  expect(outcomes.flatMap(({ violations }) => violations.map(({ what }) => what))).not.toEqual([]);
});

function isLong({ Tags }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(Tags) && Tags.length > 1;
}
