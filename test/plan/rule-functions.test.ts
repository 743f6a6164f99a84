import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../src/model/items/copy-location.ts';
import { type Item, keyOf } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { locationOf, rootOf } from '../../src/plan/rule-functions.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  voyageOnBookings,
} from '../fixtures/cruises/cruise-rules.ts';
import { bound } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { aPost, titleOnTags } from '../fixtures/posts/posts.ts';
import { refusal } from '../suites/refusal.ts';

function locatingBy(at: (root: { readonly Brand?: unknown }) => object): Rule {
  return { ...voyageOnBookings, located: { in: 'partition', at: at as never } };
}

const ships = { pk: 'SAILOR#1', begins: 'SHIP#' };
const longest = 'x'.repeat(1024);
const undeclared = "Rule voyage-on-bookings reads 'Brand' of its root without declaring it";
const overAHundred = aPost(Array.from({ length: 101 }, (_, tag) => `${tag}`));
const prefixOf = (bytes: number) => locatingBy(() => ({ pk: 'p', begins: 'x'.repeat(bytes) }));
const careless = locatingBy((root) => ({ pk: String(root.Brand) }));
const throwing = locatingBy(() => {
  throw 'secret';
});

describe('a root locates its copies', () => {
  test.each<[string, Rule, Item, CopyLocation]>([
    ['under a prefix', dateOnLegs, aTicket(), { in: 'partition', pk: 'TICKET#t', begins: 'LEG#' }],
    ['in an index', nameOnCrew, aSailor(), { in: 'index', index: 'ByOwner', ...ships }],
    ['under the longest prefix', prefixOf(1024), aVoyage(), { in: 'partition', pk: 'p', begins: longest }],
  ])('%s', (_, rule, root, location) => {
    expect(locationOf(bound(rule), root)).toEqual(location);
  });

  test.each<[string, Rule, Item, string, string?]>([
    ['if it lacks what locates them', ticketOnGuestTicket, aTicket({ GuestId: undefined }), 'root.invalid'],
    [
      'over 2,048 bytes of partition key',
      ticketOnGuestTicket,
      aTicket({ GuestId: '§'.repeat(1100) }),
      'root.unlocatable',
      'Rule ticket-on-guest-ticket locates copies at a key that DynamoDB rejects: expected a partition key of 1 to 2048 bytes and a sort key of 1 to 1024',
    ],
    ['at over a hundred keys', titleOnTags, overAHundred, 'root.too-many-keys'],
    ['beyond a sort key', ticketOnGuestTicket, aTicket({ SoldAt: 'x'.repeat(1020) }), 'root.unlocatable'],
    ['under a prefix that is longer than a sort key', prefixOf(1025), aVoyage(), 'root.unlocatable'],
    ['if its id fits no key of copies', voyageOnBookings, aVoyage({ Sort: 'voyage_a#b' }), 'key.unwritable'],
    ['if it is not declared', careless, aVoyage({ Brand: 'x' }), 'rule.undeclared-read', undeclared],
    [
      'if the rule throws, whatever it throws',
      throwing,
      aVoyage(),
      'rule.threw',
      'Function located.at of rule voyage-on-bookings threw a value that is not an Error on this item: correct it, or make the schema reject what it cannot use',
    ],
  ])('but not %s', (_, rule, root, code, message = '') => {
    const error = refusal(() => locationOf(bound(rule), root));

    const about = { rule: rule.name, concerns: 'root', key: keyOf(table, root) };
    expect(error).toMatchObject({ name: 'InvalidItemError', code, ...about });
    expect(error.message.slice(0, message.length)).toBe(message);
  });
});

describe('a copy names its root', () => {
  test.each<[string, Rule, Item]>([
    ['the attribute is missing', nameOnCrew, aCrewing('s', { SailorId: undefined })],
    ['no item could have that key', nameOnCrew, aCrewing('s', { SailorId: 'x'.repeat(2100) })],
    ['rootOf returns undefined', { ...voyageOnBookings, rootOf: () => undefined }, aBooking('g')],
  ])('but not if %s', (_, rule, copy) => {
    expect(rootOf(bound(rule), copy)).toBeUndefined();
  });
});
