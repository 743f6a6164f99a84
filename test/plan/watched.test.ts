import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import {
  differ,
  differences,
  presenceOf,
  type Watched,
  watchedCopy,
  watchedMember,
  watchedRoot,
  watchedTarget,
} from '../../src/plan/watched.ts';
import { bound } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { aMembership, anIncident, anOrder, aUser } from '../fixtures/world/items.ts';
import {
  incidentOnParticipations,
  orderOnUserOrder,
  usernameOnMemberships,
} from '../fixtures/world/rules.ts';
import { contenderTotals } from '../fixtures/world/totals.ts';
import { changeOf, keyIn } from '../fixtures/world/worker.ts';

type Image = Item | undefined;

const user = watchedRoot(bound(usernameOnMemberships));

/** What becomes of an item that is watched. */
function presence(watched: Watched, before: Image, after: Image) {
  return presenceOf(watched, changeOf(before, after, { key: keyIn(after ?? before ?? aUser()) }));
}

describe('an item that is watched', () => {
  const boat = aUser({ Kind: 'Boat' });

  test.each<[string, Image, Image, string]>([
    ['that was not there before', undefined, aUser(), 'new'],
    ['that was of another kind before', boat, aUser(), 'new'],
    ['of which a watched attribute has another value', aUser(), aUser({ Name: 'Ada' }), 'differs'],
    ['that lost a watched attribute', aUser(), aUser({ Name: undefined }), 'differs'],
    ['that got a watched attribute', aUser({ Name: undefined }), aUser(), 'differs'],
    ['of which only another attribute differs', aUser(), aUser({ Rank: 'chair', Mood: 'good' }), 'same'],
    ['that is gone', aUser(), undefined, 'removed'],
    ['that is of another kind now', aUser(), boat, 'left-kind'],
    ['that is of another kind before and after', boat, aUser({ Kind: 'Raft' }), 'unconcerned'],
    ['that was of another kind and is gone', boat, undefined, 'unconcerned'],
    ['that never was', undefined, undefined, 'unconcerned'],
  ])('%s', (_, before, after, is) => {
    expect(presence(user, before, after)).toBe(is);
  });

  test('differs in the name of an inherited property that it gets', () => {
    const mirrored = watchedRoot(bound(incidentOnParticipations));

    expect(presence(mirrored, anIncident(), anIncident({ constructor: 'x' }))).toBe('differs');
  });

  test('does not differ by the spelling of a number', () => {
    const spelt = (N: string) => ({ ...anOrder(), Total: { N } });
    const total = watchedRoot(bound(orderOnUserOrder));

    expect(differ(total, spelt('1.0'), spelt('1'))).toBe(false);
    expect(differ(total, spelt('1.0'), spelt('2'))).toBe(true);
  });

  test('lists each watched attribute that differs once', () => {
    const watched = watchedRoot(bound(orderOnUserOrder));
    const after = anOrder({ UserId: undefined, Total: 7, Note: 'x' });

    expect([...differences(watched, anOrder(), after)].toSorted()).toEqual(['Total', 'UserId']);
  });
});

describe('what is watched', () => {
  const mirror = bound(incidentOnParticipations);
  const renaming: Rule = { ...usernameOnMemberships, copies: ['Owner'], renamed: { Owner: 'Name' } };

  test.each<[string, Watched, readonly string[], readonly string[]]>([
    [
      'of a root: what is copied or read',
      watchedRoot(bound(orderOnUserOrder)),
      ['Status', 'UserId'],
      ['Kind'],
    ],
    ['of a root: what is copied, by its own name', watchedRoot(bound(renaming)), ['Name'], ['Owner']],
    [
      'of a root of which all is copied: not its keys, nor what is the copy’s own',
      watchedRoot(mirror),
      ['Lead', table.type, 'State'],
      [table.pk, table.ttl, 'OwnerPart', 'Note'],
    ],
    [
      'of a copy: what the rule writes or reads, and what locates it',
      watchedCopy(bound(usernameOnMemberships)),
      ['Name', 'UserId', 'OwnerPart', 'OwnerSort'],
      ['Role', 'StatePart'],
    ],
    [
      'of a copy of all: also what it derives',
      watchedCopy(mirror),
      ['OwnerSort', 'Lead'],
      ['Note', 'OwnerPart'],
    ],
    [
      'of a member: what is read of it, and what locates it',
      watchedMember(bound(contenderTotals)),
      ['HomePoints', 'Votes', 'OwnerPart', 'OwnerSort'],
      ['Referee'],
    ],
    [
      'of a target: what is computed, and what is read of it',
      watchedTarget(bound({ ...contenderTotals, reads: { member: [], target: ['Name'] } })),
      ['Points', 'Name'],
      ['HomePoints', 'constructor'],
    ],
  ])('%s', (_, { watches }, watched, others) => {
    expect(watched.filter((name) => !watches(name))).toEqual([]);
    expect(others.filter(watches)).toEqual([]);
  });

  test('of a copy is watched on items of its kind only, as of a root', () => {
    const copy = watchedCopy(bound(usernameOnMemberships));

    expect(presence(copy, undefined, aUser())).toBe('unconcerned');
    expect(presence(copy, undefined, aMembership('s'))).toBe('new');
    expect(presence(user, undefined, aMembership('s'))).toBe('unconcerned');
  });
});
