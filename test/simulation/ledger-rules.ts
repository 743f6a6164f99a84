import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { average, count, sum } from '../../src/model/rules/reducers.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import { table } from '../../src/table.ts';

const ledgerTotals = { Members: z.number(), Weight: z.number(), Mean: z.number() };

/** A topic may be part of another. */
const topic = defineKind({
  ...{ name: 'Topic', type: 'Topic', pk: 'TOPIC#{topic}', sk: 'TOPIC' },
  attributes: z.object({
    ...{ Up: z.string().min(1).optional(), Own: z.number().optional() },
    ...{ Above: z.number(), Parts: z.number(), ...ledgerTotals },
  }),
});

/** Weights as a ledger just takes them, and as it does not. */
const weights = [1, -1, 9_999_999_999_999, -9_999_999_999_999, 1e13, -5e13, 1e-12, 2.5e-12, 1e-13];

/** A mark of several topics. */
const mark = defineKind({
  ...{ name: 'Mark', type: 'Mark', pk: 'MARK#{mark}', sk: 'MARK' },
  attributes: z.object({ Topics: z.array(z.string().min(1)), Weight: z.number().optional() }),
  examples: weights.map((Weight, index) => ({
    Topics: [['A'], ['A', 'AA'], ['AA', 'AAA', 'A'], []][index % 4] ?? [],
    Weight,
  })),
});

/** What a seed decides of ledgers. */
export interface LedgerForm {
  readonly shards: number;
  readonly invalid: Aggregate['invalid'];
  /** In seconds. */
  readonly every: number | undefined;
}

/** Members of several targets, and targets that are members: of another target, and each of itself. */
export function ledgers({ shards, invalid, every }: LedgerForm): Registry {
  const own = { ledger: { shards }, invalid, ...(every !== undefined && { every }) };
  const marksOfTopic = defineAggregate({
    name: 'marks-of-topic',
    of: mark,
    on: topic,
    reads: { member: ['Topics'] },
    targetsOf: ({ Topics }) => Topics.map((one) => topic.key({ topic: one })),
    computes: { Members: count(), Weight: sum('Weight'), Mean: average('Weight', { digits: 2 }) },
    ...own,
  });
  const partsOfTopic = defineAggregate({
    name: 'parts-of-topic',
    of: topic,
    on: topic,
    reads: { member: ['Up'] },
    targetsOf: ({ ids, Up }) => [topic.key(ids), ...(Up === undefined ? [] : [topic.key({ topic: Up })])],
    computes: { Parts: count(), Above: sum('Members') },
    ...own,
  });
  return makeRegistry(table, [], [], [], [marksOfTopic, partsOfTopic]);
}

export const ledgerForms: readonly LedgerForm[] = [1, 3].flatMap((shards) =>
  (['dead-letter', 'skip'] as const).flatMap((invalid) =>
    [undefined, 30].map((every) => ({ shards, invalid, every })),
  ),
);
