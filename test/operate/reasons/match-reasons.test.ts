import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { whySentence } from '../../../src/cli/explain/subject-text.ts';
import type { Change } from '../../../src/model/change.ts';
import { type Item, keyOf } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { whyMatched } from '../../../src/operate/reasons/match-reasons.ts';
import { matchRules } from '../../../src/worker/propagation/plan/match.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { cruises, ticketThatIsValid } from '../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = cruises();

describe('a root', () => {
  test.each<[string, string, Item | undefined, Item | undefined, string]>([
    ['is new', 'name-on-crew', undefined, aSailor(), 'root new: propagation'],
    [
      'differs',
      'name-on-crew',
      aSailor(),
      aSailor({ Name: 'Queequeg', Rank: 'captain' }),
      'root differs in Name: propagation',
    ],
    [
      'differs in all that the rule copies or reads',
      'voyage-on-bookings',
      aVoyage(),
      aVoyage({ State: 'CLOSED', Captain: undefined, EndsAt: 1 }),
      'root differs in State, Captain: propagation',
    ],
    ['is the same', 'name-on-crew', aSailor(), aSailor({ Rank: 'captain' }), 'root same: nothing'],
    ['is deleted', 'voyage-on-bookings', aVoyage(), undefined, 'root deleted: propagation'],
    ['is deleted, and its copies stay', 'name-on-crew', aSailor(), undefined, 'root kept: nothing'],
    [
      'says of itself that it is another kind',
      'name-on-crew',
      aSailor(),
      aSailor({ Kind: 'Cook' }),
      'root left-kind: nothing',
    ],
    [
      'says of itself that it has become one',
      'name-on-crew',
      aSailor({ Kind: 'Cook' }),
      aSailor(),
      'root new: propagation',
    ],
  ])('%s', (_, rule, before, after, why) => {
    expect(reasons(before, after)[rule]).toEqual([why]);
  });

  test('expires, and its copies are deleted or kept', () => {
    expect(reasons(aVoyage(), undefined, true)['voyage-on-bookings']).toEqual(['root expired: propagation']);
    expect(reasons(aTicket(), undefined, true)['ticket-on-guest-ticket']).toEqual(['root kept: nothing']);
    expect(reasons(aTicket(), undefined)['ticket-on-guest-ticket']).toEqual(['root deleted: propagation']);
  });

  test('was deleted when the rule did not apply to it, and nothing says where copies were', () => {
    const unsold = aTicket({ Status: 'ANNULLED', GuestId: undefined });
    const [why] = whyMatched(makeRegistry(table, [ticketThatIsValid('delete')]), change(unsold, undefined));

    expect(why && whySentence(why)).toBe('does not match: it was deleted, and the rule did not apply to it');
  });
});

describe('a copy', () => {
  test.each<[string, string, Item | undefined, Item | undefined, string]>([
    ['is new', 'name-on-crew', undefined, aCrewing('p'), 'copy new: check'],
    [
      'differs in what the rule copies, reads or finds it by',
      'name-on-crew',
      aCrewing('p'),
      aCrewing('p', { Name: 'x', SailorId: '2', OwnerSort: 'SHIP#q', Duty: 'cook' }),
      'copy differs in SailorId, Name, OwnerSort: check',
    ],
    ['is the same', 'name-on-crew', aCrewing('p'), aCrewing('p', { Duty: 'cook' }), 'copy same: nothing'],
    ['is gone', 'name-on-crew', aCrewing('p'), undefined, 'copy gone: nothing'],
    [
      'names no root',
      'name-on-crew',
      undefined,
      aCrewing('p', { SailorId: undefined }),
      'copy rootless: nothing',
    ],
    [
      'says of itself that it is another kind',
      'name-on-crew',
      aCrewing('p'),
      aCrewing('p', { Kind: 'Cargo' }),
      'copy left-kind: nothing',
    ],
  ])('%s', (_, rule, before, after, why) => {
    expect(reasons(before, after)[rule]).toEqual([why]);
  });
});

describe('an item that is its own copy', () => {
  test.each<[string, Item | undefined, Item | undefined, string]>([
    ['is what it should be', aTicket(), aTicket({ Price: 1 }), 'itself right: nothing'],
    [
      'is not what it should be',
      aTicket(),
      aTicket({ Status: 'USED', StateSort: undefined }),
      'itself wrong in StatePart, StateSort: propagation',
    ],
    [
      'cannot be projected, and is new',
      undefined,
      aTicket({ Status: undefined }),
      'itself invalid: propagation',
    ],
    [
      'cannot be projected any more',
      aTicket(),
      aTicket({ Status: undefined }),
      'itself invalid in Status: propagation',
    ],
    [
      'cannot be projected as before',
      aTicket({ Status: undefined }),
      aTicket({ Status: undefined, Price: 1 }),
      'itself invalid: nothing',
    ],
    ['is gone', aTicket(), undefined, 'itself gone: nothing'],
    ['is no longer of its kind', aTicket(), aTicket({ Kind: 'Bill' }), 'itself left-kind: nothing'],
  ])('%s', (_, before, after, why) => {
    expect(reasons(before, after)['ticket-state-keys']).toEqual([why]);
  });
});

describe('what `when` excludes', () => {
  const excluding = cruises(ticketThatIsValid('delete'));

  test.each<[string, Item | undefined, string, boolean[]]>([
    ['a root for which it is false', aTicket({ Status: 'ANNULLED' }), 'ticket-on-guest-ticket', [true]],
    ['no root for which it is true', aTicket(), 'ticket-on-guest-ticket', [false]],
    ['no root on which it fails', aTicket({ Status: undefined }), 'ticket-on-guest-ticket', [false]],
    ['no removed root', undefined, 'ticket-on-guest-ticket', [false]],
    ['no root that is another kind now', aTicket({ Kind: 'Bill' }), 'ticket-on-guest-ticket', [false]],
    ['no root of a rule without it', aTicket({ Status: 'ANNULLED' }), 'ticket-state-keys', [false]],
  ])('%s', (_, after, name, excluded) => {
    const told = whyMatched(excluding, change(aTicket({ Price: 1 }), after));

    expect(told.flatMap(({ rule, excluded }) => (rule.name === name ? [excluded] : []))).toEqual(excluded);
  });

  test('is said of the root, not of a copy', () => {
    const told = whyMatched(excluding, change(undefined, aGuestTicket({ Status: 'ANNULLED' })));

    expect(told.find(({ as }) => as === 'copy')).toMatchObject({ excluded: false });
    expect(whyMatched(excluding, change(undefined, aSailor())).map(({ excluded }) => excluded)).not.toContain(
      true,
    );
  });
});

test('a copy on which rootOf fails is invalid, and the fault is told without content', () => {
  const failing = () => {
    throw new TypeError('a secret');
  };
  const rules = registry.rules.map((rule) =>
    rule.name === 'name-on-crew' ? { ...rule, rootOf: failing } : rule,
  );
  const told = whyMatched({ ...registry, rules }, change(undefined, aCrewing('p')));

  expect(told.find(({ rule }) => rule.name === 'name-on-crew')).toMatchObject({
    as: 'copy',
    because: 'invalid',
    fault:
      'rule.threw: Function rootOf of rule name-on-crew threw TypeError on this item: correct it, or make the schema reject what it cannot use',
  });
});

test('an item does not concern a rule for other kinds', () => {
  expect(reasons(undefined, aSailor())['ticket-state-keys']).toEqual(['nothing unconcerned: nothing']);
});

test('an item that is the root of one rule and the copy of another has a reason for each', () => {
  expect(reasons(undefined, aVoyage())).toMatchObject({
    'voyage-on-bookings': ['root new: propagation'],
    'brand-on-voyages': ['copy new: check'],
  });
});

const words = fc.constantFrom('x', 'y', '', undefined);
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ State: words, Captain: words, Brand: words }).map(aVoyage),
  fc.record({ State: words, Stray: words, Cabin: words }).map((some) => aBooking('a', some)),
  fc.record({ Brand: words }).map(aFleet),
  fc.record({ Name: words, Kind: fc.constantFrom('Sailor', 'Cook', undefined) }).map(aSailor),
  fc
    .record({ Name: words, SailorId: words, Kind: fc.constantFrom('Crewing', 'Cargo', undefined) })
    .map((some) => aCrewing('p', some)),
  fc.record({ Status: words, StatePart: words, GuestId: words, SoldAt: words }).map(aTicket),
  fc.record({ Status: words, TicketId: words }).map(aGuestTicket),
  fc.record({ PortId: words, OwnerPart: words }).map(aLeg),
);
const speaksOf = { propagation: ['new', 'differs', 'deleted', 'expired', 'wrong', 'invalid'] };

test('every reason agrees with what matches', () => {
  const images = fc.tuple(anyItem, anyItem, fc.constantFrom('insert', 'modify', 'remove'), fc.boolean());
  fc.assert(
    fc.property(images, ([left, right, how, expired]) => {
      const before = how === 'insert' ? undefined : left;
      // An item never changes its key.
      const after =
        how === 'remove'
          ? undefined
          : before === undefined
            ? right
            : { ...right, Part: before['Part'] ?? { S: '' }, Sort: before['Sort'] ?? { S: '' } };
      const told = whyMatched(registry, change(before, after, expired));
      const { propagations, checks } = matchRules(registry, [change(before, after, expired)]);

      expect(told.filter(({ asks }) => asks === 'propagation').map(({ rule }) => rule)).toEqual(
        propagations.map(({ rule }) => rule),
      );
      expect(told.filter(({ asks }) => asks === 'check').map(({ rule }) => rule)).toEqual(
        checks.map(({ rule }) => rule),
      );
      for (const { as, asks, because, attributes } of told) {
        const silent =
          because === 'invalid'
            ? before !== undefined && attributes.length === 0
            : !speaksOf.propagation.includes(because);
        expect([as, because, asks === 'nothing']).toEqual([as, because, silent]);
      }
    }),
    { numRuns: 2_000 },
  );
});

function change(before: Item | undefined, after: Item | undefined, expired = false): Change {
  const key = keyOf(table, after ?? before ?? {}) ?? { pk: '', sk: '' };
  return { key, before, after, sequence: 1n, expired: expired && after === undefined, at: undefined };
}

/** The reasons by rule, each in a few words. */
function reasons(
  before: Item | undefined,
  after: Item | undefined,
  expired = false,
): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const { rule, as, asks, because, attributes } of whyMatched(
    registry,
    change(before, after, expired),
  )) {
    const names = attributes.length === 0 ? '' : ` in ${attributes.join(', ')}`;
    told[rule.name] = [...(told[rule.name] ?? []), `${as ?? 'nothing'} ${because}${names}: ${asks}`];
  }
  return told;
}
