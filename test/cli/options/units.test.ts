import { Command } from 'commander';
import { expect, test } from 'vitest';
import { budgetOf, withUnits } from '../../../src/cli/options/units.ts';

test.each([
  ['by default', [], false, 100],
  ['by default at an endpoint on this machine', [], true, Number.POSITIVE_INFINITY],
  ['at that endpoint, if they are given', ['--rcu', '20'], true, 20],
] as const)('units per second %s', (_, args, isLocal, expected) => {
  const { rcu } = withUnits(new Command(), 'rcu').parse(args, { from: 'user' }).opts<{ rcu?: number }>();

  expect(budgetOf(rcu, { isLocal }).unitsPerSecond).toBe(expected);
});
