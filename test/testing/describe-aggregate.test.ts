import { defineConfig } from 'stream-denormalizer';
import { type AggregateExample, describeAggregate } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import { checkAggregates } from '../../src/check/check-aggregates.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { count, list, max } from '../../src/model/rules/reducers.ts';
import { table } from '../fixtures/model/table.ts';
import { salesOfDay } from '../fixtures/world/days.ts';
import { contenderTotals } from '../fixtures/world/totals.ts';
import { suiteRun } from './suite-run.ts';

const configOf = (aggregate: Aggregate) => defineConfig({ table, rules: [], aggregates: [aggregate] });
const config = configOf(contenderTotals);
const example: AggregateExample = {
  target: { Part: 'CONTENDER#a', Sort: 'CONTENDER' },
  members: [{ Part: 'CONTENDER#a', Sort: 'MATCH#1' }],
  change: { HomePoints: 2 },
  expected: {},
};

test.each([
  ['expected is missing', { ...example, expected: undefined }],
  ['expected has nothing that is computed', { ...example, expected: { Name: 'A' } }],
])('an example whose %s is told what to add', (_, given) => {
  const tests = { describe: () => undefined, test: () => undefined };

  expect(() => describeAggregate(config, 'contender-totals', given as AggregateExample, tests)).toThrow(
    'Expected in expected what the members of the example add up to (Matches, Points, Votes, First, Last, Longest), found none of it: add it',
  );
});

test.each(['delete', 'keep'] as const)('targets that are created come and go under %s', async (onEmpty) => {
  const day = { Part: 'SHOP#a', Sort: 'DAY#mon', Kind: 'Day' };
  const sale = (id: string) => ({ Part: 'SHOP#a', Sort: `SALE#${id}`, Kind: 'Sale', Day: 'mon', Total: 5 });
  const given = { target: day, members: [sale('1'), sale('2')], expected: { Sales: 2, Revenue: 10 } };
  const { titles, failures } = await suiteRun((runner) =>
    describeAggregate(configOf(salesOfDay(onEmpty)), 'sales-of-day', given, runner),
  );

  expect([...failures.values()]).toEqual([]);
  expect(titles).toHaveLength(3);
});

test('a target that stays for the example is told', async () => {
  const day = { Part: 'SHOP#a', Sort: 'DAY#mon', Kind: 'Day' };
  const sale = { Part: 'SHOP#a', Sort: 'SALE#1', Kind: 'Sale', Day: 'mon', Total: 5 };
  // What is listed as a member counts for the target in another way, too.
  const others = [{ ...sale, Sort: 'SALE#2' }];
  const given = { target: day, members: [sale], others, expected: { Sales: 2, Revenue: 10 } };
  const { failures } = await suiteRun((runner) =>
    describeAggregate(configOf(salesOfDay('delete')), 'sales-of-day', given, runner),
  );

  expect([...failures.values()]).toEqual(['Expected no target without members, found one']);
});

test('a change that changes no total is told to which member it is made', async () => {
  const day = { Part: 'SHOP#a', Sort: 'DAY#mon', Kind: 'Day' };
  const sale = { Part: 'SHOP#a', Sort: 'SALE#1', Kind: 'Sale', Day: 'mon', Total: 5 };
  const given = { target: day, members: [sale], change: { Note: 'x' }, expected: { Sales: 1, Revenue: 5 } };
  const { failures } = await suiteRun((runner) =>
    describeAggregate(configOf(salesOfDay('keep')), 'sales-of-day', given, runner),
  );

  expect([...failures.values()]).toEqual([
    'Expected other totals after the change, found the same: correct change, which is made to the first member, or reads.member',
  ]);
});

describe('an example without a change', () => {
  const match = (number: string, PlayedAt: string) => ({
    ...{ Part: 'CONTENDER#a', Sort: `MATCH#${number}`, Kind: 'Match', PlayedAt },
    ...{ Rival: 'b', HomePoints: 1, RivalPoints: 0, Referee: 'R' },
  });
  const members = [match('1', '2026-03-01'), match('2', '2026-03-02')];

  test('passes for the last members of a location, which the checks take as well', async () => {
    const [inPartition = expect.fail('no location')] = contenderTotals.members;
    const last = configOf({
      ...{ ...contenderTotals, computes: { Longest: list('PlayedAt') } },
      members: [{ ...inPartition, first: undefined, last: 1 }],
    });
    const target = { Part: 'CONTENDER#a', Sort: 'CONTENDER', Kind: 'Contender' };
    const given = { target, members: members.toReversed(), expected: { Longest: ['2026-03-02'] } };
    const { failures } = await suiteRun((run) => describeAggregate(last, contenderTotals.name, given, run));

    expect([[...failures.values()], checkAggregates(last.registry())]).toEqual([[], []]);
  });

  const withoutIt =
    'Expected other totals without the first member, found the same: put a member first that counts, or add change';

  test.each<[string, Aggregate['computes'], AggregateExample['expected'], string[]]>([
    [
      'passes for a count, which changes only as members come and go',
      { Matches: count() },
      { Matches: 2 },
      [],
    ],
    [
      'fails if the first member does not change the totals by going',
      { Last: max('PlayedAt') },
      { Last: '2026-03-02' },
      [withoutIt],
    ],
  ])('%s', async (_, computes, expected, messages) => {
    const contender = configOf({ ...contenderTotals, computes });
    const target = { Part: 'CONTENDER#a', Sort: 'CONTENDER', Kind: 'Contender' };
    const { failures } = await suiteRun((runner) =>
      describeAggregate(contender, contenderTotals.name, { target, members, expected }, runner),
    );

    expect([...failures.values()]).toEqual(messages);
  });
});
