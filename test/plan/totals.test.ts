import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Item, keyed, keyIn } from '../../src/model/items/item.ts';
import { maxItem } from '../../src/model/items/item-size.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import {
  type AnyReducer,
  average,
  count,
  list,
  max,
  min,
  sum,
  value,
} from '../../src/model/rules/reducers.ts';
import { planUpdate } from '../../src/plan/plan-writes.ts';
import { Totals } from '../../src/plan/totals.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import { aContender, aMatch, contenderTotals, match } from '../fixtures/world/totals.ts';
import { refusal } from '../suites/refusal.ts';

/** What a computation makes of these items, each read in both locations. */
function computed(
  members: readonly Item[],
  aggregate: Aggregate = contenderTotals,
  target = aContender('a'),
): Item {
  const totals = new Totals(bound(aggregate), target);
  for (const location of totals.locations) for (const member of members) totals.add(member, location);
  return Object.fromEntries(
    [...totals.on()].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function computing(computes: Aggregate['computes']): Aggregate {
  return { ...contenderTotals, computes };
}

describe('totals', () => {
  test('are computed from all members, by what each contributes to this target', () => {
    const members = [
      aMatch('a', 'b', { Votes: 10, PlayedAt: '2026-03-02', Report: 'long' }),
      aMatch('c', 'a', { Votes: 5, PlayedAt: '2026-03-01', Report: 'longer' }),
    ];

    expect(computed(members)).toEqual(
      item({ Matches: 2, Points: 3, Votes: 15, First: '2026-03-01', Last: '2026-03-02', Longest: 'longer' }),
    );
    expect(computed(members, contenderTotals, aContender('b'))).toEqual(
      item({ Matches: 1, Points: 1, Votes: 10, First: '2026-03-02', Last: '2026-03-02', Longest: 'long' }),
    );
  });

  test('are zero without members, and the others are missing', () => {
    expect(computed([])).toEqual(item({ Matches: 0, Points: 0, Votes: 0 }));
  });

  const [older, newer] = [
    { ...aMatch('a', 'b'), Votes: { N: '12345678901234567890123456789012345.678' } },
    { ...aMatch('a', 'c', { Report: 'long' }), Votes: { N: '1.50' } },
  ];

  test('copy attributes as they are, the outermost member first', () => {
    const computes = { Last: value('Votes'), First: value('Report'), Longest: list('Report') };
    const each = computing({ ...computes, Votes: list(['Report', 'Votes']) });

    expect(computed([older, newer], each)).toEqual({
      Last: older.Votes,
      Longest: { L: [{ S: 'long' }] },
      Votes: { L: [{ M: { Votes: older.Votes } }, { M: { Report: { S: 'long' }, Votes: { N: '1.50' } } }] },
    });
    expect(computed([], each)).toEqual({});
  });

  test('copy values of any type that the schema accepts, and no others', () => {
    const typed = (Votes: z.ZodType) => ({
      ...computing({ Last: value('Votes') }),
      of: { ...match, attributes: match.attributes.extend({ Votes }) },
    });
    for (const [schema, Votes] of [
      [z.set(z.string()), { SS: ['x'] }],
      [z.object({ a: z.array(z.number()) }), { M: { a: { L: [{ N: '1' }] } } }],
      [z.string().nullable(), { NULL: true }],
    ] as const) {
      expect(computed([{ ...older, Votes }], typed(schema))).toEqual({ Last: Votes });
      expect(refusal(() => computed([{ ...older, Votes }], typed(z.date()))).code).toBe('member.invalid');
    }
  });

  test('may be lists and objects that a function adds', () => {
    const top = computing({
      Longest: {
        from: (({ Rival }: { Rival: string }) => [{ Rival, at: undefined }]) as never,
        add: (one: readonly object[], other: readonly object[]) => [...one, ...other].slice(-2) as never,
      },
    });
    const members = ['b', 'c', 'd'].map((rival) => aMatch('a', rival));

    expect(computed(members, top)).toEqual(item({ Longest: [{ Rival: 'c' }, { Rival: 'd' }] }));
    const giving = (one: unknown) => computing({ Longest: { from: (() => one) as never, add: (a) => a } });
    expect(refusal(() => computed(members, giving([new Date()]))).code).toBe('rule.returned');
    expect(refusal(() => computed(members, giving(true))).code).toBe('rule.returned');
    expect(refusal(() => computed(members, giving([Number.NaN]))).code).toBe('target.unstorable');
  });

  test('keep all 38 digits, which JavaScript does not', () => {
    const members = [
      { ...aMatch('a', 'b'), Votes: { N: '12345678901234567890123456789012345.678' } },
      { ...aMatch('a', 'c'), Votes: { N: '0.001' } },
    ];

    expect(
      computed(members, computing({ Votes: sum('Votes'), Best: max('Votes'), Least: min('Votes') })),
    ).toEqual({
      Votes: { N: '1.2345678901234567890123456789012345679e+34' },
      Best: { N: '12345678901234567890123456789012345.678' },
      Least: { N: '0.001' },
    });
  });

  test.each([
    ['12345678901234567890', '12345678901234567891'],
    ['-12345678901234567891', '-12345678901234567890'],
    ['0.12345678901234567890', '0.12345678901234567891'],
  ])('compare numbers that JavaScript takes for the same, in any order: %s and %s', (less, more) => {
    const matches = [less, more].map((N, index) => ({ ...aMatch('a', `${index}`), Votes: { N } }));
    const extremes = computing({ Best: max('Votes'), Least: min('Votes') });

    for (const members of [matches, matches.toReversed()])
      expect(computed(members, extremes)).toEqual({ Best: { N: more }, Least: { N: less } });
  });

  test('take what is missing or NULL as the schema does', () => {
    const members = [aMatch('a', 'b', { Votes: null }), aMatch('a', 'c'), aMatch('a', 'd', { Votes: 5 })];
    const aggregate = computing({ Votes: sum('Votes'), Best: max('Votes') });
    const withVotes = (Votes: z.ZodType) => ({
      ...aggregate,
      of: { ...match, attributes: match.attributes.extend({ Votes }) },
    });

    expect(computed(members, withVotes(z.number().nullish()))).toEqual(item({ Votes: 5, Best: 5 }));
    expect(computed(members, withVotes(z.number().nullable().default(9)))).toEqual(
      item({ Votes: 14, Best: 9 }),
    );
    const withText = { ...withVotes(z.string().nullish().default('none')), computes: { Best: max('Votes') } };
    expect(computed([aMatch('a', 'b'), aMatch('a', 'c', { Votes: 'full' })], withText)).toEqual(
      item({ Best: 'none' }),
    );
    expect(
      refusal(() => computed([aMatch('a', 'b')], { ...withText, computes: { Votes: sum('Votes') } })).message,
    ).toBe(
      "Expected attribute 'Votes' of Match to be a number, found one of another type: correct the member",
    );
    expect(refusal(() => computed(members)).message).toBe(
      "Expected attribute 'Votes' of Match to be number, found one of type NULL",
    );
  });

  test('compare numbers by their value, and text by its bytes', () => {
    const members = [
      aMatch('a', 'b', { Votes: 9, PlayedAt: '\u{1F600}' }),
      aMatch('a', 'c', { Votes: 10, PlayedAt: '\uFF5E' }),
    ];

    for (const some of [members, members.toReversed()])
      expect(computed(some, computing({ Votes: max('Votes'), Last: max('PlayedAt') }))).toEqual(
        item({ Votes: 10, Last: '\u{1F600}' }),
      );
  });

  test.each<[string, AnyReducer, z.ZodType, Plain | undefined, string]>([
    ['sum', sum('Votes'), z.unknown(), true, 'a number'],
    ['sum, as a number that it is not', sum('Votes'), z.coerce.number(), '5', 'a number'],
    ['mean', average('Votes', { digits: 0 }), z.unknown(), '5', 'a number'],
    ['greatest', max('Votes'), z.unknown(), true, 'a number or text'],
    ['greatest, by default', max('Votes'), z.boolean().default(true), undefined, 'a number or text'],
  ])('are refused if the schema accepts what has no %s', (_, reducer, schema, Votes, expected) => {
    const loose = { ...match, attributes: match.attributes.extend({ Votes: schema }) };
    const aggregate = { ...computing({ Votes: reducer }), of: loose };

    expect(refusal(() => computed([aMatch('a', 'b', { Votes })], aggregate)).message).toBe(
      `Expected attribute 'Votes' of Match to be ${expected}, found one of another type: correct the member`,
    );
  });

  test('are refused if they would make the target too large', () => {
    const target = aContender('a', { Crest: 'x'.repeat(maxItem - 100) });
    const totals = new Totals(bound(contenderTotals), target);
    for (const location of totals.locations)
      totals.add(aMatch('a', 'b', { Report: 'x'.repeat(100) }), location);

    expect(refusal(() => planUpdate(totals, keyed(table, target)))).toMatchObject({
      ...{ code: 'target.too-large', concerns: 'target', rule: 'contender-totals' },
      message: expect.stringContaining('A target of rule contender-totals would grow'),
    });
  });

  test('are refused if numbers and text are compared', () => {
    const members = [aMatch('a', 'b', { PlayedAt: 1 }), aMatch('a', 'c')];
    const loose = {
      ...match,
      attributes: match.attributes.extend({ PlayedAt: z.string().or(z.number()) }),
    };

    expect(refusal(() => computed(members, { ...contenderTotals, of: loose }))).toMatchObject({
      ...{ concerns: 'member', rule: 'contender-totals', key: keyIn(table, members[1] ?? {}) },
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
    const members = [aMatch('a', 'b'), aMatch('a', 'c')];

    expect(refusal(() => computed(members, computing({ Matches: reducer })))).toMatchObject({ code });
  });

  test('are refused if DynamoDB cannot store them', () => {
    const members = [
      { ...aMatch('a', 'b'), Votes: { N: '99999999999999999999999999999999999999' } },
      { ...aMatch('a', 'c'), Votes: { N: '0.5' } },
    ];

    expect(refusal(() => computed(members))).toMatchObject({
      code: 'target.unstorable',
      concerns: 'target',
      rule: 'contender-totals',
      key: { pk: 'CONTENDER#a', sk: 'CONTENDER' },
      message:
        "Rule contender-totals computes a value of 'Votes' that DynamoDB cannot store: expected a number of at most 38 digits, below 1e126",
    });
  });

  test('are refused beyond the limit, with the remedy', () => {
    const members = [aMatch('a', 'b'), aMatch('a', 'c'), aMatch('a', 'd')];

    expect(computed(members, { ...contenderTotals, limit: 3 })).toMatchObject(item({ Matches: 3 }));
    expect(refusal(() => computed(members, { ...contenderTotals, limit: 2 }))).toMatchObject({
      code: 'target.too-many-members',
      concerns: 'target',
      rule: 'contender-totals',
      key: { pk: 'CONTENDER#a', sk: 'CONTENDER' },
      message:
        'Rule contender-totals computes a target from at most 2 members, found more: aggregate Match in two steps, first into buckets, which are then members of this target, or raise limit',
    });
  });
});

describe('totals that skip invalid members', () => {
  const skipping: Aggregate = {
    ...computing({ Matches: count(), Votes: sum('Votes'), Last: max('PlayedAt') }),
    invalid: 'skip',
  };

  test.each([
    [{ S: '5' }],
    [{ N: '1E-130' }],
    [{ N: '9E125' }],
    [{ N: '1.00000000000000000000000000000000000001' }],
    [{ N: '-100000000000000' }],
    [{ L: [{ S: 'deep' }] }],
  ])('are those of the other members, in any order: %j', (Votes) => {
    const members = [
      aMatch('a', 'b', { Votes: 5 }),
      { ...aMatch('a', 'c', { PlayedAt: '9999' }), Votes },
      aMatch('a', 'd', { Votes: 4 }),
    ];

    for (const some of [members, members.toReversed()])
      expect(computed(some, skipping)).toEqual(item({ Matches: 2, Votes: 9, Last: '2026-03-01' }));
  });

  test('take any number where they add up none', () => {
    const members = [{ ...aMatch('a', 'b'), Votes: { N: '9E125' } }];

    expect(computed(members, { ...computing({ Best: max('Votes') }), invalid: 'skip' })).toEqual({
      Best: { N: '9E125' },
    });
  });

  test('can be stored, however great their numbers are', () => {
    const largest = { N: '99999999999999.99999999999999999999' };
    const members = Array.from({ length: 10_000 }, (_, rival) => ({
      ...aMatch('a', `${rival}`),
      Votes: rival === 0 ? { N: '0.00000000000000000001' } : largest,
    }));

    expect(computed(members, skipping)).toMatchObject({ Matches: { N: '10000' } });
  });

  test('are refused if not the member is wrong but the function, or the target', () => {
    const throws = () => {
      throw new TypeError();
    };
    const ofTarget = (_: unknown, target: { readonly Votes: number }) => target.Votes;

    expect(
      refusal(() =>
        computed([aMatch('a', 'b')], { ...skipping, computes: { Points: { from: throws, add: 'sum' } } }),
      ).code,
    ).toBe('rule.threw');
    expect(
      refusal(() =>
        computed([aMatch('a', 'b')], {
          ...skipping,
          reads: { ...skipping.reads, target: ['Votes'] },
          computes: { Points: { from: ofTarget, add: 'sum' } },
        }),
      ).code,
    ).toBe('target.invalid');
  });
});

test('the write of totals sets what differs, guarded by all that is computed', () => {
  const target = aContender('a', { Matches: 1, Points: 0, First: 'x' });
  const { Matches, Points, First } = contenderTotals.computes;
  const aggregate: Aggregate = {
    ...computing({ ...(Matches && { Matches }), ...(Points && { Points }), ...(First && { First }) }),
    reads: { ...contenderTotals.reads, target: ['Name'] },
  };
  const totals = new Totals(bound(aggregate), target);
  const counted = { Matches: { N: '2' }, Points: { N: '0' }, First: undefined };
  totals.on = () => new Map(Object.entries(counted));

  expect(planUpdate(totals, keyed(table, target))?.write).toEqual({
    key: { pk: 'CONTENDER#a', sk: 'CONTENDER' },
    set: { Matches: { N: '2' } },
    remove: ['First'],
    expect: item({ Matches: 1, Points: 0, First: 'x', Name: 'a', Kind: 'Contender' }),
  });
});
