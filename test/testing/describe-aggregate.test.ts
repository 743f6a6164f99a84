import { defineConfig } from 'stream-denormalizer';
import { type AggregateExample, describeAggregate } from 'stream-denormalizer/testing';
import { expect, test } from 'vitest';
import { clubTotals } from '../fixtures/league/league.ts';
import { table } from '../fixtures/model/table.ts';

const config = defineConfig({ table, rules: [], aggregates: [clubTotals] });
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
