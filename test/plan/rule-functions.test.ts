import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../src/model/items/copy-location.ts';
import { type Item, keyOf } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { locationOf, rootOf } from '../../src/plan/rule-functions.ts';
import { bound } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { aMembership, anIncident, anOrder, aParticipation, aUser } from '../fixtures/world/items.ts';
import { aPost, titleOnTags } from '../fixtures/world/posts.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  orderOnUserOrder,
  usernameOnMemberships,
} from '../fixtures/world/rules.ts';
import { refusal } from '../suites/refusal.ts';

function locatingBy(at: (root: { readonly TeamName?: unknown }) => object): Rule {
  return { ...incidentOnParticipations, located: { in: 'partition', at: at as never } };
}

const servers = { pk: 'USER#1', begins: 'SERVER#' };
const longest = 'x'.repeat(1024);
const undeclared = "Rule incident-on-participations reads 'TeamName' of its root without declaring it";
const overAHundred = aPost(Array.from({ length: 101 }, (_, tag) => `${tag}`));
const prefixOf = (bytes: number) => locatingBy(() => ({ pk: 'p', begins: 'x'.repeat(bytes) }));
const careless = locatingBy((root) => ({ pk: String(root.TeamName) }));
const throwing = locatingBy(() => {
  throw 'secret';
});

describe('a root locates its copies', () => {
  test.each<[string, Rule, Item, CopyLocation]>([
    ['under a prefix', dateOnOrderItems, anOrder(), { in: 'partition', pk: 'ORDER#t', begins: 'ITEM#' }],
    ['in an index', usernameOnMemberships, aUser(), { in: 'index', index: 'ByOwner', ...servers }],
    ['under the longest prefix', prefixOf(1024), anIncident(), { in: 'partition', pk: 'p', begins: longest }],
  ])('%s', (_, rule, root, location) => {
    expect(locationOf(bound(rule), root)).toEqual(location);
  });

  test.each<[string, Rule, Item, string, string?]>([
    ['if it lacks what locates them', orderOnUserOrder, anOrder({ UserId: undefined }), 'root.invalid'],
    [
      'over 2,048 bytes of partition key',
      orderOnUserOrder,
      anOrder({ UserId: '§'.repeat(1100) }),
      'root.unlocatable',
      'Rule order-on-user-order locates copies at a key that DynamoDB rejects: expected a partition key of 1 to 2048 bytes and a sort key of 1 to 1024',
    ],
    ['at over a hundred keys', titleOnTags, overAHundred, 'root.too-many-keys'],
    ['beyond a sort key', orderOnUserOrder, anOrder({ CreatedAt: 'x'.repeat(1020) }), 'root.unlocatable'],
    ['under a prefix that is longer than a sort key', prefixOf(1025), anIncident(), 'root.unlocatable'],
    [
      'if its id fits no key of copies',
      incidentOnParticipations,
      anIncident({ Sort: 'incident_a#b' }),
      'key.unwritable',
    ],
    ['if it is not declared', careless, anIncident({ TeamName: 'x' }), 'rule.undeclared-read', undeclared],
    [
      'if the rule throws, whatever it throws',
      throwing,
      anIncident(),
      'rule.threw',
      'Function located.at of rule incident-on-participations threw a value that is not an Error on this item: correct it, or make the schema reject what it cannot use',
    ],
  ])('but not %s', (_, rule, root, code, message = '') => {
    const error = refusal(() => locationOf(bound(rule), root));

    const about = { rule: rule.name, concerns: 'root', key: keyOf(table, root) };
    expect(error).toMatchObject({ name: 'InvalidItemError', code, ...about });
    expect(error.message.slice(0, message.length)).toBe(message);
  });
});

test.each<[string, Rule, Item]>([
  ['the attribute is missing', usernameOnMemberships, aMembership('s', { UserId: undefined })],
  ['no item could have that key', usernameOnMemberships, aMembership('s', { UserId: 'x'.repeat(2100) })],
  ['rootOf returns undefined', { ...incidentOnParticipations, rootOf: () => undefined }, aParticipation('g')],
])('a copy names its root but not if %s', (_, rule, copy) => {
  expect(rootOf(bound(rule), copy)).toBeUndefined();
});
