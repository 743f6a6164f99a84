import { describe, expect, test } from 'vitest';
import { defineAggregate } from '../../src/model/define-aggregate.ts';
import { count, sum } from '../../src/model/reducers.ts';
import { club, clubTotals, game } from '../fixtures/league/league.ts';
import { ByOwner } from '../fixtures/model/table.ts';
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

  test.each([
    ['rule.invalid-field', { name: 'Club Totals' }],
    ['rule.idle', { computes: {} }],
    ['rule.unknown-field', { limits: 5 }],
    ['rule.invalid-field', { limit: 0 }],
    ['rule.invalid-field', { every: 901 }],
    ['rule.invalid-field', { every: 0.5 }],
    ['rule.invalid-field', { invalid: 'ignore' }],
    ['rule.invalid-field', { members: [] }],
    ['rule.invalid-field', { members: { in: 'key', at: whole.members.at } }],
    ['rule.invalid-field', { members: { in: 'index', at: whole.members.at } }],
    ['rule.unknown-field', { members: { in: 'partition', index: ByOwner, at: whole.members.at } }],
    ['rule.invalid-field', { targetsOf: undefined }],
    ['rule.invalid-field', { computes: { Games: 'count' } }],
    ['rule.invalid-field', { computes: { Games: { add: 'sum' } } }],
    ['rule.invalid-field', { computes: { Games: { from: () => 1, add: 'average' } } }],
    ['rule.unknown-field', { reads: { members: [] } }],
    ['rule.unknown-attribute', { reads: { target: ['Nmae'] } }],
  ])('is refused with %s for %j', (code, wrong) => {
    const spec = { ...whole, ...wrong } as unknown as typeof whole;

    expect(refusal(() => defineAggregate(spec))).toMatchObject({ code });
  });

  test.each([
    [{ computes: { Games: count(), Goals: 'count' } }, "got 'count' for Goals: correct it"],
    [{ limit: 0 }, 'to be a whole number from 1 to 1,000,000, got 0: correct it'],
  ])('is told what is wrong in %j', (wrong, sentence) => {
    const spec = { ...whole, ...wrong } as unknown as typeof whole;

    expect(refusal(() => defineAggregate(spec)).message).toContain(sentence);
  });
});
