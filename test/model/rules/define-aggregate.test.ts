import { describe, expect, test } from 'vitest';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { count, sum } from '../../../src/model/rules/reducers.ts';
import { contender, contenderTotals, match } from '../../fixtures/world/totals.ts';

const whole = {
  name: 'contender-totals',
  of: match,
  on: contender,
  members: { in: 'partition', at: ({ ids }: { ids: { contender: string } }) => ({ pk: contender.pk(ids) }) },
  targetsOf: ({ ids }: { ids: { home: string } }) => [contender.key({ contender: ids.home })],
  computes: { Matches: count() },
} as const;

describe('defining an aggregate that creates targets', () => {
  const making = { ...whole, creates: true, onEmpty: 'delete' } as const;

  test('keeps what it says of empty ones', () => {
    expect(defineAggregate(making)).toMatchObject({ creates: true, onEmpty: 'delete' });
    expect(defineAggregate({ ...whole, creates: false })).toMatchObject({
      creates: false,
      onEmpty: undefined,
    });
  });

  test.each([
    [
      { ...making, onEmpty: undefined },
      'field.invalid',
      "onEmpty of rule contender-totals to be 'delete' or 'keep'",
    ],
    [{ ...whole, onEmpty: 'keep' }, 'field.unknown', "got 'onEmpty'"],
    [{ ...making, reads: { target: ['Name'] } }, 'rule.cannot-create', "reads 'Name' of them"],
    [{ ...making, ledger: true, computes: { Points: sum('HomePoints') } }, 'rule.no-count', 'add a count()'],
  ])('refuses what could not be computed: %#', (spec, code, message) => {
    const define = () => defineAggregate(spec as never);

    expect(define).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});

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
