import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps } from '../../src/develop/testing/simulation/run.ts';
import { definitionsIn } from '../anchors/definitions.ts';
import { edited, sourcesIn } from '../anchors/edit.ts';
import { functionsOf, peers } from './peers.ts';
import { anchored, plantedBugs } from './planted-bugs.ts';
import { command, playShare } from './run.ts';

const sources = sourcesIn(fileURLToPath(new URL('../..', import.meta.url)), anchored);

describe('the planted bugs', () => {
  test('have unique names', () => {
    const names = new Set(plantedBugs.map(({ name }) => name));

    expect(names.size).toBe(plantedBugs.length);
  });

  test.each(plantedBugs)('$name: its text occurs once, and the result is valid source', ({ edits }) => {
    const changed = edited(sources, edits);

    for (const [file, text] of changed) {
      expect(text).not.toBe(sources.get(file));
      expect(definitionsIn(text)).not.toEqual([]);
    }
  });

  test('are listed with the number of seeds until each was found', () => {
    const list = readFileSync(new URL('planted-bugs.md', import.meta.url), 'utf8');
    const listed = [...list.matchAll(/^\| (.+?) \| \d+ \|/gm)].map(([, name]) => name);

    expect(listed).toEqual([
      ...peers.map((peer) => `as others do: ${peer}`),
      ...plantedBugs.map(({ name }) => name),
    ]);
  });
});

describe('a worker of the design of another project', () => {
  test.each(peers)('%s: is caught, with few steps and the command that repeats them', async (peer) => {
    const { failures } = await playShare(
      { from: 1, to: 5, steps: defaultSteps, shown: true },
      functionsOf(peer),
    );
    const [failure] = failures;
    if (failure === undefined) throw new Error('Expected a failing seed, found none');
    const { outcome, shrunk } = failure;

    expect(shrunk.steps.length).toBeLessThanOrEqual(20);
    expect(failureText(outcome, shrunk, defaultSteps, command)).toContain(
      `npm run simulate -- --seed ${outcome.seed} --seeds 1 --steps ${defaultSteps}`,
    );
  });
});
