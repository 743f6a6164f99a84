import { describe, expect, test } from 'vitest';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { club, clubTotals, game } from '../../fixtures/league/league.ts';

const whole = {
  name: 'club-totals',
  of: game,
  on: club,
  members: { in: 'partition', at: ({ ids }: { ids: { club: string } }) => ({ pk: club.pk(ids) }) },
  targetsOf: ({ ids }: { ids: { home: string } }) => [club.key({ club: ids.home })],
  computes: { Games: count() },
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
    expect(clubTotals.reads.member).toEqual([
      ...['Guest', 'HomeGoals', 'GuestGoals', 'Report'],
      ...['Gate', 'PlayedAt'],
    ]);
  });
});
