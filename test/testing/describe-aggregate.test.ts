import { defineConfig } from 'stream-denormalizer';
import { type AggregateExample, describeAggregate } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { count, max } from '../../src/model/rules/reducers.ts';
import { clubTotals } from '../fixtures/league/league.ts';
import { table } from '../fixtures/model/table.ts';
import { suiteRun } from './suite-run.ts';

const configOf = (aggregate: Aggregate) => defineConfig({ table, rules: [], aggregates: [aggregate] });
const config = configOf(clubTotals);
const example: AggregateExample = {
  target: { Part: 'CLUB#a', Sort: 'CLUB' },
  members: [{ Part: 'CLUB#a', Sort: 'GAME#1' }],
  change: { HomeGoals: 2 },
  expected: {},
};

test.each([
  ['expected is missing', { ...example, expected: undefined }],
  ['expected has nothing that is computed', { ...example, expected: { Name: 'A' } }],
])('an example whose %s is told what to add', (_, given) => {
  const tests = { describe: () => undefined, test: () => undefined };

  expect(() => describeAggregate(config, 'club-totals', given as AggregateExample, tests)).toThrow(
    'Expected in expected what the members of the example add up to (Games, Goals, Gate, First, Last, Longest), found none of it: add it',
  );
});

describe('an example without a change', () => {
  const game = (number: string, PlayedAt: string) => ({
    ...{ Part: 'CLUB#a', Sort: `GAME#${number}`, Kind: 'Game', PlayedAt },
    ...{ Guest: 'b', HomeGoals: 1, GuestGoals: 0, Referee: 'R' },
  });
  const members = [game('1', '2026-03-01'), game('2', '2026-03-02')];

  const withoutIt =
    'Expected other totals without the first member, found the same: put a member first that counts, or add change';

  test.each<[string, Aggregate['computes'], AggregateExample['expected'], string[]]>([
    ['passes for a count, which changes only as members come and go', { Games: count() }, { Games: 2 }, []],
    [
      'fails if the first member does not change the totals by going',
      { Last: max('PlayedAt') },
      { Last: '2026-03-02' },
      [withoutIt],
    ],
  ])('%s', async (_, computes, expected, messages) => {
    const club = configOf({ ...clubTotals, computes });
    const target = { Part: 'CLUB#a', Sort: 'CLUB', Kind: 'Club' };
    const { failures } = await suiteRun((runner) =>
      describeAggregate(club, clubTotals.name, { target, members, expected }, runner),
    );

    expect([...failures.values()]).toEqual(messages);
  });
});
