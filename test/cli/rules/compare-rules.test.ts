import fc from 'fast-check';
import { aging, count, defineAggregate, max, predicate, sum } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anyOther, asksForBackfill, compareRules } from '../../../src/cli/rules/compare-rules.ts';
import type { RulesVersion } from '../../../src/cli/rules/rules-version.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { defineKind } from '../../../src/model/kind.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { planUpdate } from '../../../src/worker/propagation/plan/plan-update.ts';
import { aCrewing, aSailor } from '../../fixtures/cruises/cruise-items.ts';
import { sailor } from '../../fixtures/cruises/cruise-kinds.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../../fixtures/cruises/cruise-rules.ts';
import { ByOwner, table } from '../../fixtures/model/table.ts';
import { titleOnTagsThat } from '../../fixtures/posts/posts.ts';

function tree(rules: readonly Rule[]): RulesVersion {
  return { table, rules, aggregates: [], archives: [] };
}

/** The changes from one version of a rule to another, each as `what: effect, says`. */
function from(before: Rule, after: Rule): string[] {
  return compareRules(tree([before]), tree([after])).changes.map(
    ({ what, attribute, effect, says }) => `${attribute ?? what}: ${effect}, ${says}`,
  );
}

test('equivalent rules are the same', () => {
  const rules = [voyageOnBookings, nameOnCrew, ticketOnGuestTicket, ticketStateKeys, dateOnLegs];

  expect(compareRules(tree(rules), tree(rules.map((rule) => ({ ...rule }))))).toMatchObject({
    changes: [],
    backfill: [],
  });
});

test('another when decides anew which roots have copies, and asks for a backfill', () => {
  const rule: Rule = { ...nameOnCrew, when: { root: ({ Rank }) => Rank !== 'cook' } };

  expect(from(nameOnCrew, rule)).toEqual([
    'when.root: changes, decides which roots have copies: those of the others are treated as if their root were deleted',
  ]);
  expect(from(rule, { ...rule })).toEqual([]);
  expect(compareRules(tree([nameOnCrew]), tree([rule])).backfill).toEqual(['name-on-crew']);
});

test('a rule that starts to create makes what is missing, and asks for a backfill', () => {
  const [creating, before] = [titleOnTagsThat('delete', 'delete', true), titleOnTagsThat('delete', 'delete')];

  expect(from(before, creating)).toEqual([
    'creates: appears, missing copies are created when their root changes, or by a backfill',
  ]);
  expect(from(creating, before)).toEqual(['creates: nothing, applies from now on']);
  expect(compareRules(tree([before]), tree([creating])).backfill).toEqual(['title-on-tags']);
});

describe('an attribute', () => {
  test('appears if the rule starts to copy it, and stays as it is if the rule stops', () => {
    const wider: Rule = { ...nameOnCrew, copies: ['Name', 'Rank'] };

    expect(from(nameOnCrew, wider)).toEqual([
      'Rank: appears, becomes what the root has, and is removed if the root has none',
    ]);
    expect(from(wider, nameOnCrew)).toEqual(['Rank: stays, stays as it is, and no longer follows']);
  });

  test('appears if the rule starts to derive it, and is named as the key of an index', () => {
    const fewer: Rule = { ...dateOnLegs, derive: {} };

    expect(from(fewer, dateOnLegs)).toEqual([
      'OwnerPart: appears, is written; it is a key of ByOwner',
      'OwnerSort: appears, is written; it is a key of ByOwner',
    ]);
  });

  test('changes if it is derived by another pattern', () => {
    const other: Rule = {
      ...dateOnLegs,
      derive: { ...dateOnLegs.derive, [ByOwner.sk]: ({ root }) => `CALLED#${root['SoldAt']}` },
    };
    const [change] = compareRules(tree([dateOnLegs]), tree([other])).changes;

    expect(change).toMatchObject({
      attribute: 'OwnerSort',
      before: 'CALL#{SoldAt}',
      after: 'CALLED#{SoldAt}',
      effect: 'changes',
    });
  });

  test('changes if its function changes, though it gives no pattern', () => {
    const first: Rule = { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 2 } };
    const second: Rule = { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 3 } };

    expect(compareRules(tree([first]), tree([second]))).toMatchObject({
      changes: [
        {
          attribute: 'Price',
          before: expect.stringMatching(/\* 2$/),
          after: expect.stringMatching(/\* 3$/),
          effect: 'changes',
        },
      ],
      backfill: [ticketStateKeys.name],
    });
  });

  test('is removed by a mirror that becomes strict, and so are all others', () => {
    const loose: Rule = { ...voyageOnBookings, unknown: 'keep' };

    expect(from(loose, voyageOnBookings)).toEqual([
      expect.stringMatching(/^Brand: goes, is removed if the root has none/),
      expect.stringMatching(/^DepartsAt: goes/),
      expect.stringMatching(/^State: goes/),
      expect.stringMatching(/^all other attributes: goes/),
    ]);
    expect(from(voyageOnBookings, loose).every((said) => said.includes(': nothing, '))).toBe(true);
  });

  test('is taken from a copy if a strict mirror no longer leaves it to the copy', () => {
    const greedy: Rule = { ...voyageOnBookings, own: [] };

    expect(from(voyageOnBookings, greedy)).toEqual([
      'Cabin: goes, is removed: the kind of the root has no such attribute',
    ]);
    expect(compareRules(tree([voyageOnBookings]), tree([greedy])).backfill).toEqual(['voyage-on-bookings']);
  });
});

describe('a rule', () => {
  test('is new: its attributes appear, and a backfill writes them', () => {
    const { changes, backfill } = compareRules(tree([]), tree([nameOnCrew]));

    expect(changes.map(({ what, attribute }) => attribute ?? what)).toEqual(['rule', 'Name']);
    expect(backfill).toEqual(['name-on-crew']);
  });

  test('is removed: its copies stay as they are', () => {
    const { changes, backfill } = compareRules(tree([nameOnCrew]), tree([]));

    expect(changes).toMatchObject([{ what: 'rule', effect: 'stays' }]);
    expect(backfill).toEqual([]);
  });

  const elsewhere: Rule['located'] = { in: 'partition', at: ({ ids }) => ({ pk: `CREW#${ids['sailor']}` }) };
  test.each<[string, Partial<Rule>, string]>([
    ['has another location for its copies', { located: elsewhere }, 'located.in: elsewhere'],
    ['names another root', { rootOf: () => undefined }, 'rootOf: elsewhere'],
    ['reads other attributes', { reads: { root: ['Rank'], copy: ['SailorId'] } }, 'reads.root: nothing'],
    ['names a tenant', { tenant: 'sailor' }, 'tenant: nothing'],
    ['deletes copies', { onDelete: 'delete' }, 'onDelete: nothing'],
    ['clears copies', { onExpire: 'clear' }, 'onExpire: nothing'],
    [
      'has a root of another shape',
      {
        root: defineKind({
          name: 'Sailor',
          type: 'Sailor',
          pk: 'S#{sailor}',
          sk: 'SAILOR',
          attributes: sailor.attributes,
        }),
      },
      'root: elsewhere',
    ],
    ['has a copy of another type', { copy: { ...nameOnCrew.copy, type: 'Crew' } }, 'copy: elsewhere'],
  ])('%s', (_, other, said) => {
    const [first] = from(nameOnCrew, { ...nameOnCrew, ...other });

    expect(first).toContain(said);
  });
});

describe('an archive rule', () => {
  const archive = defineArchive({ name: 'archive-sailors', kinds: [sailor] });
  const none: RulesVersion = { table, rules: [], aggregates: [], archives: [] };

  test('is new or removed, and no copy needs a backfill', () => {
    const one: RulesVersion = { ...none, archives: [archive] };

    expect(compareRules(none, one)).toMatchObject({
      changes: [{ rule: 'archive-sailors', what: 'rule', before: 'none', effect: 'nothing' }],
      backfill: [],
    });
    expect(compareRules(one, none)).toMatchObject({
      changes: [
        { what: 'rule', after: 'none', says: expect.stringMatching(/^is removed: items expire without it/) },
      ],
      backfill: [],
    });
  });

  test.each([
    ['other kinds', { kinds: [sailor, nameOnCrew.copy] }, 'kinds'],
    ['another layout', { layout: 'batch' }, 'layout'],
    ['another storage class', { storageClass: 'STANDARD' }, 'storageClass'],
    ['another policy', { onDelete: 'archive' }, 'onDelete'],
  ] as const)('has %s', (_, other, what) => {
    const before: RulesVersion = { ...none, archives: [archive] };
    const after: RulesVersion = { ...none, archives: [{ ...archive, ...other }] };

    expect(compareRules(before, after).changes).toMatchObject([{ rule: 'archive-sailors', what }]);
  });
});

describe('an aggregate', () => {
  const ship = defineKind({
    name: 'Ship',
    type: 'Ship',
    pk: 'SHIP#{ship}',
    sk: 'SHIP',
    attributes: z.object({ Sailors: z.number(), Pay: z.number(), Eldest: z.number() }),
  });
  const hand = defineKind({
    name: 'Hand',
    pk: 'SHIP#{ship}',
    sk: 'HAND#{hand}',
    attributes: z.object({ Wage: z.number(), Rank: z.string() }),
  });
  const crews = defineAggregate({
    name: 'crews',
    of: hand,
    on: ship,
    reads: { member: ['Rank'] },
    members: { in: 'partition', at: ({ ids }) => ({ pk: ship.pk(ids), begins: 'HAND#' }) },
    targetsOf: ({ ids }) => [ship.key(ids)],
    computes: { Sailors: count(), Pay: sum('Wage') },
  });
  const version = (...aggregates: readonly Aggregate[]): RulesVersion => ({ ...tree([]), aggregates });
  const compared = (before: RulesVersion, after: RulesVersion) => {
    const { changes, backfill } = compareRules(before, after);
    const said = changes.map(
      ({ what, attribute, effect, says }) => `${attribute ?? what}: ${effect}, ${says}`,
    );
    return { said, backfill };
  };

  test('that is the same is no difference', () => {
    expect(compared(version(crews), version({ ...crews }))).toEqual({ said: [], backfill: [] });
  });

  test('is new, and asks for a backfill; or is removed, and its totals stay', () => {
    expect(compared(version(), version(crews))).toEqual({
      said: ['rule: appears, is new: totals are computed when a member changes, or by a backfill'],
      backfill: ['crews'],
    });
    expect(compared(version(crews), version())).toEqual({
      said: ['rule: stays, is removed: totals stay; its queued messages are dead-lettered'],
      backfill: [],
    });
  });

  test.each<[string, Partial<Aggregate>, string, readonly string[]]>([
    [
      'adds up something else',
      { computes: { Sailors: count(), Pay: max('Wage') } },
      'computes.Pay: changes, is computed',
      ['crews'],
    ],
    [
      'computes another attribute',
      { computes: { ...crews.computes, Eldest: max('Wage') } },
      'computes.Eldest: appears, is computed',
      ['crews'],
    ],
    [
      'computes an attribute no more',
      { computes: { Sailors: count() } },
      'computes.Pay: stays, stays as it is, and no longer follows',
      [],
    ],
    [
      'looks for its members elsewhere',
      { members: [{ in: 'partition', at: ({ ids }) => ({ pk: `CREW#${ids['ship']}` }) }] },
      'members: changes, totals are computed anew',
      ['crews'],
    ],
    [
      'has other targets',
      { targetsOf: ({ ids }) => [{ pk: `FLEET#${ids['ship']}`, sk: 'SHIP' }] },
      'targetsOf: changes, totals are computed anew',
      ['crews'],
    ],
    [
      'reads less',
      { reads: { member: ['Wage'], target: [] } },
      'reads.member: nothing, applies from now on',
      [],
    ],
    ['has another limit', { limit: 5 }, 'limit: nothing, applies from now on', []],
    ['waits', { every: 60 }, 'every: nothing, applies from now on', []],
  ])('%s', (_, change, says, backfill) => {
    expect(compared(version(crews), version({ ...crews, ...change }))).toEqual({ said: [says], backfill });
  });
});

describe('a changed function', () => {
  const at = () => ({ pk: 'p', sk: 's' });
  const rule: Rule = {
    ...nameOnCrew,
    located: { in: 'key', at },
    when: { root: () => true },
    derive: { Mark: () => undefined },
  };
  const aggregate = {
    ...{
      name: 'crews',
      of: sailor,
      on: sailor,
      reads: { member: [], target: [] },
      limit: 5,
      every: 1,
      invalid: 'dead-letter' as const,
    },
    members: [{ in: 'partition', at }],
    targetsOf: () => [],
    computes: { Pay: { from: () => 1, add: (one: number) => one } },
  } satisfies Aggregate;
  const archive = defineArchive({
    ...{ name: 'archive-sailors', kinds: [sailor] },
    when: [predicate(sailor, { reads: [], item: () => true })],
    ages: aging(sailor, {
      ...{ reads: [], when: () => true, since: () => 0, days: 1 },
      found: { in: 'index', index: ByOwner, pks: [], until: () => 'x' },
      with: [{ kind: sailor, at: () => ({ in: 'key', pk: 'p', sk: 's' }) }],
    }),
  });

  test.each<[string, RulesVersion, number]>([
    ['a rule', tree([rule]), 4],
    ['an aggregate', { ...tree([]), aggregates: [aggregate] }, 4],
    ['an archive rule', { ...tree([]), archives: [archive] }, 5],
  ])('of %s is a difference, whichever it is', (_, { table: names, ...version }, functions) => {
    const variants = withOneOtherFunction(version) as Omit<RulesVersion, 'table'>[];

    expect(variants).toHaveLength(functions);
    for (const variant of variants) {
      const { changes } = compareRules({ table: names, ...version }, { table: names, ...variant });
      expect(changes).toHaveLength(1);
    }
  });

  test('is a difference if it is the same text with another value in it', () => {
    const place = (text: string): Partial<Rule> => ({
      located: { in: 'key', at: () => ({ pk: text, sk: 's' }) },
    });

    expect(
      compareRules(tree([{ ...rule, ...place('a') }]), tree([{ ...rule, ...place('b') }])).changes,
    ).toMatchObject([{ what: 'located.at', before: '{"pk":"a","sk":"s"}', after: '{"pk":"b","sk":"s"}' }]);
  });
});

/** The same value once for each function in it, with another function in its place. Kinds have no functions of a project. */
function withOneOtherFunction(value: unknown): unknown[] {
  if (typeof value === 'function') return [() => 'another'];
  if (typeof value !== 'object' || value === null || value === sailor || value === nameOnCrew.copy) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    withOneOtherFunction(part).map((other) =>
      Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other },
    ),
  );
}

const some = fc.subarray(['Name', 'Rank', 'Ship'] as const);
const derivations: readonly Rule['derive'][] = [
  {},
  { Mark: ({ root }) => `${root['Rank']}!` },
  { Mark: ({ root }) => `${root['Rank']}?` },
];
const anyRule = fc
  .record({
    copies: fc.oneof(some, fc.constant('all' as const)),
    own: some,
    unknown: fc.constantFrom('keep' as const, 'remove' as const),
    derive: fc.constantFrom(...derivations),
  })
  .map(
    ({ copies, own, unknown, derive }): Rule => ({
      ...nameOnCrew,
      reads: { root: ['Rank'], copy: ['SailorId'] },
      // Only a rule that copies all lists the copy’s own attributes.
      ...(copies === 'all' ? { copies, own: ['SailorId', ...own], unknown } : { copies }),
      derive,
    }),
  );
const value = fc.constantFrom('x', 'y', undefined);
const attributes = fc.record({ Name: value, Ship: value, Mark: value, Stray: value });

test('the comparison predicts every write of the new version to a copy that was right', () => {
  fc.assert(
    fc.property(anyRule, anyRule, attributes, attributes, (before, after, onRoot, onCopy) => {
      const root = aSailor(onRoot);
      const copy = written(before, root, aCrewing('p', onCopy));
      const update = planUpdate(table, after, root, copy)?.update;
      const changed = [...Object.keys(update?.set ?? {}), ...(update?.remove ?? [])];
      const { changes } = compareRules(tree([before]), tree([after]));
      const said = changes.filter(asksForBackfill).map(({ attribute }) => attribute);

      for (const name of changed)
        expect(said.includes(name) || said.includes(anyOther), `${name} of ${said}`).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

/** The copy after the rule has updated it. */
function written(rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(table, rule, root, copy)?.update;
  const after = { ...copy, ...update?.set };
  return Object.fromEntries(Object.entries(after).filter(([name]) => !update?.remove.includes(name)));
}
