import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anyOther } from '../../../../src/cli/rules/diff/attribute-source.ts';
import { compareRules } from '../../../../src/cli/rules/diff/compare-rules.ts';
import { asksForBackfill } from '../../../../src/cli/rules/diff/rule-change.ts';
import type { TreeRules } from '../../../../src/cli/rules/diff/tree-rules.ts';
import type { Item } from '../../../../src/model/item.ts';
import { defineKind } from '../../../../src/model/kind.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { planUpdate } from '../../../../src/propagation/plan/plan-update.ts';
import { aCrewing, aSailor } from '../../../fixtures/cruises/cruise-items.ts';
import { sailor } from '../../../fixtures/cruises/cruise-kinds.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { ByOwner, table } from '../../../fixtures/model/table.ts';

function tree(rules: readonly Rule[], source: Readonly<Record<string, string>> = {}): TreeRules {
  return { table, rules, archives: [], source: new Map(Object.entries(source)) };
}

/** What changes from one version of a rule to another, each as `what: effect, says`. */
function from(before: Rule, after: Rule): string[] {
  return compareRules(tree([before]), tree([after])).changes.map(
    ({ what, attribute, effect, says }) => `${attribute ?? what}: ${effect}, ${says}`,
  );
}

test('rules that say the same are the same', () => {
  const rules = [voyageOnBookings, nameOnCrew, ticketOnGuestTicket, ticketStateKeys, dateOnLegs];

  expect(compareRules(tree(rules), tree(rules.map((rule) => ({ ...rule }))))).toEqual({
    changes: [],
    backfill: [],
    lost: {},
  });
});

describe('an attribute', () => {
  test('appears that is copied from now on, and stays as it is that is no longer', () => {
    const wider: Rule = { ...nameOnCrew, copies: ['Name', 'Rank'] };

    expect(from(nameOnCrew, wider)).toEqual([
      'Rank: appears, becomes what the root has, and goes where it has none',
    ]);
    expect(from(wider, nameOnCrew)).toEqual(['Rank: stays, stays as it is, and follows no longer']);
  });

  test('appears that is derived from now on, and a key of an index is said to be one', () => {
    const fewer: Rule = { ...dateOnLegs, derive: {} };

    expect(from(fewer, dateOnLegs)).toEqual([
      'OwnerPart: appears, is written; it is a key of ByOwner',
      'OwnerSort: appears, is written; it is a key of ByOwner',
    ]);
  });

  test('changes that is derived by another pattern', () => {
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

  test('is derived by another function, and nobody can tell what it gives', () => {
    const first: Rule = { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 2 } };
    const second: Rule = { ...ticketStateKeys, derive: { Price: ({ root }) => Number(root['Status']) * 3 } };
    const spaced: Rule = {
      ...ticketStateKeys,
      // biome-ignore format: white space is no other function
      derive: { Price: ({ root }) =>   Number(root['Status']) * 2 },
    };

    expect(from(first, second)).toEqual([
      expect.stringMatching(/^Price: cannot-tell, is computed by another/),
    ]);
    expect(from(first, spaced)).toEqual([]);
  });

  test('is derived by a function of two cases, and one of them is no pattern', () => {
    const first: Rule = {
      ...ticketStateKeys,
      derive: { Mark: ({ root }) => (root['Status'] === 'PAID' ? 'a' : 'b') },
    };
    const second: Rule = {
      ...ticketStateKeys,
      derive: { Mark: ({ root }) => (root['Status'] === 'USED' ? 'a' : 'b') },
    };

    expect(from(first, second)).toEqual([expect.stringMatching(/^Mark: cannot-tell/)]);
  });

  test('goes under a mirror that becomes strict, and others with it', () => {
    const loose: Rule = { ...voyageOnBookings, unknown: 'keep' };

    expect(from(loose, voyageOnBookings)).toEqual([
      expect.stringMatching(/^Brand: goes, goes where the root has none/),
      expect.stringMatching(/^DepartsAt: goes/),
      expect.stringMatching(/^State: goes/),
      expect.stringMatching(/^all other attributes: goes/),
    ]);
    expect(from(voyageOnBookings, loose).every((said) => said.includes(': nothing, '))).toBe(true);
  });

  test('is taken from a copy that a strict mirror leaves it no longer', () => {
    const greedy: Rule = { ...voyageOnBookings, own: [] };
    const { changes, backfill, lost } = compareRules(tree([voyageOnBookings]), tree([greedy]));

    expect(changes).toMatchObject([{ attribute: 'Cabin', effect: 'appears' }]);
    expect(backfill).toEqual(['voyage-on-bookings']);
    expect(lost).toEqual({ 'voyage-on-bookings': ['Cabin'] });
  });
});

describe('a rule', () => {
  test('is new: its attributes appear, and a backfill brings them', () => {
    const { changes, backfill } = compareRules(tree([]), tree([nameOnCrew]));

    expect(changes.map(({ what, attribute }) => attribute ?? what)).toEqual(['rule', 'Name']);
    expect(backfill).toEqual(['name-on-crew']);
  });

  test('is gone: its copies stay as they are', () => {
    const { changes, backfill } = compareRules(tree([nameOnCrew]), tree([]));

    expect(changes).toMatchObject([{ what: 'rule', effect: 'stays' }]);
    expect(backfill).toEqual([]);
  });

  test('is called otherwise, and nothing else', () => {
    const renamed: Rule = { ...nameOnCrew, name: 'crew-names' };
    const { changes, backfill } = compareRules(tree([nameOnCrew]), tree([renamed]));

    expect(changes).toMatchObject([
      { rule: 'crew-names', what: 'name', before: 'name-on-crew', after: 'crew-names', effect: 'nothing' },
    ]);
    expect(backfill).toEqual([]);
  });

  const elsewhere: Rule['located'] = { in: 'partition', at: ({ ids }) => ({ pk: `CREW#${ids['sailor']}` }) };
  test.each<[string, Partial<Rule>, string]>([
    ['finds its copies elsewhere', { located: elsewhere }, 'found: elsewhere'],
    [
      'finds them by another function',
      {
        located: {
          in: 'index',
          index: ByOwner,
          at: ({ ids: { sailor: id } }) => ({ pk: `SAILOR#${id}`, begins: 'SHIP#' }),
        },
      },
      'found: cannot-tell',
    ],
    ['finds the root of a copy otherwise', { rootOf: () => undefined }, 'root of a copy: cannot-tell'],
    ['reads other attributes', { reads: { root: ['Rank'], copy: ['SailorId'] } }, 'reads: nothing'],
    ['names a tenant', { tenant: 'sailor' }, 'tenant: nothing'],
    ['deletes copies', { onDelete: 'delete' }, 'root deleted: nothing'],
    ['clears copies', { onExpire: 'clear' }, 'root expired: nothing'],
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
      'from: elsewhere',
    ],
    ['has a copy of another type', { copy: { ...nameOnCrew.copy, type: 'Crew' } }, 'to: elsewhere'],
  ])('%s', (_, other, said) => {
    const [first] = from(nameOnCrew, { ...nameOnCrew, ...other });

    expect(first).toContain(said);
  });

  test('takes other values of what it reads', () => {
    const root = {
      ...ticketOnGuestTicket.root,
      attributes: ticketOnGuestTicket.root.attributes.extend({ SoldAt: z.string() }),
    };

    expect(from(ticketOnGuestTicket, { ...ticketOnGuestTicket, root })).toEqual([
      expect.stringMatching(/^SoldAt: cannot-tell, takes other values/),
    ]);
  });

  test('says the same, and its file does not: nobody can tell', () => {
    const { changes } = compareRules(
      tree([nameOnCrew], { 'name-on-crew': 'a' }),
      tree([nameOnCrew], { 'name-on-crew': 'b' }),
    );

    expect(changes).toMatchObject([{ what: 'file', effect: 'cannot-tell' }]);
  });
});

const some = fc.subarray(['Name', 'Rank', 'Ship'] as const);
const derivations: readonly Rule['derive'][] = [
  {},
  { Mark: ({ root }) => `${root['Rank']}!` },
  { Mark: ({ root }) => `${root['Rank']}?` },
  { Mark: ({ root }) => (root['Rank'] === 'mate' ? 'a' : 'b') },
  { Mark: ({ root }) => (root['Rank'] === 'mate' ? 'c' : 'b') },
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
      // Only a rule that copies all says what it leaves alone.
      ...(copies === 'all' ? { copies, own: ['SailorId', ...own], unknown } : { copies }),
      derive,
    }),
  );
const value = fc.constantFrom('x', 'y', undefined);
const attributes = fc.record({ Name: value, Ship: value, Mark: value, Stray: value });

test('what a propagation of the new version writes to a copy that was right, the comparison has said', () => {
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

/** The copy as it stands when the rule has brought it up to date. */
function written(rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(table, rule, root, copy)?.update;
  const after = { ...copy, ...update?.set };
  return Object.fromEntries(Object.entries(after).filter(([name]) => !update?.remove.includes(name)));
}
