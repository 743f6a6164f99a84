import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Item, keyed, keyIn } from '../../src/model/items/item.ts';
import { maxItem } from '../../src/model/items/item-size.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { type AnyReducer, average, count, max, min, sum } from '../../src/model/rules/reducers.ts';
import { planUpdate } from '../../src/plan/plan-writes.ts';
import { Totals } from '../../src/plan/totals.ts';
import { aClub, aGame, clubTotals, game } from '../fixtures/league/league.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import { refusal } from '../suites/refusal.ts';

/** What a computation makes of these items, each read in both locations. */
function computed(members: readonly Item[], aggregate: Aggregate = clubTotals, target = aClub('a')): Item {
  const totals = new Totals(bound(aggregate), target);
  for (const location of totals.locations) for (const member of members) totals.add(member, location);
  return Object.fromEntries(
    [...totals.on()].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function computing(computes: Aggregate['computes']): Aggregate {
  return { ...clubTotals, computes };
}

describe('totals', () => {
  test('are computed from all members, by what each contributes to this target', () => {
    const members = [
      aGame('a', 'b', { Gate: 10, PlayedAt: '2026-03-02', Report: 'long' }),
      aGame('c', 'a', { Gate: 5, PlayedAt: '2026-03-01', Report: 'longer' }),
    ];

    expect(computed(members)).toEqual(
      item({ Games: 2, Goals: 3, Gate: 15, First: '2026-03-01', Last: '2026-03-02', Longest: 'longer' }),
    );
    expect(computed(members, clubTotals, aClub('b'))).toEqual(
      item({ Games: 1, Goals: 1, Gate: 10, First: '2026-03-02', Last: '2026-03-02', Longest: 'long' }),
    );
  });

  test('are zero without members, and the others are missing', () => {
    expect(computed([])).toEqual(item({ Games: 0, Goals: 0, Gate: 0 }));
  });

  test('keep all 38 digits, which JavaScript does not', () => {
    const members = [
      { ...aGame('a', 'b'), Gate: { N: '12345678901234567890123456789012345.678' } },
      { ...aGame('a', 'c'), Gate: { N: '0.001' } },
    ];

    expect(
      computed(members, computing({ Gate: sum('Gate'), Best: max('Gate'), Least: min('Gate') })),
    ).toEqual({
      Gate: { N: '1.2345678901234567890123456789012345679e+34' },
      Best: { N: '12345678901234567890123456789012345.678' },
      Least: { N: '0.001' },
    });
  });

  test.each([
    ['12345678901234567890', '12345678901234567891'],
    ['-12345678901234567891', '-12345678901234567890'],
    ['0.12345678901234567890', '0.12345678901234567891'],
  ])('compare numbers that JavaScript takes for the same, in any order: %s and %s', (less, more) => {
    const games = [less, more].map((N, index) => ({ ...aGame('a', `${index}`), Gate: { N } }));
    const extremes = computing({ Best: max('Gate'), Least: min('Gate') });

    for (const members of [games, games.toReversed()])
      expect(computed(members, extremes)).toEqual({ Best: { N: more }, Least: { N: less } });
  });

  test('take what is missing or NULL as the schema does: it does not count, or has a default', () => {
    const members = [aGame('a', 'b', { Gate: null }), aGame('a', 'c'), aGame('a', 'd', { Gate: 5 })];
    const aggregate = computing({ Gate: sum('Gate'), Best: max('Gate') });
    const withGate = (Gate: z.ZodType) => ({
      ...aggregate,
      of: { ...game, attributes: game.attributes.extend({ Gate }) },
    });

    expect(computed(members, withGate(z.number().nullish()))).toEqual(item({ Gate: 5, Best: 5 }));
    expect(computed(members, withGate(z.number().nullable().default(9)))).toEqual(
      item({ Gate: 14, Best: 9 }),
    );
    const withText = { ...withGate(z.string().nullish().default('none')), computes: { Best: max('Gate') } };
    expect(computed([aGame('a', 'b'), aGame('a', 'c', { Gate: 'full' })], withText)).toEqual(
      item({ Best: 'none' }),
    );
    expect(
      refusal(() => computed([aGame('a', 'b')], { ...withText, computes: { Gate: sum('Gate') } })).message,
    ).toBe("Expected attribute 'Gate' of Game to be a number, found one of another type: correct the member");
    expect(refusal(() => computed(members)).message).toBe(
      "Expected attribute 'Gate' of Game to be number, found one of type NULL",
    );
  });

  test('compare numbers by their value, and text by its bytes', () => {
    const members = [
      aGame('a', 'b', { Gate: 9, PlayedAt: '\u{1F600}' }),
      aGame('a', 'c', { Gate: 10, PlayedAt: '\uFF5E' }),
    ];

    for (const some of [members, members.toReversed()])
      expect(computed(some, computing({ Gate: max('Gate'), Last: max('PlayedAt') }))).toEqual(
        item({ Gate: 10, Last: '\u{1F600}' }),
      );
  });

  test.each<[string, AnyReducer, z.ZodType, Plain | undefined, string]>([
    ['sum', sum('Gate'), z.unknown(), true, 'a number'],
    ['sum, as a number that it is not', sum('Gate'), z.coerce.number(), '5', 'a number'],
    ['mean', average('Gate', { digits: 0 }), z.unknown(), '5', 'a number'],
    ['greatest', max('Gate'), z.unknown(), true, 'a number or text'],
    ['greatest, by default', max('Gate'), z.boolean().default(true), undefined, 'a number or text'],
  ])('are refused if the schema accepts what has no %s', (_, reducer, schema, Gate, expected) => {
    const loose = { ...game, attributes: game.attributes.extend({ Gate: schema }) };
    const aggregate = { ...computing({ Gate: reducer }), of: loose };

    expect(refusal(() => computed([aGame('a', 'b', { Gate })], aggregate)).message).toBe(
      `Expected attribute 'Gate' of Game to be ${expected}, found one of another type: correct the member`,
    );
  });

  test('are refused if they would make the target too large', () => {
    const target = aClub('a', { Crest: 'x'.repeat(maxItem - 100) });
    const totals = new Totals(bound(clubTotals), target);
    for (const location of totals.locations)
      totals.add(aGame('a', 'b', { Report: 'x'.repeat(100) }), location);

    expect(refusal(() => planUpdate(totals, keyed(table, target)))).toMatchObject({
      ...{ code: 'target.too-large', concerns: 'target', rule: 'club-totals' },
      message: expect.stringContaining('A target of rule club-totals would grow'),
    });
  });

  test('are refused if numbers and text are compared', () => {
    const members = [aGame('a', 'b', { PlayedAt: 1 }), aGame('a', 'c')];
    const loose = {
      ...game,
      attributes: game.attributes.extend({ PlayedAt: z.string().or(z.number()) }),
    };

    expect(refusal(() => computed(members, { ...clubTotals, of: loose }))).toMatchObject({
      ...{ concerns: 'member', rule: 'club-totals', key: keyIn(table, members[1] ?? {}) },
      message: expect.stringContaining('found both among the members'),
    });
  });

  test.each<[string, AnyReducer]>([
    ['rule.returned', { from: () => Number.NaN, add: 'sum' }],
    ['rule.returned', { from: () => 'text', add: 'sum' }],
    ['rule.returned', { from: () => '😀'.slice(0, 1), add: 'max' }],
    ['rule.returned', { from: () => 1, add: () => undefined as never }],
    ['rule.undeclared-read', { from: (member: { readonly Referee: string }) => member.Referee, add: 'max' }],
  ])('are refused with %s if a reducer fails: %o', (code, reducer) => {
    const members = [aGame('a', 'b'), aGame('a', 'c')];

    expect(refusal(() => computed(members, computing({ Games: reducer })))).toMatchObject({ code });
  });

  test('are refused if DynamoDB cannot store them', () => {
    const members = [
      { ...aGame('a', 'b'), Gate: { N: '99999999999999999999999999999999999999' } },
      { ...aGame('a', 'c'), Gate: { N: '0.5' } },
    ];

    expect(refusal(() => computed(members))).toMatchObject({
      code: 'target.unstorable',
      concerns: 'target',
      rule: 'club-totals',
      key: { pk: 'CLUB#a', sk: 'CLUB' },
      message:
        "Rule club-totals computes a value of 'Gate' that DynamoDB cannot store: expected a number of at most 38 digits, below 1e126",
    });
  });

  test('are refused beyond the limit, with the remedy', () => {
    const members = [aGame('a', 'b'), aGame('a', 'c'), aGame('a', 'd')];

    expect(computed(members, { ...clubTotals, limit: 3 })).toMatchObject(item({ Games: 3 }));
    expect(refusal(() => computed(members, { ...clubTotals, limit: 2 }))).toMatchObject({
      code: 'target.too-many-members',
      concerns: 'target',
      rule: 'club-totals',
      key: { pk: 'CLUB#a', sk: 'CLUB' },
      message:
        'Rule club-totals computes a target from at most 2 members, found more: aggregate Game in two steps, first into buckets, which are then members of this target, or raise limit',
    });
  });
});

describe('totals that skip invalid members', () => {
  const skipping: Aggregate = {
    ...computing({ Games: count(), Gate: sum('Gate'), Last: max('PlayedAt') }),
    invalid: 'skip',
  };

  test.each([
    [{ S: '5' }],
    [{ N: '1E-130' }],
    [{ N: '9E125' }],
    [{ N: '1.00000000000000000000000000000000000001' }],
    [{ N: '-100000000000000' }],
    [{ L: [{ S: 'deep' }] }],
  ])('are those of the other members, in any order: %j', (Gate) => {
    const members = [
      aGame('a', 'b', { Gate: 5 }),
      { ...aGame('a', 'c', { PlayedAt: '9999' }), Gate },
      aGame('a', 'd', { Gate: 4 }),
    ];

    for (const some of [members, members.toReversed()])
      expect(computed(some, skipping)).toEqual(item({ Games: 2, Gate: 9, Last: '2026-03-01' }));
  });

  test('take any number where they add up none', () => {
    const members = [{ ...aGame('a', 'b'), Gate: { N: '9E125' } }];

    expect(computed(members, { ...computing({ Best: max('Gate') }), invalid: 'skip' })).toEqual({
      Best: { N: '9E125' },
    });
  });

  test('can be stored, however great their numbers are', () => {
    const largest = { N: '99999999999999.99999999999999999999' };
    const members = Array.from({ length: 10_000 }, (_, guest) => ({
      ...aGame('a', `${guest}`),
      Gate: guest === 0 ? { N: '0.00000000000000000001' } : largest,
    }));

    expect(computed(members, skipping)).toMatchObject({ Games: { N: '10000' } });
  });

  test('are refused if not the member is wrong but the function, or the target', () => {
    const throws = () => {
      throw new TypeError();
    };
    const ofTarget = (_: unknown, target: { readonly Gate: number }) => target.Gate;

    expect(
      refusal(() =>
        computed([aGame('a', 'b')], { ...skipping, computes: { Goals: { from: throws, add: 'sum' } } }),
      ).code,
    ).toBe('rule.threw');
    expect(
      refusal(() =>
        computed([aGame('a', 'b')], {
          ...skipping,
          reads: { ...skipping.reads, target: ['Gate'] },
          computes: { Goals: { from: ofTarget, add: 'sum' } },
        }),
      ).code,
    ).toBe('target.invalid');
  });
});

test('the write of totals sets what differs and removes what is not computed, guarded by all that is computed', () => {
  const target = aClub('a', { Games: 1, Goals: 0, First: 'x' });
  const { Games, Goals, First } = clubTotals.computes;
  const aggregate: Aggregate = {
    ...computing({ ...(Games && { Games }), ...(Goals && { Goals }), ...(First && { First }) }),
    reads: { ...clubTotals.reads, target: ['Name'] },
  };
  const totals = new Totals(bound(aggregate), target);
  const counted = { Games: { N: '2' }, Goals: { N: '0' }, First: undefined };
  totals.on = () => new Map(Object.entries(counted));

  expect(planUpdate(totals, keyed(table, target))?.write).toEqual({
    key: { pk: 'CLUB#a', sk: 'CLUB' },
    set: { Games: { N: '2' } },
    remove: ['First'],
    expect: item({ Games: 1, Goals: 0, First: 'x', Name: 'a', Kind: 'Club' }),
  });
});
