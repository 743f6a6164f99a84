import { describe, expect, test } from 'vitest';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { type AnyReducer, count, list, max, min, sum, value } from '../../../src/model/rules/reducers.ts';
import { ByOwner } from '../../fixtures/model/table.ts';
import { contender, contenderTotals, match } from '../../fixtures/world/totals.ts';
import { refusal } from '../../suites/refusal.ts';

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
  const product = { from: () => 1, add: (one: number, other: number) => one * other };

  test.each<[string, AnyReducer]>([
    ['min', min('HomePoints')],
    ['max', max('HomePoints')],
    ['a function', product],
  ])('refuses a ledger of what cannot be taken away again: %s', (name, reducer) => {
    const define = () => defineAggregate({ ...whole, computes: { Points: reducer }, ledger: true } as never);

    expect(define).toThrow(
      expect.objectContaining({
        code: 'rule.no-ledger',
        message: `Rule contender-totals has a ledger, which adds up counts, sums and averages, but computes 'Points' by ${name}: remove ledger, so that it is recomputed from all members`,
      }),
    );
  });

  test('fills in the defaults', () => {
    expect(defineAggregate(whole)).toMatchObject({
      reads: { member: [], target: [] },
      members: [{ in: 'partition' }],
      limit: 10_000,
      every: undefined,
      invalid: 'dead-letter',
    });
  });

  const at = whole.members.at;
  const alone = { in: 'index', index: { name: 'Alone', pk: 'OwnerPart' }, at, last: 1 };
  const last = { ...whole.members, last: 1 };
  test.each<[string, object, string]>([
    ['value without an end', { computes: { Last: value('Rival') } }, "computes 'Last' by value of members"],
    ['list without an end', { computes: { Last: list('Rival') } }, "computes 'Last' by list of members"],
    ['both ends', { members: { ...last, first: 1 } }, 'has members both last and first'],
    ['one of several locations', { members: [last, whole.members] }, 'has last or first in one of several'],
    ['a ledger', { members: last, ledger: true }, 'has a ledger, which counts members wherever'],
    [
      'an index without a sort key',
      { members: alone },
      "has last or first in the index 'Alone', which has no",
    ],
  ])('refuses members without an order: %s', (_, change, why) => {
    expect(refusal(() => defineAggregate({ ...whole, ...change } as never))).toMatchObject({
      code: 'rule.unordered',
      message: expect.stringContaining(`Rule contender-totals ${why}`),
    });
  });

  test('keeps an end beside an index that its kind declares', () => {
    const keyed = defineKind({
      ...{ name: 'Match', pk: 'CONTENDER#{home}', sk: 'MATCH#{match}', attributes: match.attributes },
      keys: { ByOwner: { pk: 'CONTENDER#{Rival}', sk: '{PlayedAt}' } },
    } as const);
    const members = { in: 'index', index: ByOwner, of: keyed, first: 5 } as const;

    expect(defineAggregate({ ...whole, of: keyed, members }).members).toMatchObject([
      { in: 'index', first: 5 },
    ]);
  });

  test('reads what its reducers name', () => {
    const computes = { Last: value('PlayedAt'), Longest: list(['Rival', 'Votes']) };
    expect(defineAggregate({ ...whole, members: last, computes }).reads.member).toEqual([
      ...['PlayedAt', 'Rival', 'Votes'],
    ]);

    expect(contenderTotals.reads.member).toEqual([
      ...['Rival', 'HomePoints', 'RivalPoints', 'Report'],
      ...['Votes', 'PlayedAt'],
    ]);
  });
});
