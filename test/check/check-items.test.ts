import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkItems } from '../../src/check/check-items.ts';
import { strangerText } from '../../src/check/check-kinds.ts';
import { type Item, keyed } from '../../src/model/items/item.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { classifier } from '../../src/model/rules/kind-counts.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import { item } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import { aSale, salesOfDay } from '../fixtures/world/days.ts';
import { aMembership, aUser } from '../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTags, titleOnTagsThat } from '../fixtures/world/posts.ts';
import { usernameOnMemberships, world } from '../fixtures/world/rules.ts';
import { aContender, aMatch, contenderTotals } from '../fixtures/world/totals.ts';
import { registryOf } from '../fixtures/world/world.ts';

const registry = registryOf(usernameOnMemberships);

function findings(...items: readonly Item[]) {
  return findingsBy(registry, ...items);
}

function findingsBy(registry: Registry, ...items: readonly Item[]) {
  const shortKeys = (message: string) => message.replaceAll(/\{"Part":"(.*?)","Sort":"(.*?)"\}/g, '$1/$2');
  const sample = items.map((item) => keyed(registry.table, item));
  return checkItems(registry, sample).map(({ message }) => shortKeys(message));
}

describe('items of a table', () => {
  test('that are as the kinds say have no findings, and an empty table is one', () => {
    expect(findings(aUser(), aMembership('s'))).toEqual([]);
    expect(findings()).toEqual([
      'Expected items to compare with the kinds, found none: nothing was looked at',
    ]);
  });

  test('whose type contradicts their key are found, with both types', () => {
    expect(
      findings(aUser(), aMembership('s', { Kind: 'membership' }), aMembership('t', { Kind: 'membership' })),
    ).toEqual([
      "Expected items with keys of Membership to have the Kind 'Membership', found 2 with 'membership', such as SERVER#s/MEMBERSHIP#1: correct the type of the kind, or of the items",
    ]);
  });

  test('whose key contradicts their type are found, with the pattern of the keys', () => {
    expect(findings(aUser(), aMembership('s', { Sort: 'membership#secret' }))).toEqual([
      "Expected items with the Kind 'Membership' to have keys of Membership ('SERVER#{server}' and 'MEMBERSHIP#{user}'), found 1 with keys like SERVER#… / membership#…, in other letter case, such as SERVER#s/membership#secret: correct the patterns of the kind, or the keys of the items",
    ]);
  });

  test('of no kind are named by type and keys if a kind has none', () => {
    expect(findings(aUser(), item({ Part: 'LOG#7', Sort: 'secret', Kind: 'Log' }))).toEqual([
      "Expected some of 2 items to be of Membership ('SERVER#{server}' and 'MEMBERSHIP#{user}'), found none, so that username-on-memberships may match nothing: compare the patterns with the keys of your items, of which those of no kind are 1 with Kind 'Log' and keys like LOG#… / …",
    ]);
  });

  test('whose keys differ in little are found, with what differs', () => {
    const said = (Part: string, Sort: string) => findings(aUser(), aMembership('t'), item({ Part, Sort }));

    expect(said('server#s', 'MEMBERSHIP#1')).toEqual([
      "Expected items to have keys of Membership ('SERVER#{server}' and 'MEMBERSHIP#{user}'), found 1 with keys like server#… / MEMBERSHIP#…, in other letter case, such as server#s/MEMBERSHIP#1: correct the patterns of the kind, or the keys of the items",
    ]);
    expect(said('SERVER:s', 'MEMBERSHIP:1')[0]).toContain(
      ', with something else between their parts, such as',
    );
    expect(said('SERVER#s', 'MEMBERSHIPS#1')[0]).toContain(
      ', with another word, such as SERVER#s/MEMBERSHIPS#1',
    );
    expect(said('SERVER#a#b', 'USER')).toEqual([]);
  });

  test('whose type differs in little are found', () => {
    const log = item({ Part: 'LOG#1', Sort: 'secret', Kind: 'Memberships' });

    expect(findings(aUser(), aMembership('t'), log)).toEqual([
      "Expected items to have the Kind 'Membership' and keys of Membership ('SERVER#{server}' and 'MEMBERSHIP#{user}'), found 1 with 'Memberships' and keys like LOG#… / …, such as LOG#1/secret: correct the kind, or the items",
    ]);
  });

  test('of no kind that may be meant for one without items are named', () => {
    const other = item({ Part: 'SERVER#s', Sort: 'MEMBERS#1', Kind: 'Part' });

    expect(findings(aUser(), other)[0]).toMatch(
      /may match nothing: did you mean the 1 with keys like SERVER#… \/ MEMBERS#…, such as SERVER#s\/MEMBERS#1\?$/,
    );
  });

  test('of which a kind has none are found, with the rules that match nothing', () => {
    expect(findings(aUser())).toEqual([
      "Expected some of 1 items to be of Membership ('SERVER#{server}' and 'MEMBERSHIP#{user}'), found none, so that username-on-memberships may match nothing: compare the patterns with the keys of your items",
    ]);
  });

  test('with an attribute that the schema refuses are found, without the value', () => {
    expect(findings(aUser({ Name: 7 }), aUser({ Part: 'USER#2' }), aMembership('s'))).toEqual([
      'Expected Name of User to be a value that its schema accepts, found another of type N on 1 of 2 items, such as USER#1/USER: widen the schema, or correct the items',
    ]);
  });

  test('that lack an attribute are found if a rule reads it', () => {
    expect(
      findings(aUser({ Rank: undefined }), aMembership('s', { UserId: undefined, Role: undefined })),
    ).toEqual([
      'Expected UserId of Membership to be a value that its schema accepts, found none on 1 of 1 items, such as SERVER#s/MEMBERSHIP#1: widen the schema, or correct the items',
    ]);
  });
});

test('members without any target are found, with a target to write', () => {
  const said = (...items: readonly Item[]) =>
    findingsBy(registryOf(contenderTotals), ...items).filter((message) => message.includes('count for'));

  expect(said(aMatch('a', 'b'), aMatch('a', 'c'))).toEqual([
    'Expected items of Contender for 2 of Match to count for, such as CONTENDER#a/CONTENDER, found none: write the targets, or let the aggregate create them: creates',
  ]);
  expect(said(aMatch('a', 'b'), aContender('x'))).toEqual([]);
  expect(findingsBy(registryOf(salesOfDay('keep')), aSale('1', 'mon')).join()).not.toContain('count for');
});

test('copies without roots and members without targets are found', () => {
  const rootless = registryOf({ ...usernameOnMemberships, rootOf: () => undefined });
  const aimless = registryOf({ ...contenderTotals, targetsOf: () => [] });

  expect(findingsBy(rootless, aUser(), aMembership('s'))).toEqual([
    'Expected some of 1 items of Membership to name a root, found none: correct rootOf, or the items',
  ]);
  expect(findingsBy(aimless, aContender('a'), aMatch('a', 'b'))).toEqual([
    'Expected some of 1 items of Match to name a target, found none: correct targetsOf, or the items',
  ]);
});

test('items that lack what is copied by name are found, and copies to be created', () => {
  const bare = ({ Title: _, ...rest }: Item) => rest;
  const said = (kind: string, key: string) =>
    `Expected Title of ${kind} to be a value that its schema accepts, found none on 1 of 1 items, such as ${key}: widen the schema, or correct the items`;
  const items = [bare(aPost(['a'])), bare(aTagged('a'))];

  expect(findingsBy(registryOf(titleOnTags), ...items)).toEqual([
    said('Post', 'POST#1/POST'),
    said('TaggedPost', 'TAG#a/POST#1'),
  ]);
  expect(findingsBy(registryOf(titleOnTagsThat('delete')), ...items)).toEqual([said('Post', 'POST#1/POST')]);
});

test('roots are found that lack what is copied under another name', () => {
  const { Title: _, ...bare } = aPost(['a']);
  const renamed = { ...titleOnTags, copies: ['Title'], renamed: { Title: 'Body' } };

  expect(findingsBy(registryOf(renamed), { ...bare, Body: { S: 'x' } }, aTagged('a'))).toEqual([]);
});

describe('items of an aggregate', () => {
  test('that lack what the aggregate reads are found; a sum may have any digits', () => {
    const totals = { Matches: 1, Points: 1, First: '', Last: '', Longest: '' };
    const contender = { ...aContender('a', totals), Votes: { N: '10.9999999999999999' } };

    expect(
      findingsBy(registryOf(contenderTotals), contender, aMatch('a', 'b', { HomePoints: undefined })),
    ).toEqual([
      'Expected HomePoints of Match to be a value that its schema accepts, found none on 1 of 1 items, such as CONTENDER#a/MATCH#b: widen the schema, or correct the items',
    ]);
  });

  test('of which a kind has none are found, with the aggregates that match nothing', () => {
    expect(findingsBy(registryOf(contenderTotals), aContender('a'))).toEqual([
      "Expected some of 1 items to be of Match ('CONTENDER#{home}' and 'MATCH#{match}'), found none, so that contender-totals may match nothing: compare the patterns with the keys of your items",
    ]);
  });
});

test('items that two kinds claim are found, with the kind that they are taken for', () => {
  const attributes = z.object({});
  const comment = defineKind({
    name: 'Comment',
    pk: 'MEMBERSHIP#{membership}',
    sk: 'C#{comment}',
    attributes,
  });
  const entry = defineKind({ name: 'Entry', pk: 'MEMBERSHIP#{membership}', sk: '{entry}', attributes });
  const listed = makeRegistry(table, [], [], [], [], [entry, comment]);
  const keyed = (Sort: string) => item({ Part: 'MEMBERSHIP#1', Sort });

  expect(findingsBy(listed, keyed('C#1'), keyed('x'), keyed('C#2'))).toEqual([
    'Expected each item to fit one kind, found 2 of 3 items that fit Entry and Comment, such as MEMBERSHIP#1/C#1, which is taken for Comment: give both a type, or text of their own in their key patterns',
  ]);
});

test('items whose expiry is no number are found: they never expire', () => {
  expect(
    findings(aUser({ EndsAt: '2026-12-01' }), aUser({ EndsAt: 1_800_000_000 }), aMembership('s')),
  ).toEqual([
    'Expected EndsAt of User, the TTL attribute, to be a number in epoch seconds, found another of type S on 1 of 2 items, such as USER#1/USER: correct the items, which neither expire nor are archived',
  ]);
});

test('items whose expiry DynamoDB ignores are found: milliseconds, five years ago', () => {
  const seconds = Math.floor(Date.now() / 1000);
  const year = 366 * 86_400;
  const items = [seconds * 1000, seconds - 5 * year, seconds - 4 * year, seconds + year].map(
    (EndsAt, index) => ({
      ...aUser({ EndsAt }),
      Part: { S: `USER#${index}` },
    }),
  );
  expect(findings(...items, aMembership('s'))).toEqual([
    'Expected EndsAt of User, the TTL attribute, to be a number in epoch seconds, found milliseconds on 1 of 4 items, such as USER#0/USER: divide them by 1,000, as the items do not expire',
    'Expected EndsAt of User, the TTL attribute, to be a number in epoch seconds, found a time more than five years ago on 1 of 4 items, such as USER#1/USER: set a later one, as DynamoDB does not delete the items',
  ]);
});

describe('an item whose type contradicts its key', () => {
  const classify = classifier(world());
  const said = (item: Item) => {
    const found = classify(keyed(table, item));
    return found && 'like' in found ? strangerText(table, found) : undefined;
  };

  test('is told with both', () => {
    expect(said(aUser({ Kind: 'user' }))).toBe("the key is a User's, its Kind is 'user' and not 'User'");
    expect(said(aUser({ Kind: 7 }))).toBe("the key is a User's, its Kind is no text and not 'User'");
    expect(said(aUser({ Kind: undefined }))).toBe("the key is a User's, its Kind is missing and not 'User'");
  });

  test('is told with the pattern of its key if that contradicts its type', () => {
    expect(said(aMembership('s', { Sort: 'membership#secret' }))).toBe(
      "its Kind is a Membership's, the key is like SERVER#… / membership#… and not 'SERVER#{server}' and 'MEMBERSHIP#{user}'",
    );
  });

  test('is told if its key or type differs in little', () => {
    expect(said(aUser({ Part: 'user#1', Kind: undefined }))).toBe(
      "the key is nearly a User's, like user#… / USER and not 'USER#{user}' and 'USER'",
    );
    expect(said(aUser({ Part: 'LOG#1', Kind: 'Users' }))).toBe(
      "its Kind is 'Users', which is nearly a User's, and its key is like LOG#… / USER and not 'USER#{user}' and 'USER'",
    );
  });

  test('is none if it is of any kind, or its key of none', () => {
    expect(said(aUser())).toBeUndefined();
    expect(said(item({ Part: 'x', Sort: 'y', Kind: 'z' }))).toBeUndefined();
  });
});
