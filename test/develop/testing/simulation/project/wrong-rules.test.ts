import { expect, test } from 'vitest';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { run } from '../../../../../src/develop/testing/simulation/run.ts';
import { shrink } from '../../../../../src/develop/testing/simulation/shrink.ts';
import { blogWith } from '../../../../fixtures/testing/blog.ts';
import { wrongRules } from '../../../../fixtures/testing/wrong-rules.ts';

/** Seeds within which a wrong rule must be found, and steps that a person reads. */
const maxSeeds = 500;
const maxSteps = 20;

test.each(wrongRules)('a wrong rule is found, in few steps: $name', async ({ rules, says }) => {
  const scenario = projectScenario(projectOf(blogWith(rules).registry()).project);
  for (let seed = 1; seed <= maxSeeds; seed += 1) {
    const outcome = await run(scenario, seed);
    if (outcome.violations.length === 0) continue;
    const shrunk = await shrink(scenario, outcome);

    expect(shrunk.violations[0]?.what).toContain(says);
    expect(shrunk.steps.length).toBeLessThanOrEqual(maxSteps);
    expect(shrunk.steps.length).toBeGreaterThan(0);
    return;
  }
  throw new Error('Expected a failing seed, found none');
});
