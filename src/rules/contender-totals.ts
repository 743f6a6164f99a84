import { defineAggregate } from 'stream-denormalizer';
import { GSI1 } from '../table.ts';
import { contender, headToHead } from './vote-items.ts';

/** Adds up each contender's head-to-heads. Nothing is ever incremented, so a record that comes twice counts once. */
export const contenderTotals = defineAggregate({
  name: 'contender-totals',
  of: headToHead,
  on: contender,
  reads: { member: ['Contender1', 'Contender2', 'Contender1Wins', 'Contender2Wins'] },
  members: [
    { in: 'partition', at: ({ ids }) => ({ pk: contender.pk(ids), begins: 'VS#' }) },
    { in: 'index', index: GSI1, of: headToHead },
  ],
  targetsOf: ({ Contender1, Contender2 }) =>
    [Contender1, Contender2].map((name) => contender.key({ contender: name })),
  computes: {
    Wins: { from: (record, { ids }) => winsOf(ids.contender, record), add: 'sum' },
    Losses: { from: (record, { ids }) => lossesOf(ids.contender, record), add: 'sum' },
    Score: {
      from: (record, { ids }) => winsOf(ids.contender, record) - lossesOf(ids.contender, record),
      add: 'sum',
    },
  },
});

interface HeadToHead {
  readonly Contender1: string;
  readonly Contender1Wins: number;
  readonly Contender2Wins: number;
}

function winsOf(name: string, { Contender1, Contender1Wins, Contender2Wins }: HeadToHead): number {
  return name === Contender1 ? Contender1Wins : Contender2Wins;
}

function lossesOf(name: string, { Contender1, Contender1Wins, Contender2Wins }: HeadToHead): number {
  return name === Contender1 ? Contender2Wins : Contender1Wins;
}
