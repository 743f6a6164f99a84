import { expect, test } from 'vitest';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import {
  KindCounter,
  kindCountsSchema,
  unmatchedKinds,
  usedKinds,
} from '../../../src/model/rules/kind-counts.ts';
import { headKey } from '../../../src/model/rules/ledger.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import { usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { likesOfPost } from '../../simulation/likes-rules.ts';

const registry = makeRegistry(table, [usernameOnMemberships]);

function counted(items: readonly Item[]) {
  const counter = new KindCounter(registry);
  counter.add(items.map((item) => keyed(table, item)));
  return counter.counts();
}

test('items are counted by their kinds, and those of none by what they are like', () => {
  const counts = counted([
    aUser(),
    aUser({ Kind: 'user' }),
    aUser({ Kind: 'user', Part: 'USER#secret' }),
    aMembership('s', { Sort: 'user#secret' }),
    item({ Part: 'LOG#secret', Sort: '1', Kind: 'Log' }),
  ]);

  expect(counts).toMatchObject({ items: 5, kinds: { User: 1 }, ofNoKind: 4 });
  expect(counts.strangers.map(({ example: _, ...rest }) => rest)).toEqual([
    { like: 'key', kinds: ['User'], type: "'user'", shape: 'USER#… / USER', items: 2 },
    { like: 'type', kinds: ['Membership'], type: "'Membership'", shape: 'SERVER#… / user#…', items: 1 },
    { like: 'nothing', kinds: [], type: "'Log'", shape: 'LOG#… / …', items: 1 },
  ]);
  expect(unmatchedKinds(usedKinds(registry), counts).map(({ kind, users }) => [kind.name, users])).toEqual([
    ['Membership', ['username-on-memberships']],
  ]);
});

test('counting continues from what was saved', () => {
  const items = [aUser(), aUser({ Kind: 'x' }), aMembership('s')];
  const counter = new KindCounter(
    registry,
    kindCountsSchema.parse(JSON.parse(JSON.stringify(counted(items)))),
  );
  counter.add(items.map((item) => keyed(table, item)));

  expect(counter.counts()).toEqual(counted([...items, ...items]));
});

test('a thousand sorts of strangers take the memory of thirty', () => {
  const odd = Array.from({ length: 1000 }, (_, n) => item({ Part: 'a', Sort: 'b', Kind: `T${n}` }));
  const counts = counted([...odd, aUser({ Kind: 'user' })]);

  expect(counts.ofNoKind).toBe(1001);
  expect(counts.strangers.filter(({ like }) => like === 'nothing')).toHaveLength(30);
  expect(counts.strangers.filter(({ like }) => like === 'key')).toHaveLength(1);
});

test('strangers are like a kind by keys or a type that differ in little, unless their type is another', () => {
  const likes = (...items: readonly Item[]) =>
    counted(items).strangers.map(({ like, kinds, items }) => [like, ...kinds, items]);

  expect(
    likes(aUser({ Part: 'user#1', Kind: undefined }), aUser({ Part: 'user#2', Kind: undefined })),
  ).toEqual([['shape', 'User', 2]]);
  expect(likes(aUser({ Part: 'USERS#1', Kind: 'Users' }))).toEqual([['shape', 'User', 1]]);
  expect(likes(aUser({ Part: 'USERS#1', Kind: 'Crowd' }))).toEqual([['nothing', 1]]);
  expect(likes(item({ Part: 'LOG#1', Sort: 'x', Kind: 'Memberships' }))).toEqual([['name', 'Membership', 1]]);
});

test('items of a ledger are counted as the worker’s own', () => {
  const likes = likesOfPost(4);
  const counter = new KindCounter(makeRegistry(table, [], [], [], [likes]));
  const { pk, sk } = headKey(likes, { pk: 'POST#1', sk: 'POST' }, 0);
  counter.add([keyed(table, item({ Part: pk, Sort: sk })), keyed(table, item({ Part: 'x', Sort: 'y' }))]);

  expect(counter.counts()).toMatchObject({ items: 2, ofNoKind: 1, ofLedgers: 1 });
});
