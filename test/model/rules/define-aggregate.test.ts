import { describe, expect, test } from 'vitest';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { contender, contenderTotals, match } from '../../fixtures/world/totals.ts';

const whole = {
  name: 'contender-totals',
  of: match,
  on: contender,
  members: { in: 'partition', at: ({ ids }: { ids: { contender: string } }) => ({ pk: contender.pk(ids) }) },
  targetsOf: ({ ids }: { ids: { home: string } }) => [contender.key({ contender: ids.home })],
  computes: { Matches: count() },
} as const;

describe('defining an aggregate', () => {
  test('fills in the defaults', () => {
    expect(defineAggregate(whole)).toMatchObject({
      reads: { member: [], target: [] },
      members: [{ in: 'partition' }],
      limit: 10_000,
      every: undefined,
      invalid: 'dead-letter',
    });
  });

  test('reads what its reducers name', () => {
    expect(contenderTotals.reads.member).toEqual([
      ...['Rival', 'HomePoints', 'RivalPoints', 'Report'],
      ...['Votes', 'PlayedAt'],
    ]);
  });
});
