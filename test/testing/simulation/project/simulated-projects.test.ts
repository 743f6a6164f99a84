import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../src/model/config.ts';
import { projectOf } from '../../../../src/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../src/testing/simulation/project/project-scenario.ts';
import { failureText } from '../../../../src/testing/simulation/report.ts';
import { defaultSteps, run } from '../../../../src/testing/simulation/run.ts';
import { shrink } from '../../../../src/testing/simulation/shrink.ts';
import application from '../../../application/denorm.config.ts';
import { blog, blogWith } from '../../../fixtures/testing/blog.ts';
import { wrongRules } from '../../../fixtures/testing/wrong-rules.ts';

/** Seeds within which a wrong rule must be found, and steps that a person reads. */
const maxSeeds = 500;
const maxSteps = 20;

const scenarioOf = (config: Config) => projectScenario(projectOf(config.registry()).project);

describe('the rules of a project', () => {
  test.each([
    ['the application of the tests', application],
    ['a blog with names of its own', blog],
  ])('keep their promises: %s', async (_, config) => {
    const scenario = scenarioOf(config);
    const failures = [];
    let written = 0;
    for (let seed = 1; seed <= 25; seed += 1) {
      const outcome = await run(scenario, seed);
      written += outcome.written;
      if (outcome.violations.length > 0)
        failures.push(failureText(outcome, outcome, defaultSteps, 'denorm simulate'));
    }

    expect(failures).toEqual([]);
    expect(written).toBeGreaterThan(200);
  });

  test.each(wrongRules)('are found to be wrong, in few steps: $name', async ({ rules, says }) => {
    const scenario = scenarioOf(blogWith(rules));
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
});
