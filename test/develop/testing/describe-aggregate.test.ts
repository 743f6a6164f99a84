import { defineConfig } from 'stream-denormalizer';
import { type AggregateExample, describeAggregate } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { count, max } from '../../../src/model/reducers.ts';
import { clubTotals } from '../../fixtures/league/league.ts';
import { table } from '../../fixtures/model/table.ts';

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

  test('passes for a count, which changes only as members come and go', async () => {
    expect(await failures({ Games: count() }, { members, expected: { Games: 2 } })).toEqual([]);
  });

  test('fails if the first member does not change the totals by going', async () => {
    const expected = { Last: '2026-03-02' };

    expect(await failures({ Last: max('PlayedAt') }, { members, expected })).toEqual([
      'Expected other totals without the first member, found the same: put a member first that counts, or add change',
    ]);
  });

  /** What the tests of the suite say that fail. */
  async function failures(
    computes: Aggregate['computes'],
    given: Pick<AggregateExample, 'members' | 'expected'>,
  ): Promise<string[]> {
    const bodies: (() => unknown)[] = [];
    const tests = {
      describe: (_: string, body: () => void) => body(),
      test: (_: string, body: () => unknown) => bodies.push(body),
    };
    describeAggregate(
      configOf({ ...clubTotals, computes }),
      clubTotals.name,
      { ...given, target: { Part: 'CLUB#a', Sort: 'CLUB', Kind: 'Club' } },
      tests,
    );
    const settled = await Promise.allSettled(bodies.map((body) => body()));
    return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  }
});
