import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { functionsOf, peers } from './peers.ts';
import { plantedBugs } from './planted-bugs.ts';
import { playShare } from './play-share.ts';
import { failureText } from './report.ts';
import { defaultSteps } from './run.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

describe('the planted bugs', () => {
  test('are at least 40, each under a name of its own', () => {
    const names = new Set(plantedBugs.map(({ name }) => name));

    expect(names.size).toBe(plantedBugs.length);
    expect(names.size).toBeGreaterThanOrEqual(40);
  });

  test.each(plantedBugs)('$name: the text to change stands in its file once', ({ edits }) => {
    for (const { file, find, replace } of edits) {
      expect(readFileSync(join(repository, file), 'utf8').split(find)).toHaveLength(2);
      expect(replace).not.toBe(find);
    }
  });

  test('stand in the docs, each with the seeds it needed', () => {
    const docs = readFileSync(join(repository, 'docs/simulation.md'), 'utf8');
    const listed = [...docs.matchAll(/^\| (.+?) \| \d+ \|/gm)].map(([, name]) => name);

    expect(listed).toEqual([
      ...peers.map((peer) => `as others do: ${peer}`),
      ...plantedBugs.map(({ name }) => name),
    ]);
  });
});

describe('the ways of others', () => {
  test.each(peers)('%s: caught, with the few steps that matter and how to see them again', async (peer) => {
    const { failures } = await playShare(
      { from: 1, to: 5, steps: defaultSteps, shown: true },
      functionsOf(peer),
    );
    const [failure] = failures;
    if (failure === undefined) throw new Error('Expected a failing seed, found none');
    const { outcome, shrunk } = failure;

    expect(shrunk.steps.length).toBeLessThanOrEqual(20);
    expect(failureText(outcome, shrunk, defaultSteps)).toContain(
      `npm run simulate -- --seed ${outcome.seed} --seeds 1 --steps ${defaultSteps}`,
    );
  });
});
