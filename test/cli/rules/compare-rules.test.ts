import fc from 'fast-check';
import { aging, count, defineAggregate, max, predicate, sum } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compareRules } from '../../../src/cli/rules/compare-rules.ts';
import { describe as described } from '../../../src/cli/rules/description.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { type ArchiveRule, defineArchive } from '../../../src/model/archive-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { defineKind } from '../../../src/model/kind.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { planUpdate } from '../../../src/worker/propagation/plan/plan-update.ts';
import { RootProjection } from '../../../src/worker/propagation/plan/projection.ts';
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

type Definition = Rule | Aggregate | ArchiveRule;

/** The differences as `field - before + after`, and whether a backfill is due. */
function compared(before?: Definition, after?: Definition) {
  const [old, now] = [before, after].map((one) => (one === undefined ? [] : [described(one)]));
  const [change] = compareRules(old ?? [], now ?? []);
  const said = Object.entries(change?.fields ?? {}).map(([field, difference]) =>
    [
      field,
      ...difference.before.map((entry) => `- ${entry}`),
      ...difference.after.map((entry) => `+ ${entry}`),
    ].join(' '),
  );
  return { is: change?.is, said, backfill: change?.backfill };
}

test('equivalent rules are the same', () => {
  const all = [voyageOnBookings, nameOnCrew, ticketOnGuestTicket, ticketStateKeys, dateOnLegs].map(described);

  expect(compareRules(all, structuredClone(all))).toEqual([]);
});

test.each<[string, Rule, Rule, readonly string[], boolean]>([
  ['copies more', nameOnCrew, { ...nameOnCrew, copies: ['Name', 'Rank'] }, ['copies + Rank'], true],
  ['copies less', { ...nameOnCrew, copies: ['Name', 'Rank'] }, nameOnCrew, ['copies - Rank'], false],
  [
    'derives by another pattern',
    dateOnLegs,
    {
      ...dateOnLegs,
      derive: { ...dateOnLegs.derive, [ByOwner.sk]: ({ root }) => `CALLED#${root['SoldAt']}` },
    },
    ['derive - OwnerSort: CALL#{SoldAt} + OwnerSort: CALLED#{SoldAt}'],
    true,
  ],
  [
    'derives by another function without a pattern',
    { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 2 } },
    { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 3 } },
    [expect.stringMatching(/^derive - Price: .*\* 2 \+ Price: .*\* 3$/)],
    true,
  ],
  [
    'becomes a strict mirror',
    { ...voyageOnBookings, unknown: 'keep' },
    voyageOnBookings,
    ['unknown - keep + remove'],
    true,
  ],
  [
    'copies what it derived before, among all',
    { ...voyageOnBookings, derive: { ...voyageOnBookings.derive, Mark: () => 'x' } },
    voyageOnBookings,
    ['derive - Mark: x'],
    true,
  ],
  [
    'leaves nothing to the copy',
    voyageOnBookings,
    { ...voyageOnBookings, own: [] },
    [expect.stringMatching(/^own - .*Cabin/)],
    true,
  ],
  [
    'excludes roots',
    nameOnCrew,
    { ...nameOnCrew, when: { root: ({ Rank }) => Rank !== 'cook' } },
    [expect.stringMatching(/^when \+ root: .*cook/)],
    true,
  ],
  [
    'excludes none any more',
    { ...nameOnCrew, when: { root: ({ Rank }) => Rank !== 'cook' } },
    nameOnCrew,
    [expect.stringMatching(/^when - .*cook/)],
    true,
  ],
  [
    'creates copies',
    titleOnTagsThat('delete', 'delete'),
    titleOnTagsThat('delete', 'delete', true),
    ['creates + true'],
    true,
  ],
  [
    'creates no copies any more',
    titleOnTagsThat('delete', 'delete', true),
    titleOnTagsThat('delete', 'delete'),
    ['creates - true'],
    false,
  ],
  [
    'has other locations',
    nameOnCrew,
    { ...nameOnCrew, located: { in: 'partition', at: ({ ids }) => ({ pk: `CREW#${ids['sailor']}` }) } },
    [expect.stringMatching(/^located - .* \+ in the partition at CREW#\{sailor\}$/)],
    true,
  ],
  [
    'names another root',
    nameOnCrew,
    { ...nameOnCrew, rootOf: () => undefined },
    [expect.stringMatching(/^rootOf - .* \+ \(\) => /)],
    true,
  ],
  [
    'has a copy of another type',
    nameOnCrew,
    { ...nameOnCrew, copy: { ...nameOnCrew.copy, type: 'Crew' } },
    [expect.stringMatching(/^copy - .* \+ .*, type Crew$/)],
    true,
  ],
  [
    'reads something else',
    nameOnCrew,
    { ...nameOnCrew, reads: { root: ['Rank'], copy: nameOnCrew.reads.copy } },
    ['reads + root: Rank'],
    false,
  ],
  ['names a tenant', nameOnCrew, { ...nameOnCrew, tenant: 'sailor' }, ['tenant + sailor'], false],
  ['deletes copies', nameOnCrew, { ...nameOnCrew, onDelete: 'delete' }, ['onDelete - keep + delete'], false],
])('a rule that %s', (_, before, after, said, backfill) => {
  expect(compared(before, after)).toEqual({ is: 'changed', said, backfill });
});

test('a new rule asks for a backfill if it writes; a removed one leaves copies as they are', () => {
  expect(compared(undefined, nameOnCrew)).toMatchObject({ is: 'new', backfill: true });
  expect(compared(undefined, { ...nameOnCrew, copies: [] })).toMatchObject({ is: 'new', backfill: false });
  expect(compared(nameOnCrew)).toMatchObject({ is: 'removed', backfill: false });
});

describe('an archive rule asks for no backfill', () => {
  const archive = defineArchive({ name: 'archive-sailors', kinds: [sailor] });

  test.each<[string, Partial<ArchiveRule>, string]>([
    ['kinds', { kinds: [sailor, nameOnCrew.copy] }, 'kinds + '],
    ['a layout', { layout: 'batch' }, 'layout - '],
    ['a storage class', { storageClass: 'STANDARD' }, 'storageClass + '],
    ['a policy', { onDelete: 'archive' }, 'onDelete - '],
  ])('with other %s', (_, other, said) => {
    expect(compared(archive, { ...archive, ...other })).toEqual({
      is: 'changed',
      said: [expect.stringContaining(said)],
      backfill: false,
    });
  });

  test('that is new', () => {
    expect(compared(undefined, archive)).toMatchObject({ is: 'new', backfill: false });
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

  test('is new, and asks for a backfill; or is removed, and its totals stay', () => {
    expect(compared(undefined, crews)).toMatchObject({ is: 'new', backfill: true });
    expect(compared(crews)).toMatchObject({ is: 'removed', backfill: false });
  });

  test.each<[string, Partial<Aggregate>, string, boolean]>([
    [
      'adds up something else',
      { computes: { Sailors: count(), Pay: max('Wage') } },
      'computes - Pay: sum of Wage + Pay: max of Wage',
      true,
    ],
    [
      'computes another attribute',
      { computes: { ...crews.computes, Eldest: max('Wage') } },
      'computes + Eldest: max of Wage',
      true,
    ],
    [
      'computes an attribute no more',
      { computes: { Sailors: count() } },
      'computes - Pay: sum of Wage',
      false,
    ],
    [
      'looks for its members elsewhere',
      { members: [{ in: 'partition', at: ({ ids }) => ({ pk: `CREW#${ids['ship']}` }) }] },
      'members - in the partition at SHIP#{ship} / HAND#… + in the partition at CREW#{ship}',
      true,
    ],
    [
      'has other targets',
      { targetsOf: ({ ids }) => [{ pk: `FLEET#${ids['ship']}`, sk: 'SHIP' }] },
      'targetsOf - SHIP#{ship} / SHIP + FLEET#{ship} / SHIP',
      true,
    ],
    ['has another limit', { limit: 5 }, 'limit - 10000 + 5', false],
    ['waits', { every: 60 }, 'every + 60', false],
  ])('%s', (_, change, said, backfill) => {
    expect(compared(crews, { ...crews, ...change })).toEqual({
      is: 'changed',
      said: [said],
      backfill,
    });
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

  test.each<[string, Definition, number]>([
    ['a rule', rule, 4],
    ['an aggregate', aggregate, 4],
    ['an archive rule', archive, 5],
  ])('of %s is a difference, whichever it is', (_, one, functions) => {
    const variants = withOneOtherFunction(one);

    expect(variants).toHaveLength(functions);
    for (const variant of variants)
      expect(compareRules([described(one)], [described(variant as Definition)])).toHaveLength(1);
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

test('a backfill is due if the new version writes anything to a copy that was right', () => {
  fc.assert(
    fc.property(anyRule, anyRule, attributes, attributes, (before, after, onRoot, onCopy) => {
      const root = aSailor(onRoot);
      const copy = written(before, root, aCrewing('p', onCopy));
      const update = planUpdate(new RootProjection(table, after, root), copy)?.write;
      const changed = [...Object.keys(update?.set ?? {}), ...(update?.remove ?? [])];

      if (changed.length > 0) expect(compared(before, after)).toMatchObject({ backfill: true });
    }),
    { numRuns: 1_000 },
  );
});

/** The copy after the rule has updated it. */
function written(rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(new RootProjection(table, rule, root), copy)?.write;
  const after = { ...copy, ...update?.set };
  return Object.fromEntries(Object.entries(after).filter(([name]) => !update?.remove.includes(name)));
}
