import { describe, expect, test } from 'vitest';
import application from '../../../../../denorm.config.ts';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { failureText } from '../../../../../src/develop/testing/simulation/report.ts';
import { defaultSteps, run } from '../../../../../src/develop/testing/simulation/run.ts';
import type { Config } from '../../../../../src/model/config.ts';
import { blog } from '../../../../fixtures/testing/blog.ts';

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
});
