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
import electrodb from './fixtures/libraries/electrodb.ts';
import onetable from './fixtures/libraries/onetable.ts';
import toolbox from './fixtures/libraries/toolbox.ts';
import { blocksOfLibraries } from './fixtures/recipes-page.ts';

const names = ['electrodb', 'toolbox', 'onetable'];
const fileOf = (name: string) => fileURLToPath(new URL(`fixtures/libraries/${name}.ts`, import.meta.url));

describe('the recipe of a table of another library', () => {
  test('is an excerpt of its config', () => {
    expect(blocksOfLibraries).toHaveLength(names.length);
    for (const [index, block] of blocksOfLibraries.entries())
      expect(readFileSync(fileOf(names[index] ?? ''), 'utf8')).toContain(block);
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

// Items as a scan shows what the libraries have stored: ElectroDB 3.9.3, OneTable 2.7.7 and dynamodb-toolbox 2.10.6.

const electroAuthor = {
  pk: '$blog#authorid_ada',
  sk: '$author_1',
  __edb_e__: 'author',
  __edb_v__: '1',
  authorId: 'Ada',
  handle: 'Countess',
  name: 'Ada',
};
const electroPost = {
  pk: '$blog#postid_p1',
  sk: '$post_1',
  __edb_e__: 'post',
  __edb_v__: '1',
  gsi1pk: '$blog#authorid_ada',
  gsi1sk: '$post_1#postid_p1',
  postId: 'P1',
  authorId: 'ADA',
  authorName: 'Ada',
};
const electroHandle = {
  pk: '$blog#handle_countess',
  sk: '$handle_1',
  __edb_e__: 'handle',
  __edb_v__: '1',
  authorKey: 'ada',
  authorId: 'Ada',
  handle: 'Countess',
  name: 'Ada',
};

describeRule(electrodb, 'author-on-posts', {
  root: electroAuthor,
  copies: [electroPost],
  change: { name: 'Ada Lovelace' },
  expected: { authorName: 'Ada Lovelace' },
});

describeRule(electrodb, 'handle-of-author', {
  root: electroAuthor,
  copies: [electroHandle],
  change: { name: 'Ada Lovelace' },
});

const times = { created: 1795862436559, updated: 1795862436559 };
const oneMember = {
  ...times,
  pk: 'team#x',
  sk: 'member#ada',
  _type: 'Member',
  gs1pk: 'user#ada',
  gs1sk: 'member#x',
  id: 'ada',
  teamId: 'x',
  teamName: 'Engines',
  name: 'Ada',
  born: -4861728000000,
};

describeRule(onetable, 'user-on-members', {
  root: {
    ...times,
    pk: 'user#ada',
    sk: 'user#',
    _type: 'User',
    id: 'ada',
    name: 'Ada',
    born: -4861728000000,
  },
  copies: [oneMember],
  change: { name: 'Ada Lovelace' },
});

describeRule(onetable, 'team-on-members', {
  root: { ...times, pk: 'team#x', sk: 'team#', _type: 'Team', id: 'x', name: 'Engines' },
  copies: [oneMember],
  change: { name: 'Notes' },
  expected: { teamName: 'Notes' },
});

const stamped = { _ct: '2026-01-01T00:00:00.000Z', _md: '2026-01-02T00:00:00.000Z' };
const talk = {
  ...stamped,
  id: 'EVENT#e',
  number: 1,
  _et: 'Talk',
  speaker: 'PERSON#ada',
  speakerName: 'Ada',
  guests: ['bob'],
};

describeRule(toolbox, 'speaker-on-talks', {
  root: { ...stamped, id: 'PERSON#ada', number: 0, _et: 'Person', name: 'Ada' },
  copies: [talk],
  change: { name: 'Ada Lovelace' },
  expected: { speakerName: 'Ada Lovelace' },
});

// The worker creates copies whose sort key is a number.
describeRule(toolbox, 'visits-of-talk', {
  root: talk,
  copies: [{ ...stamped, id: 'GUEST#bob#e', number: 1, _et: 'Visit', speakerName: 'Ada' }],
  change: { speakerName: 'Ada Lovelace' },
});
