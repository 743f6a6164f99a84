import * as z from 'zod';
import { defineAggregate } from '../../src/model/define-aggregate.ts';
import { defineRule } from '../../src/model/define-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import { count, max, sum } from '../../src/model/reducers.ts';
import { makeRegistry, type Registry } from '../../src/model/registry.ts';
import { GSI1, GSI2, GSI3, table } from '../../src/table.ts';

const contender = defineKind({
  name: 'Contender',
  type: 'Contender',
  pk: 'CONTENDER#{contender}',
  sk: 'metadata',
  attributes: z.object({
    Name: z.string(),
    House: z.string(),
    Wins: z.number(),
    Losses: z.number(),
    Score: z.number().optional(),
    Bouts: z.number(),
    Stakes: z.number(),
    LastAt: z.string(),
    From: z.string().optional(),
    Recent: z.number(),
    [GSI2.pk]: z.string(),
    [GSI2.sk]: z.string(),
    [GSI3.pk]: z.string(),
    [GSI3.sk]: z.string(),
  }),
});

/** What two contenders won against each other: a member of both. */
const bout = defineKind({
  name: 'Bout',
  type: 'Bout',
  pk: 'CONTENDER#{home}',
  sk: 'VS#{rival}',
  attributes: z.object({
    Contender1: z.string(),
    Contender2: z.string(),
    Contender1Wins: z.number(),
    Contender2Wins: z.number(),
    Stake: z.number().optional(),
    At: z.string(),
    [GSI1.pk]: z.string(),
    [GSI1.sk]: z.string(),
  }),
});

/** The second step of a chain: its members are targets. */
const house = defineKind({
  name: 'House',
  type: 'House',
  pk: 'HOUSE#{house}',
  sk: 'totals',
  attributes: z.object({ Contenders: z.number(), Score: z.number(), Best: z.number() }),
});

const boutKeys = defineRule({
  name: 'bout-keys',
  root: bout,
  copy: bout,
  located: { in: 'itself' },
  reads: { root: ['Contender1', 'Contender2'] },
  derive: {
    [GSI1.pk]: ({ root }) => `CONTENDER#${root.Contender2}`,
    [GSI1.sk]: ({ root }) => `VS#${root.Contender1}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});

const houseKeys = defineRule({
  name: 'house-keys',
  root: contender,
  copy: contender,
  located: { in: 'itself' },
  reads: { root: ['House'] },
  derive: {
    [GSI3.pk]: ({ root }) => `HOUSE#${root.House}`,
    [GSI3.sk]: ({ root }) => `CONTENDER#${root.ids.contender}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});

const leaderboardKeys = defineRule({
  name: 'leaderboard-keys',
  root: contender,
  copy: contender,
  located: { in: 'itself' },
  reads: { root: ['Name', 'Score'] },
  derive: {
    [GSI2.pk]: ({ root }) => (root.Score === undefined ? undefined : 'LEADERBOARD'),
    [GSI2.sk]: ({ root }) =>
      root.Score === undefined ? undefined : `${String(root.Score + 1e6).padStart(8, '0')}#${root.Name}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});

const contenderTotals = defineAggregate({
  name: 'contender-totals',
  of: bout,
  on: contender,
  reads: { member: ['Contender1', 'Contender2', 'Contender1Wins', 'Contender2Wins'] },
  members: [
    { in: 'partition', at: ({ ids }) => ({ pk: `CONTENDER#${ids.contender}`, begins: 'VS#' }) },
    { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: `CONTENDER#${ids.contender}`, begins: 'VS#' }) },
  ],
  targetsOf: ({ Contender1, Contender2 }) => [
    contender.key({ contender: Contender1 }),
    contender.key({ contender: Contender2 }),
  ],
  computes: {
    Wins: {
      from: (one, { ids }) => (one.Contender1 === ids.contender ? one.Contender1Wins : one.Contender2Wins),
      add: 'sum',
    },
    Losses: {
      from: (one, { ids }) => (one.Contender1 === ids.contender ? one.Contender2Wins : one.Contender1Wins),
      add: 'sum',
    },
    Score: {
      from: (one, { ids }) =>
        (one.Contender1 === ids.contender ? 1 : -1) * (one.Contender1Wins - one.Contender2Wins),
      add: 'sum',
    },
  },
});

/** Members in one partition only: nothing rechecks them, so that each computation that is missing shows. */
const boutTotals = defineAggregate({
  name: 'bout-totals',
  of: bout,
  on: contender,
  reads: { member: ['Contender1', 'At'], target: ['From'] },
  members: { in: 'partition', at: ({ ids }) => ({ pk: `CONTENDER#${ids.contender}`, begins: 'VS#' }) },
  targetsOf: ({ Contender1 }) => [contender.key({ contender: Contender1 })],
  computes: {
    Bouts: count(),
    Stakes: sum('Stake'),
    LastAt: max('At'),
    Recent: { from: ({ At }, { From = '' }) => (At >= From ? 1 : 0), add: 'sum' },
  },
});

const houseTotals = defineAggregate({
  name: 'house-totals',
  of: contender,
  on: house,
  reads: { member: ['House'] },
  members: { in: 'index', index: GSI3, at: ({ ids }) => ({ pk: `HOUSE#${ids.house}` }) },
  targetsOf: ({ House }) => [house.key({ house: House })],
  computes: { Contenders: count(), Score: sum('Score'), Best: max('Score') },
});

/** What a seed decides of the tournament. */
export interface Regulations {
  /** Of bouts and houses, in seconds. */
  readonly every: number | undefined;
  /** The most bouts in the partition of a contender. */
  readonly limit: number;
}

/** Rules whose totals make keys, and whose totals are totalled: a chain of four. */
export function tournament({ every, limit }: Regulations): Registry {
  return makeRegistry(
    table,
    [boutKeys, houseKeys, leaderboardKeys],
    [],
    [],
    [contenderTotals, { ...boutTotals, limit, every }, { ...houseTotals, every }],
  );
}
