import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/model/items/change.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { copyIn, matchChanges, propagationOfRoot } from '../../src/plan/match.ts';
import { bound } from '../fixtures/model/bound.ts';
import { aMembership, anIncident, anOrder, aParticipation, aUser } from '../fixtures/world/items.ts';
import { aTagged, titleOnTags } from '../fixtures/world/posts.ts';
import {
  incidentOnParticipations,
  orderOnUserOrder,
  orderThatIsValid,
  usernameOnMemberships,
  world,
} from '../fixtures/world/rules.ts';
import { changeOf, keyIn } from '../fixtures/world/worker.ts';
import { registryOf } from '../fixtures/world/world.ts';

const registry = world();

const participations = { in: 'partition', pk: 'acct_1#incident_a#participations' };

const userKey = { in: 'key', pk: 'USER#42', sk: 'ORDER#2026-01-15' };
const newKey = { ...userKey, pk: 'USER#43' };

type Image = Item | undefined;

function matched(changes: readonly Change[], of = registry) {
  const { propagations, checks } = matchChanges(of, changes);
  return {
    propagations,
    checks: checks.map((one) => ({ ...one, rule: one.rule.name })),
  };
}

function propagations(before: Image, after: Image, more: Partial<Change> = {}) {
  return matched([changeOf(before, after, more)]).propagations;
}

/** A propagation of the incident. */
function ofIncident(cause = 'changed') {
  return {
    rule: 'incident-on-participations',
    root: keyIn(anIncident()),
    cause,
    locations: [participations],
    attempts: 0,
  };
}

describe('a root matches', () => {
  test.each<[string, Image, Item]>([
    ['it is inserted', undefined, anIncident()],
    ['an attribute that is copied among all', anIncident(), anIncident({ Lead: 'Erik' })],
    ['the type attribute, where it tells no kinds apart', anIncident(), anIncident({ Kind: 'World' })],
    ['what could not be projected, so that a repair matches', anIncident({ State: undefined }), anIncident()],
  ])('for what it copies or reads: %s', (_, before, after) => {
    expect(propagations(before, after)).toEqual([ofIncident()]);
  });

  test.each<[string, Image, Item, readonly object[] | undefined]>([
    ['its old and its new location if it moves', anOrder(), anOrder({ UserId: '43' }), [userKey, newKey]],
    ['that of the new image if the old has none', anOrder({ UserId: undefined }), anOrder(), [userKey]],
    ['that of the old image if the new has none', anOrder(), anOrder({ UserId: '' }), [userKey]],
    ['none that no item can have', anOrder(), anOrder({ UserId: 'x'.repeat(3000) }), [userKey]],
    ['none if neither image has one', undefined, anOrder({ UserId: undefined }), undefined],
  ])('with %s', (_, before, after, locations) => {
    const [match] = propagations(before, after).filter(({ rule }) => rule === 'order-on-user-order');

    expect(match).toEqual({
      rule: match?.rule,
      root: keyIn(anOrder()),
      cause: 'changed',
      locations,
      attempts: 0,
    });
  });
});

const broken = anOrder({ Status: undefined });
const derived = anOrder({ Status: 'USED', StatePart: 'STATUS#USED' });
const keyless = anOrder({ StatePart: undefined, StateSort: undefined });

test.each<[boolean, string, Image, Image]>([
  [true, 'new without its keys', undefined, keyless],
  [true, 'put without its keys', anOrder(), keyless],
  [true, 'written with another key', anOrder(), anOrder({ StatePart: 'STATUS#LOST' })],
  [true, 'changed', anOrder(), anOrder({ Status: 'USED' })],
  [false, 'as it should be, so the worker’s own write costs nothing', anOrder({ Status: 'USED' }), derived],
  [false, 'new and as it should be', undefined, anOrder()],
  [false, 'removed', anOrder({ StatePart: 'wrong' }), undefined],
  [false, 'of another kind by now', anOrder(), anOrder({ Kind: 'Void', Status: 'USED' })],
  [true, 'new and impossible to project', undefined, broken],
  [true, 'impossible to project from now on', anOrder(), broken],
  [false, 'still impossible to project', broken, anOrder({ Status: undefined, Note: 'x' })],
])('an item that is its own copy matches (%s) if it is %s', (matches, _, before, after) => {
  const own = propagations(before, after).filter(({ rule }) => rule === 'order-state-keys');

  const match = { cause: 'changed', locations: [{ in: 'key', ...keyIn(anOrder()) }] };
  expect(own).toMatchObject(matches ? [match] : []);
});

describe('many changes of one item', () => {
  const closed = anIncident({ State: 'CLOSED' });
  const created = anOrder({ Status: 'NEW' });
  /** Changes of these images, each with its sequence number, and whether it is an expiry. */
  const inOrder = (...of: (readonly [Image, Image, bigint, boolean?])[]) =>
    of.map(([before, after, sequence, expired = false]) => changeOf(before, after, { sequence, expired }));

  const removals = inOrder([anIncident(), undefined, 3n, true], [anIncident(), undefined, 1n]);

  test.each<[string, Change[], string]>([
    ['even if all is as before', inOrder([anIncident(), closed, 1n], [closed, anIncident(), 2n]), 'changed'],
    ['as a removal before a put', inOrder([anIncident(), undefined, 1n], [undefined, closed, 2n]), 'deleted'],
    ['as the last removal of several', [...inOrder([undefined, anIncident(), 2n]), ...removals], 'expired'],
    [
      'as one that keeps copies',
      inOrder([created, anOrder(), 1n], [anOrder(), undefined, 2n, true]),
      'expired',
    ],
  ])('match once, %s', (_, changes, cause) => {
    const [match, ...others] = matched(changes).propagations;

    expect([match?.cause, match?.locations?.length]).toEqual([cause, 1]);
    expect(others.filter(({ rule }) => rule === match?.rule)).toEqual([]);
  });
});

test.each<[string, Rule, Item, Item, number]>([
  ['still names its root, which it may be missing from', titleOnTags, aTagged('a'), aTagged('a', 'two'), 1],
  [
    'names none any more, as it may',
    usernameOnMemberships,
    aMembership('s'),
    aMembership('s', { UserId: undefined }),
    0,
  ],
])('a changed copy that %s, is checked once at most', (_, rule, before, after, checks) => {
  const one = changeOf(before, after);

  expect(matched([one], registryOf(rule)).checks).toHaveLength(checks);
});

describe('what a change is to a rule', () => {
  const removing: Rule = { ...incidentOnParticipations, copies: [], derive: {}, own: [], unknown: 'keep' };
  const excluding = orderThatIsValid('delete');
  const annulled = anOrder({ Status: 'ANNULLED', CreatedAt: undefined });
  const throws = () => {
    throw new Error('odd');
  };
  const failing = { ...excluding, when: { root: throws } };
  const late = anIncident({ State: 'LATE' });
  const moved = changeOf(anIncident(), anIncident({ State: undefined }));
  const membership = aMembership('s');
  const aBoat = aUser({ Kind: 'Boat' });
  const expiryOf = (item: Item) => changeOf(item, undefined, { expired: true });
  const voided = changeOf(anOrder(), anOrder({ Kind: 'Void' }));

  test.each<[string, Rule, Change, object | string]>([
    ['kept', usernameOnMemberships, changeOf(aUser(), undefined), { because: 'kept', asks: false }],
    ['excluded', excluding, changeOf(annulled, undefined), { because: 'excluded', asks: false }],
    ['expired, but deleted before', excluding, expiryOf(annulled), { because: 'excluded', cause: 'deleted' }],
    ['expired', excluding, expiryOf(anOrder()), { because: 'kept', cause: 'expired' }],
    [
      'deleted',
      incidentOnParticipations,
      changeOf(anIncident(), undefined),
      { because: 'deleted', asks: true },
    ],
    ['new', incidentOnParticipations, changeOf(undefined, late), { because: 'new', withdraws: false }],
    [
      'different',
      incidentOnParticipations,
      changeOf(anIncident(), late),
      { because: 'differs', withdraws: false },
    ],
    ['the same', incidentOnParticipations, changeOf(anIncident(), anIncident()), 'same'],
    ['new, but only removals matter', removing, changeOf(undefined, late), 'only-removes'],
    ['different, so that it may have left a location', removing, moved, { because: 'differs', asks: true }],
    ['different, but when fails on it', failing, changeOf(anOrder(), annulled), { withdraws: false }],
    ['of no concern', incidentOnParticipations, changeOf(aUser(), aUser()), 'unconcerned'],
    ['of another kind by now', orderOnUserOrder, voided, { because: 'left-kind', cause: 'deleted' }],
    [
      'of another kind, but kept',
      usernameOnMemberships,
      changeOf(aUser(), aBoat),
      { because: 'kept', asks: false },
    ],
    ['of another kind all the time', usernameOnMemberships, changeOf(aBoat, undefined), 'unconcerned'],
  ])('whose root it concerns: %s', (_, rule, changed, expected) => {
    const is = propagationOfRoot(bound(rule), changed);

    if (typeof expected === 'string') expect(is).toBe(expected);
    else expect(is).toMatchObject(expected);
  });

  test.each<[string, Rule, Change]>([
    ['same', incidentOnParticipations, changeOf(aParticipation('g'), aParticipation('g'))],
    [
      'differs',
      incidentOnParticipations,
      changeOf(aParticipation('g'), aParticipation('g', { State: 'odd' })),
    ],
    ['new', incidentOnParticipations, changeOf(undefined, aParticipation('g'))],
    ['only-removes', removing, changeOf(undefined, aParticipation('g'))],
    ['only-removes', removing, changeOf(aParticipation('g'), aParticipation('g'))],
    ['removed', removing, changeOf(aParticipation('g'), undefined)],
    [
      'only-removes',
      { ...usernameOnMemberships, copies: [] },
      changeOf(membership, { ...membership, OwnerPart: { S: 'x' } }),
    ],
  ])('whose copy it concerns: %s', (expected, rule, changed) => {
    expect(copyIn(bound(rule), changed)).toBe(expected);
  });
});
