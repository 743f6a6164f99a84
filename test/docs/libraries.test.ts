import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeRule } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import { projectOf } from '../../src/examples/project-examples.ts';
import type { Config } from '../../src/model/rules/config.ts';
import { failureText } from '../../src/simulator/report.ts';
import { defaultSteps } from '../../src/simulator/run.ts';
import { projectScenario } from '../../src/simulator/scenario.ts';
import { runSeeds } from '../../src/simulator/summary.ts';
import toolbox from '../libraries/toolbox.config.ts';
import { blocksOfLibraries } from './fixtures/recipes-page.ts';

/** `npm run suite libraries` has the libraries themselves write to these tables, and read from them. */
const names = ['electrodb', 'toolbox', 'onetable'];
const fileOf = (name: string) => fileURLToPath(new URL(`../libraries/${name}.config.ts`, import.meta.url));

describe('the recipe of a table of another library', () => {
  test('is an excerpt of the config for ElectroDB', () => {
    const [block = expect.fail('no recipe'), ...others] = blocksOfLibraries;

    expect(readFileSync(fileOf('electrodb'), 'utf8')).toContain(block);
    expect(others).toEqual([]);
  });

  test.each(names)('keeps every promise in the simulator: %s', async (name) => {
    const { default: config }: { default: Config } = await import(/* @vite-ignore */ fileOf(name));
    const registry = config.registry({});

    const { project, obstacles } = projectOf(registry);
    expect(obstacles).toEqual([]);
    const { failures } = await runSeeds(projectScenario(project), {
      // In some of these, an item of another type takes the place of a talk.
      ...{ from: 21, to: 30, steps: defaultSteps, shown: true },
    });
    expect(failures.map((failure) => failureText(failure, 'denorm simulate'))).toEqual([]);
  });
});

const stamped = { _ct: '2026-01-01T00:00:00.000Z', _md: '2026-01-02T00:00:00.000Z', speakerName: 'Ada' };

// The worker creates copies whose sort key is a number.
describeRule(toolbox, 'visits-of-talk', {
  root: { ...stamped, id: 'EVENT#e', number: 1, _et: 'Talk', speaker: 'PERSON#ada', guests: ['bob'] },
  copies: [{ ...stamped, id: 'GUEST#bob#e', number: 1, _et: 'Visit' }],
  change: { speakerName: 'Ada Lovelace' },
});
