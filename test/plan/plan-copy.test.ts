import { describe, expect, test } from 'vitest';
import type { Derived } from '../../src/model/items/attribute-value.ts';
import type { CopyLocation } from '../../src/model/items/copy-location.ts';
import { type Item, keyed, keyIn, keyOf } from '../../src/model/items/item.ts';
import { itemSize, maxItem } from '../../src/model/items/item-size.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import type { Cause } from '../../src/model/work/message.ts';
import { type CopyPlan, planCheck, planCopies } from '../../src/plan/plan-copy.ts';
import { RootProjection } from '../../src/plan/projection.ts';
import { aBooking, aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  nameOnCrewThat,
  ticketStateKeys,
  voyageOnBookings,
} from '../fixtures/cruises/cruise-rules.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item, value } from '../fixtures/model/items.ts';
import { ByOwner, table } from '../fixtures/model/table.ts';
import { aPost, aTagged, titleOnTags, titleOnTagsThat } from '../fixtures/posts/posts.ts';
import { refusal } from '../suites/refusal.ts';

const bookings: CopyLocation = { in: 'partition', pk: 'line_1#voyage_a#bookings' };
const crews: CopyLocation = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' };
const deleting = nameOnCrewThat('delete', 'delete');
const booking = aBooking('g');

interface Seen {
  readonly cause?: Cause;
  readonly locations?: readonly CopyLocation[];
}

/** The plan for a copy, given its root. An item that is its own copy is both. */
function planned(rule: Rule, root: Item | undefined, copy: Item, seen: Seen = {}, was = root): CopyPlan {
  const itself = rule.located.in === 'itself' ? copy : root;
  const rootKey = keyOf(table, itself ?? was ?? {}) ?? rootKeyOf(rule);
  const snapshot = {
    rule: bound(rule),
    rootKey,
    root: itself,
    cause: 'changed',
    locations: [],
    ...seen,
  } as const;
  const [plan] = planCopies(snapshot, { copies: [keyed(table, copy)], missing: [] });
  return plan ?? expect.fail('no plan');
}

/** The root of the fixtures that a rule has. */
function rootKeyOf(rule: Rule) {
  const known = [aVoyage(), aSailor(), aTicket()].map((root) => keyIn(table, root));
  return known.find((key) => rule.root.idsOf(key) !== undefined) ?? expect.fail('no such root');
}

function updateOf(plan: CopyPlan) {
  if (plan.is !== 'update') throw new Error(`Expected an update, got ${plan.is}`);
  return plan.write;
}

/** The update of a copy, given its root. */
function update(rule: Rule, root: Item, copy: Item) {
  return updateOf(planned(rule, root, copy));
}

const aByte = (byte: number) => Uint8Array.of(byte);

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute-${index}`, 'x']));
}

describe('a copy of its root', () => {
  const label: Rule = { ...nameOnCrew, derive: { Label: () => undefined } };
  const closed = aVoyage({ State: 'CLOSED', Captain: undefined });
  const stateAndKey = item({ State: 'CLOSED', OwnerSort: 'CLOSED#100' });
  const undated = aLeg({ PortId: 'q', OwnerSort: undefined });
  const portAndDate = item({ OwnerPart: 'PORT#q', OwnerSort: 'CALL#2026-01-15' });

  test.each<[string, Rule, Item, Item, Item, readonly string[]]>([
    ['is written only where it differs', voyageOnBookings, closed, booking, stateAndKey, ['Captain']],
    ['loses what its root has not', voyageOnBookings, aVoyage(), aBooking('g', { Stray: 1 }), {}, ['Stray']],
    ['loses what the rule derives no more', label, aSailor(), aCrewing('s', { Label: 'x' }), {}, ['Label']],
    ['gets what is derived from both', dateOnLegs, aTicket(), undated, portAndDate, []],
  ])('%s', (_, rule, root, copy, set, remove) => {
    expect(update(rule, root, copy)).toMatchObject({ key: keyIn(table, copy), remove });
    expect(update(rule, root, copy).set).toEqual(set);
  });

  test('is updated if it is the root itself, also where the rule does not apply to it: no transaction has a condition on it', () => {
    const excluding: Rule = { ...ticketStateKeys, when: { root: () => false }, onDelete: 'clear' };

    expect(update(excluding, aTicket(), aTicket()).remove).toEqual(['StatePart', 'StateSort']);
  });

  test('is removed whatever other copies its root lists, if the rule does not apply to it', () => {
    const excluding: Rule = { ...titleOnTagsThat('delete'), when: { root: () => false } };
    const tags = Array.from({ length: 101 }, (_, index) => `t${index}`);

    expect(planned(excluding, aPost(tags), aTagged('t0')).is).toBe('remove');
  });

  test('gets what is derived of its own key, not of the key of another copy of its page', () => {
    const rule: Rule = { ...titleOnTagsThat('keep'), derive: { Tag: ({ copy }) => copy.ids.tag } };
    const root = aPost(['a', 'b']);
    const snapshot = { rootKey: keyIn(table, root), root, cause: 'changed', locations: [] } as const;

    const plans = planCopies(
      { rule: bound(rule), ...snapshot },
      { copies: [aTagged('a'), aTagged('b')].map((copy) => keyed(table, copy)), missing: [] },
    );

    expect(plans.map((plan) => updateOf(plan).set)).toEqual([{ Tag: { S: 'a' } }, { Tag: { S: 'b' } }]);
  });
});

describe('a write is guarded', () => {
  test('by what the rule reads of the copy, what locates it, and what makes it a copy', () => {
    const { SailorId, Name, OwnerPart, OwnerSort, Kind } = aCrewing('s');

    const { expect: expected } = update(nameOnCrew, aSailor({ Name: 'x' }), aCrewing('s'));

    expect(expected).toStrictEqual({ SailorId, Name, OwnerPart, OwnerSort, Kind });
  });
});

test.each<[Cause, CopyPlan['is']]>([
  ['check', 'remove'],
  ['changed', 'foreign'],
])('a copy that names no root any more: its %s finds %s', (cause, is) => {
  const rule: Rule = { ...nameOnCrew, rootOf: () => undefined, onUnlink: 'delete' };

  expect(planned(rule, aSailor(), aCrewing('s'), { cause }).is).toBe(is);
});

describe('a copy whose root does not exist', () => {
  test.each([
    ['deleted', 'delete', 'keep', 'remove', undefined],
    ['expired', 'keep', 'delete', 'remove', undefined],
    ['deleted', 'clear', 'keep', 'remove', ['Name']],
    ['expired', 'keep', 'clear', 'remove', ['Name']],
    ['deleted', 'keep', 'delete', 'unchanged', undefined],
    ['expired', 'delete', 'keep', 'unchanged', undefined],
  ] as const)('and was %s, under onDelete %s and onExpire %s: %s', (cause, onDelete, onExpire, is, clear) => {
    const plan = planned(nameOnCrewThat(onDelete, onExpire), undefined, aCrewing('s'), {
      cause,
      locations: [crews],
    });

    expect(plan).toMatchObject(is === 'remove' ? { is, write: { clear }, rootExpect: 'absent' } : { is });
  });

  test('is removed on condition that it is as read, and with its size', () => {
    const { SailorId, Name, OwnerPart, OwnerSort, Kind, ...own } = { ...aCrewing('s'), ...item(many(150)) };
    const copy = { SailorId, Name, OwnerPart, OwnerSort, Kind, ...own } as Item;

    expect(planned(deleting, undefined, copy, { cause: 'deleted', locations: [crews] })).toStrictEqual({
      is: 'remove',
      rootExpect: 'absent',
      partial: false,
      write: {
        key: { pk: 'SHIP#s', sk: 'CREW#1' },
        clear: undefined,
        size: itemSize(copy),
        expect: { SailorId, Name, OwnerPart, OwnerSort, Kind },
      },
    });
  });

  test('is cleared of what a strict mirror wrote, in several writes beyond the limits of an expression', () => {
    const clearing = { ...voyageOnBookings, onDelete: 'clear' } as const;
    const seen = { cause: 'deleted', locations: [bookings] } as const;

    expect(planned(clearing, undefined, booking, seen)).toMatchObject({
      write: { clear: ['State', 'DepartsAt', 'Captain', 'OwnerSort'] },
      partial: false,
    });
    expect(
      planned({ ...clearing, onDelete: 'delete' }, undefined, aBooking('g', many(250)), seen),
    ).toMatchObject({
      ...{ write: { clear: undefined }, partial: false },
    });
    const wide = planned(clearing, undefined, aBooking('g', many(250)), seen);
    if (wide.is !== 'remove') throw new Error(`Expected a removal, got ${wide.is}`);
    expect(wide.write.clear?.length).toBeLessThanOrEqual(100);
    expect(Object.keys(wide.write.expect).length).toBeLessThanOrEqual(150);
    expect(wide.partial).toBe(true);
  });
});

describe('a tenant', () => {
  const strict: Rule = {
    ...{ ...voyageOnBookings, onDelete: 'delete', derive: {} },
    rootOf: () => ({ pk: 'line_1#voyages', sk: 'voyage_a' }),
    located: { in: 'index', index: ByOwner, at: () => ({ pk: 'all' }) },
  };
  const stale = { OwnerPart: 'all', State: 'stale' };
  const stranger = aBooking('g', { Part: 'line_2#voyage_a#bookings', ...stale });
  const seen = { cause: 'deleted', locations: [{ in: 'index', index: 'ByOwner', pk: 'all' }] } as const;
  const elsewhere = { pk: 'HARBOUR#1', sk: 'HARBOUR' };

  test.each<[string, Rule, Item | undefined, Seen]>([
    ['a write', strict, aVoyage(), {}],
    ['a removal', strict, undefined, seen],
    ['clearing', { ...strict, onDelete: 'clear' }, undefined, seen],
  ])('is not crossed by %s', (_, rule, root, of) => {
    expect(planned(rule, root, stranger, of)).toMatchObject({
      is: 'refuse',
      copy: { pk: 'line_2#voyage_a#bookings', sk: 'g' },
      error: { code: 'copy.crosses-tenant', rule: 'voyage-on-bookings' },
    });
    expect(planned(rule, root, aBooking('g', stale), of).is).not.toBe('refuse');
  });

  test.each(['sailor', 'harbour'])('is not crossed if a key lacks it: %s', (tenant) => {
    const rule: Rule = { ...deleting, tenant, rootOf: () => elsewhere };
    expect(
      planned(
        rule,
        undefined,
        aCrewing('s', { Name: 'secret' }),
        { cause: 'deleted', locations: [crews] },
        { Part: { S: elsewhere.pk }, Sort: { S: elsewhere.sk } },
      ),
    ).toMatchObject({
      is: 'refuse',
      error: {
        ...{ code: 'copy.crosses-tenant', concerns: 'copy' },
        message: `Expected a copy of rule name-on-crew to have the ${tenant} of its root, found another: correct the root that the copy names, or delete the copy`,
      },
    });
  });
});

describe('a root that cannot be projected concerns all its copies', () => {
  const invalid = 'root.invalid';
  const throwing: Rule = {
    ...{ ...nameOnCrew, reads: { root: [], copy: [] }, rootOf: () => keyIn(table, aSailor()) },
    derive: {
      Label: () => {
        throw new RangeError('secret');
      },
    },
  };

  const threw = /^Function derive.Label of rule name-on-crew threw RangeError on/;

  test.each<[string, Rule, Item, Item, string, RegExp?]>([
    ['it lacks what a derivation reads', voyageOnBookings, aVoyage({ State: undefined }), booking, invalid],
    ['it holds it in another type', voyageOnBookings, aVoyage({ DepartsAt: 'soon' }), booking, invalid],
    ['it holds what its schema does not take', voyageOnBookings, aVoyage({ State: '' }), booking, invalid],
    ['a derivation of it alone throws', throwing, aSailor(), aCrewing('s'), 'rule.threw', threw],
  ])('if %s', (_, rule, root, copy, code, message = /./) => {
    const error = refusal(() => planned(rule, root, copy));

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code,
      concerns: 'root',
      key: keyOf(table, root),
    });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('secret');
  });

  test('if an index key would be too long for DynamoDB, reported without its content', () => {
    const error = refusal(() =>
      planned(ticketStateKeys, undefined, aTicket({ Status: 'secret'.repeat(400) })),
    );

    expect(error).toMatchObject({ code: 'root.invalid', key: keyOf(table, aTicket()) });
    expect(error.message).toBe(
      "Rule ticket-state-keys derives a value of 'StatePart' that DynamoDB rejects: expected text of 1 to 2048 bytes, as an index key must be",
    );
  });

  test.each([
    ['StateSort', 'x'.repeat(1025), 'x'.repeat(1024), 'must be'],
    ['StatePart', 'x'.repeat(2049), 'x'.repeat(2048), 'must be'],
    ['StateSort', '', 's', 'must be'],
    ['StatePart', 7, '7', 'must be, got a number'],
    ['Ratio', Number.NaN, 0.1, 'in a set, got NaN'],
    ['Ratio', Number.POSITIVE_INFINITY, 0, 'in a set, got Infinity'],
    ['Ratio', new Set([1, 10n ** 40n + 1n]), new Set([1, 2]), 'in a set'],
    ['Ratio', new Set([1, 1n]), new Set([1n]), 'in a set'],
    ['Ratio', new Set([aByte(1), aByte(1)]), new Set([aByte(1), aByte(2)]), 'in a set'],
    ['Ratio', ['x', Number.NaN], ['x', 1], 'in a set'],
    ['Ratio', { a: 1, b: [{ c: Number.NaN }] }, { a: 1, b: [{ c: 'NaN' }] }, 'in a set'],
  ])('if DynamoDB rejects what is derived as %s', (name, rejected, accepted, end) => {
    const deriving = (value: Derived): Rule => {
      return {
        ...nameOnCrew,
        reads: { root: [], copy: [] },
        rootOf: () => keyIn(table, aSailor()),
        derive: { [name]: () => value },
      };
    };

    const key = keyIn(table, aSailor());
    const error = refusal(() => planned(deriving(rejected), aSailor(), aCrewing('s')));
    expect(error).toMatchObject({ code: 'root.invalid', concerns: 'root', key });
    expect(error.message.endsWith(end)).toBe(true);
    expect(update(deriving(accepted), aSailor(), aCrewing('s')).set).toEqual({ [name]: value(accepted) });
  });

  test('if what is copied under another name cannot be an index key', () => {
    const rule: Rule = { ...nameOnCrew, copies: ['StatePart'], renamed: { StatePart: 'Name' }, derive: {} };
    const plan = (name: string) => planned(rule, { ...aSailor(), Name: value(name) }, aCrewing('s'));

    expect(refusal(() => plan(''))).toMatchObject({
      code: 'root.invalid',
      message: expect.stringContaining("copies a value of 'StatePart' that DynamoDB rejects"),
    });
    expect(plan('Ada').is).toBe('update');
  });

  test('if it has more than 500 copied attributes, before any is written', () => {
    const copied = new RootProjection(bound(voyageOnBookings), aVoyage()).copiedNames.length;

    expect(planned(voyageOnBookings, aVoyage(many(500 - copied)), booking).is).toBe('update');
    expect(() => planned(voyageOnBookings, aVoyage(many(501 - copied)), booking)).toThrow(
      expect.objectContaining({
        ...{ code: 'root.too-many-attributes', concerns: 'root' },
        message: expect.stringContaining('this root has 501 of them: expected at most 500'),
      }),
    );
  });
});

describe('a copy that cannot be projected concerns only itself', () => {
  const throwing: Rule = {
    ...dateOnLegs,
    derive: {
      OwnerPart: () => {
        throw new Error('x');
      },
    },
  };
  const long: Rule = { ...dateOnLegs, derive: { Ratio: () => 10n ** 40n + 1n } };
  const unsaid = {
    code: 'copy.invalid',
    message: expect.stringMatching(/each once in a set, got a number$/),
  };
  const notNumber: Rule = { ...dateOnLegs, derive: { Ratio: () => Number.NaN } };
  const room = maxItem - itemSize(booking) - 'Log'.length;
  const logged = (length: number) => aVoyage({ Log: 'x'.repeat(length) });
  const portless = aLeg({ PortId: undefined });
  const tooLarge = {
    code: 'copy.too-large',
    message:
      "A copy of rule voyage-on-bookings would grow beyond DynamoDB's 400 KB: make it, or what it is computed from, smaller",
  };
  const rejected = {
    code: 'copy.invalid',
    message:
      "Rule date-on-legs derives a value of 'Ratio' that DynamoDB rejects: expected finite numbers of at most 38 digits, each once in a set, got NaN",
  };
  const tooMany = { code: 'copy.too-many-attributes' };

  test.each<[string, Rule, Item, Item, object]>([
    ['lacks what a derivation reads', dateOnLegs, aTicket(), portless, { code: 'copy.invalid' }],
    ['makes a derivation throw', throwing, aTicket(), aLeg(), { code: 'rule.threw' }],
    ['would hold what DynamoDB rejects', notNumber, aTicket(), aLeg(), rejected],
    ['would hold a number of too many digits, which is content', long, aTicket(), aLeg(), unsaid],
    ['would grow beyond 400 KB', voyageOnBookings, logged(room + 1), booking, tooLarge],
    ['has hundreds of strange attributes', voyageOnBookings, aVoyage(), aBooking('g', many(1001)), tooMany],
  ])('if it %s', (_, rule, root, copy, error) => {
    const key = keyOf(table, copy);
    const plan = { is: 'refuse', copy: key, error: { ...error, concerns: 'copy', key } };

    expect(planned(rule, root, copy)).toMatchObject(plan);
  });

  test.each([
    ['of exactly 400 KB', logged(room), booking],
    ['that loses as much as it gains', logged(room), aBooking('g', { Diary: 'x'.repeat(room) })],
    ['that loses 1,000 attributes', aVoyage(), aBooking('g', many(1000))],
  ])('but not one %s', (_, root, copy) => {
    expect(planned(voyageOnBookings, root, copy).is).toBe('update');
  });
});

describe('a copy with very many attributes', () => {
  const root = { ...aVoyage(), ...item(many(250)) };

  test.each([
    ['is narrowed, and that more writes follow', root, { partial: true, narrowed: true }],
    ['is not', aVoyage({ State: 'x' }), { partial: false, narrowed: false }],
  ])('reports whether its guard %s', (_, of, reported) => {
    expect(planned(voyageOnBookings, of, booking)).toMatchObject(reported);
  });
});

describe('a check', () => {
  const rootKey = { pk: 'POST#1', sk: 'POST' };
  const key = { pk: 'TAG#a', sk: 'POST#1' };
  const atKey = (rule: Rule, root: Item | undefined, image?: Item) =>
    planCheck({ rule: bound(rule), rootKey, root }, { key, image });

  test.each<[string, Item | undefined, Item]>([
    ['unchanged', aSailor(), aCrewing('p')],
    ['update', aSailor({ Name: 'Queequeg' }), aCrewing('p')],
    ['orphan', undefined, aCrewing('p')],
    ['orphan', aSailor({ Kind: 'Cook' }), aCrewing('p')],
    ['foreign', aSailor(), aCrewing('p', { OwnerPart: 'SAILOR#2' })],
  ])('of a copy finds: %s', (is, root, image) => {
    const about = { rule: bound(nameOnCrew), rootKey: keyIn(table, aSailor()), root };

    expect(planCheck(about, { key: keyIn(table, image), image }).is).toBe(is);
  });

  test.each<[string, Item | undefined, Rule]>([
    ['create', aPost(['a']), titleOnTags],
    ['foreign', aPost(['b']), titleOnTags],
    ['foreign', undefined, titleOnTags],
    ['foreign', aPost(['a']), titleOnTagsThat('delete')],
  ])('of a key without a copy finds: %s', (is, root, rule) => {
    expect(atKey(rule, root).is).toBe(is);
  });

  test.each([
    ['its root is invalid', { ...aPost([]), Tags: { S: 'a' } }, { concerns: 'root', code: 'root.invalid' }],
    ['it would be large', aPost(['a'], 'x'.repeat(410_000)), { concerns: 'copy', code: 'copy.too-large' }],
  ])('refuses a copy that is missing if %s', (_, root, error) => {
    expect(atKey(titleOnTags, root)).toMatchObject({ is: 'refuse', copy: key, error });
  });
});
