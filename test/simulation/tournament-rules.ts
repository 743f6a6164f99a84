import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { count, max, sum } from '../../src/model/rules/reducers.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { contenderTotals } from '../../src/rules/contender-totals.ts';
import { leaderboardKeys } from '../../src/rules/leaderboard-keys.ts';
import * as votes from '../../src/rules/vote-items.ts';
import { GSI1, GSI3, table } from '../../src/table.ts';

const ofContender = {
  House: z.string(),
  Score: z.number().optional(),
  ...{ Bouts: z.number(), Stakes: z.number(), LastAt: z.string(), Recent: z.number() },
  From: z.string().optional(),
};

/** The contenders of the votes, who belong to a house. */
const contender = defineKind({
  ...{ name: 'Contender', type: 'Contender', pk: 'CONTENDER#{contender}', sk: 'metadata' },
  // The cast leaves out what only the rules of the votes name.
  attributes: z.object({ ...votes.contender.attributes.shape, ...ofContender } as typeof ofContender),
  keys: { [GSI3.name]: { pk: 'HOUSE#{House}', sk: 'CONTENDER#{contender}' } },
} as const);

const ofBout = { Contender1: z.string().min(1), Stake: z.number().optional(), At: z.string() };

/** The head-to-heads of the votes, which have a stake and a time. */
const bout = defineKind({
  ...{ name: 'HeadToHead', type: 'HeadToHead', pk: 'CONTENDER#{home}', sk: 'VS#{rival}' },
  attributes: z.object({ ...votes.headToHead.attributes.shape, ...ofBout } as typeof ofBout & {
    Contender2: typeof votes.headToHead.attributes.shape.Contender2;
  }),
  keys: { [GSI1.name]: { pk: 'CONTENDER#{Contender2}', sk: 'VS#{Contender1}' } },
} as const);

/** The second step of a chain: its members are targets. */
const house = defineKind({
  name: 'House',
  type: 'House',
  pk: 'HOUSE#{house}',
  sk: 'totals',
  attributes: z.object({ Contenders: z.number(), Score: z.number(), Best: z.number() }),
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
  members: { in: 'index', index: GSI3, of: contender },
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

/** The votes of this repository, whose totals make keys, and are totalled: a chain of four. */
export function tournament({ every, limit }: Regulations): Registry {
  return defineConfig({
    table,
    rules: [{ ...leaderboardKeys, root: contender, copy: contender }],
    aggregates: [
      { ...contenderTotals, of: bout, on: contender },
      { ...boutTotals, limit, every },
      { ...houseTotals, every },
    ],
  }).registry();
}
