import { describe, expect, test } from 'vitest';
import { defineAggregate } from '../../src/model/define-aggregate.ts';
import { count, sum } from '../../src/model/reducers.ts';
import { club, clubTotals, game } from '../fixtures/league/league.ts';
import { refusal } from '../suites/refusal.ts';

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

  test('does not compile with an attribute that no schema lists', () => {
    // @ts-expect-error the member has no such attribute
    const misspelt = () => defineAggregate({ ...whole, computes: { Gate: sum('Gte') } });
    // @ts-expect-error the target has no such attribute
    const unknown = () => defineAggregate({ ...whole, computes: { Gaems: count() } });
    // @ts-expect-error a key that is not in a list
    const single = () => defineAggregate({ ...whole, targetsOf: () => club.key({ club: 'a' }) });
    const unread = () =>
      defineAggregate({
        ...whole,
        // @ts-expect-error the function reads what is not in reads.member
        computes: { Goals: { from: (member) => member.HomeGoals, add: 'sum' } },
      });

    expect(refusal(misspelt).message).toBe(
      "Expected computes of rule club-totals to name attributes that the schema of Game lists, got 'Gte': did you mean 'Gate'?",
    );
    expect(refusal(unknown).message).toBe(
      "Expected computes of rule club-totals to name attributes that the schema of Club lists, got 'Gaems': did you mean 'Games'?",
    );
    for (const other of [single, unread]) expect(other).not.toThrow();
  });
});
