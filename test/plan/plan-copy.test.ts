import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../src/model/items/copy-location.ts';
import { type Item, keyed, keyIn, keyOf } from '../../src/model/items/item.ts';
import { itemSize, maxItem } from '../../src/model/items/item-size.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import type { Cause } from '../../src/model/work/message.ts';
import { type CopyPlan, planCheck, planCopies } from '../../src/plan/plan-copy.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item } from '../fixtures/model/items.ts';
import { ByOwner, table } from '../fixtures/model/table.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  anOrderItem,
  aParticipation,
  aUser,
} from '../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTags, titleOnTagsThat } from '../fixtures/world/posts.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  orderStateKeys,
  usernameOnMemberships,
  usernameOnMembershipsThat,
  usernameOnRankThat,
} from '../fixtures/world/rules.ts';

const participations: CopyLocation = { in: 'partition', pk: 'acct_1#incident_a#participations' };
const memberships: CopyLocation = { in: 'index', index: 'ByOwner', pk: 'USER#1', begins: 'SERVER#' };
const deleting = usernameOnMembershipsThat('delete', 'delete');
const participation = aParticipation('g');

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
  const known = [anIncident(), aUser(), anOrder()].map((root) => keyIn(table, root));
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

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute-${index}`, 'x']));
}

describe('a copy of its root', () => {
  const label: Rule = { ...usernameOnMemberships, derive: { Label: () => undefined } };
  const closed = anIncident({ State: 'CLOSED', Lead: undefined });
  const strayed = aParticipation('g', { Stray: 1 });
  const stateAndKey = item({ State: 'CLOSED', OwnerSort: 'CLOSED#100' });
  const undated = anOrderItem({ ProductId: 'q', OwnerSort: undefined });
  const productAndDate = item({ OwnerPart: 'PRODUCT#q', OwnerSort: 'ITEM#2026-01-15' });

  test.each<[string, Rule, Item, Item, Item, readonly string[]]>([
    [
      'is written only where it differs',
      incidentOnParticipations,
      closed,
      participation,
      stateAndKey,
      ['Lead'],
    ],
    ['loses what its root has not', incidentOnParticipations, anIncident(), strayed, {}, ['Stray']],
    ['loses what the rule derives no more', label, aUser(), aMembership('s', { Label: 'x' }), {}, ['Label']],
    ['gets what is derived from both', dateOnOrderItems, anOrder(), undated, productAndDate, []],
  ])('%s', (_, rule, root, copy, set, remove) => {
    expect(update(rule, root, copy)).toMatchObject({ key: keyIn(table, copy), remove });
    expect(update(rule, root, copy).set).toEqual(set);
  });

  test('is updated if it is the root itself, also where the rule does not apply', () => {
    const excluding: Rule = { ...orderStateKeys, when: { root: () => false }, onDelete: 'clear' };

    expect(update(excluding, anOrder(), anOrder()).remove).toEqual(['StatePart', 'StateSort']);
  });

  test('is removed, whatever others its root lists, if the rule does not apply', () => {
    const excluding: Rule = { ...titleOnTagsThat('delete'), when: { root: () => false } };
    const tags = Array.from({ length: 101 }, (_, index) => `t${index}`);

    expect(planned(excluding, aPost(tags), aTagged('t0')).is).toBe('remove');
  });
});

test.each<[Cause, CopyPlan['is']]>([
  ['check', 'remove'],
  ['changed', 'foreign'],
])('a copy that names no root any more: its %s finds %s', (cause, is) => {
  const rule: Rule = { ...usernameOnMemberships, rootOf: () => undefined, onUnlink: 'delete' };

  expect(planned(rule, aUser(), aMembership('s'), { cause }).is).toBe(is);
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
    const plan = planned(usernameOnMembershipsThat(onDelete, onExpire), undefined, aMembership('s'), {
      cause,
      locations: [memberships],
    });

    expect(plan).toMatchObject(is === 'remove' ? { is, write: { clear }, rootExpect: 'absent' } : { is });
  });

  test('stays if it is what became of the root, at the key of the root itself', () => {
    const rule: Rule = { ...incidentOnParticipations, rootOf: () => keyIn(table, participation) };
    const seen = { cause: 'deleted', locations: [participations] } as const;

    expect(planned(rule, undefined, participation, seen, participation)).toEqual({ is: 'foreign' });
  });

  test('is removed on condition that it is as read, and with its size', () => {
    const { UserId, Name, OwnerPart, OwnerSort, Kind, ...own } = { ...aMembership('s'), ...item(many(150)) };
    const copy = { UserId, Name, OwnerPart, OwnerSort, Kind, ...own } as Item;

    expect(planned(deleting, undefined, copy, { cause: 'deleted', locations: [memberships] })).toStrictEqual({
      is: 'remove',
      rootExpect: 'absent',
      partial: false,
      write: {
        key: { pk: 'SERVER#s', sk: 'MEMBERSHIP#1' },
        clear: undefined,
        size: itemSize(copy),
        expect: { UserId, Name, OwnerPart, OwnerSort, Kind },
      },
    });
  });

  test('is cleared of what a strict mirror wrote, in as many writes as it takes', () => {
    const clearing = { ...incidentOnParticipations, onDelete: 'clear' } as const;
    const seen = { cause: 'deleted', locations: [participations] } as const;

    expect(planned(clearing, undefined, participation, seen)).toMatchObject({
      write: { clear: ['State', 'CreatedAt', 'Lead', 'OwnerSort'] },
      partial: false,
    });
    expect(
      planned({ ...clearing, onDelete: 'delete' }, undefined, aParticipation('g', many(250)), seen),
    ).toMatchObject({
      ...{ write: { clear: undefined }, partial: false },
    });
    const wide = planned(clearing, undefined, aParticipation('g', many(250)), seen);
    if (wide.is !== 'remove') throw new Error(`Expected a removal, got ${wide.is}`);
    expect(wide.write.clear?.length).toBeLessThanOrEqual(100);
    expect(Object.keys(wide.write.expect).length).toBeLessThanOrEqual(150);
    expect(wide.partial).toBe(true);
  });
});

/** A copy is at an earlier location of the message, at its last one, or at neither. */
const places = ['earlier', 'last', 'neither'] as const;

type Place = (typeof places)[number];

/** The policy that applies, or why none does. */
type Applied = 'onDelete' | 'onExpire' | 'orphan' | 'foreign';

const nowhere = {
  gone: { earlier: 'orphan', last: 'orphan', neither: 'orphan' },
  elsewhere: { earlier: 'foreign', last: 'foreign', neither: 'foreign' },
} as const;

/** Of every cause: a copy that its root, which is gone or elsewhere by now, does not place where it is. */
const applied: Record<Cause, Record<'gone' | 'elsewhere', Record<Place, Applied>>> = {
  changed: {
    gone: { earlier: 'onDelete', last: 'orphan', neither: 'orphan' },
    elsewhere: { earlier: 'onDelete', last: 'foreign', neither: 'foreign' },
  },
  deleted: {
    gone: { earlier: 'onDelete', last: 'onDelete', neither: 'orphan' },
    elsewhere: { earlier: 'onDelete', last: 'onDelete', neither: 'foreign' },
  },
  expired: {
    gone: { earlier: 'onDelete', last: 'onExpire', neither: 'orphan' },
    elsewhere: { earlier: 'onDelete', last: 'onDelete', neither: 'foreign' },
  },
  repair: {
    gone: { earlier: 'onDelete', last: 'orphan', neither: 'orphan' },
    elsewhere: { earlier: 'onDelete', last: 'onDelete', neither: 'foreign' },
  },
  // It has no locations, and never takes a missing root for a removed one.
  check: nowhere,
};

describe.each(Object.keys(applied) as Cause[])('where its root places no copy, by the cause %s,', (cause) => {
  const cases = (['gone', 'elsewhere'] as const).flatMap((root) =>
    places.map((place) => [place, root, applied[cause][root][place]] as const),
  );

  test.each(cases)('a copy at the location %s of a root that is %s: %s', (place, root, is) => {
    const rank = (name: string): CopyLocation => ({ in: 'index', index: 'ByOwner', pk: `RANK#${name}` });
    const plan = planned(
      usernameOnRankThat('delete', 'clear'),
      root === 'gone' ? undefined : aUser({ Rank: 'elsewhere' }),
      aMembership('s', { OwnerPart: `RANK#${place}` }),
      { cause, locations: cause === 'check' ? [] : [rank('earlier'), rank('last')] },
    );
    const policy = plan.is === 'remove' && plan.write.clear === undefined ? 'onDelete' : 'onExpire';

    expect(plan.is === 'remove' ? policy : plan.is).toBe(is);
  });
});

test('another item at the key of a copy to create stays, and is told by its key', () => {
  const other = { ...aTagged('a'), Kind: { S: 'Other' } } as Item;
  const key = keyIn(table, other);

  expect(planned(titleOnTags, aPost(['a']), other)).toMatchObject({
    ...{ is: 'taken', copy: key },
    error: { concerns: 'copy', code: 'copy.taken', rule: 'title-on-tags', key },
  });
});

describe('a tenant', () => {
  const strict: Rule = {
    ...{ ...incidentOnParticipations, onDelete: 'delete', derive: {} },
    rootOf: () => ({ pk: 'acct_1#incidents', sk: 'incident_a' }),
    located: { in: 'index', index: ByOwner, at: () => ({ pk: 'all' }) },
  };
  const stale = { OwnerPart: 'all', State: 'stale' };
  const stranger = aParticipation('g', { Part: 'acct_2#incident_a#participations', ...stale });
  const seen = { cause: 'deleted', locations: [{ in: 'index', index: 'ByOwner', pk: 'all' }] } as const;
  const elsewhere = { pk: 'HARBOUR#1', sk: 'HARBOUR' };

  test.each<[string, Rule, Item | undefined, Seen]>([
    ['a write', strict, anIncident(), {}],
    ['a removal', strict, undefined, seen],
    ['clearing', { ...strict, onDelete: 'clear' }, undefined, seen],
  ])('is not crossed by %s', (_, rule, root, of) => {
    expect(planned(rule, root, stranger, of)).toMatchObject({
      is: 'refuse',
      copy: { pk: 'acct_2#incident_a#participations', sk: 'g' },
      error: { code: 'copy.crosses-tenant', rule: 'incident-on-participations' },
    });
    expect(planned(rule, root, aParticipation('g', stale), of).is).not.toBe('refuse');
  });

  test('refuses no copy that stays as it is', () => {
    expect(planned({ ...strict, onDelete: 'keep' }, undefined, stranger, seen)).toEqual({ is: 'unchanged' });
  });

  test.each(['user', 'region'])('is not crossed if a key lacks it: %s', (tenant) => {
    const rule: Rule = { ...deleting, tenant, rootOf: () => elsewhere };
    expect(
      planned(
        rule,
        undefined,
        aMembership('s', { Name: 'secret' }),
        { cause: 'deleted', locations: [memberships] },
        { Part: { S: elsewhere.pk }, Sort: { S: elsewhere.sk } },
      ),
    ).toMatchObject({
      is: 'refuse',
      error: {
        ...{ code: 'copy.crosses-tenant', concerns: 'copy' },
        message: `Expected a copy of rule username-on-memberships to have the ${tenant} of its root, found another: correct the root that the copy names, or delete the copy`,
      },
    });
  });
});

describe('a copy that cannot be projected concerns only itself', () => {
  const throwing: Rule = {
    ...dateOnOrderItems,
    derive: {
      OwnerPart: () => {
        throw new Error('x');
      },
    },
  };
  const long: Rule = { ...dateOnOrderItems, derive: { Ratio: () => 10n ** 40n + 1n } };
  const unsaid = {
    code: 'copy.invalid',
    message: expect.stringMatching(/each once in a set, got a number$/),
  };
  const notNumber: Rule = { ...dateOnOrderItems, derive: { Ratio: () => Number.NaN } };
  const room = maxItem - itemSize(participation) - 'Log'.length;
  const logged = (length: number) => anIncident({ Log: 'x'.repeat(length) });
  const portless = anOrderItem({ ProductId: undefined });
  const tooLarge = {
    code: 'copy.too-large',
    message:
      "A copy of rule incident-on-participations would grow beyond DynamoDB's 400 KB: make it, or what it is computed from, smaller",
  };
  const rejected = {
    code: 'copy.invalid',
    message:
      "Rule date-on-order-items derives a value of 'Ratio' that DynamoDB rejects: expected finite numbers of at most 38 digits, each once in a set, got NaN",
  };
  const tooMany = { code: 'copy.too-many-attributes' };

  test.each<[string, Rule, Item, Item, object]>([
    ['lacks what a derivation reads', dateOnOrderItems, anOrder(), portless, { code: 'copy.invalid' }],
    ['makes a derivation throw', throwing, anOrder(), anOrderItem(), { code: 'rule.threw' }],
    ['would hold what DynamoDB rejects', notNumber, anOrder(), anOrderItem(), rejected],
    ['would hold a number of too many digits, which is content', long, anOrder(), anOrderItem(), unsaid],
    ['would grow beyond 400 KB', incidentOnParticipations, logged(room + 1), participation, tooLarge],
    [
      'has hundreds of strange attributes',
      incidentOnParticipations,
      anIncident(),
      aParticipation('g', many(1001)),
      tooMany,
    ],
  ])('if it %s', (_, rule, root, copy, error) => {
    const key = keyOf(table, copy);
    const plan = { is: 'refuse', copy: key, error: { ...error, concerns: 'copy', key } };

    expect(planned(rule, root, copy)).toMatchObject(plan);
  });

  test.each([
    ['of exactly 400 KB', logged(room), participation],
    ['that loses as much as it gains', logged(room), aParticipation('g', { Diary: 'x'.repeat(room) })],
    ['that loses 1,000 attributes', anIncident(), aParticipation('g', many(1000))],
  ])('but not one %s', (_, root, copy) => {
    expect(planned(incidentOnParticipations, root, copy).is).toBe('update');
  });
});

describe('a copy with very many attributes', () => {
  const root = { ...anIncident(), ...item(many(250)) };

  test.each([
    ['is narrowed, and that more writes follow', root, { partial: true, narrowed: true }],
    ['is not', anIncident({ State: 'x' }), { partial: false, narrowed: false }],
  ])('reports whether its guard %s', (_, of, reported) => {
    expect(planned(incidentOnParticipations, of, participation)).toMatchObject(reported);
  });
});

describe('a check', () => {
  const rootKey = { pk: 'POST#1', sk: 'POST' };
  const key = { pk: 'TAG#a', sk: 'POST#1' };
  const atKey = (rule: Rule, root: Item | undefined, image?: Item) =>
    planCheck({ rule: bound(rule), rootKey, root }, { key, image });

  test.each<[string, Item | undefined, Item]>([
    ['unchanged', aUser(), aMembership('p')],
    ['update', aUser({ Name: 'Johannes' }), aMembership('p')],
    ['orphan', undefined, aMembership('p')],
    ['orphan', aUser({ Kind: 'Cook' }), aMembership('p')],
    ['foreign', aUser(), aMembership('p', { OwnerPart: 'USER#2' })],
  ])('of a copy finds: %s', (is, root, image) => {
    const about = { rule: bound(usernameOnMemberships), rootKey: keyIn(table, aUser()), root };

    expect(planCheck(about, { key: keyIn(table, image), image }).is).toBe(is);
  });

  test('derives what follows from the root alone once, however many copies the root has', () => {
    let derived = 0;
    const derive = { Name: () => `name ${++derived}` };
    const about = {
      rule: bound({ ...usernameOnMemberships, copies: [], derive }),
      rootKey: keyIn(table, aUser()),
      root: aUser(),
    };
    for (const image of [aMembership('p'), aMembership('q')])
      expect(planCheck(about, { key: keyIn(table, image), image }).is).toBe('update');

    expect(derived).toBe(1);
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
