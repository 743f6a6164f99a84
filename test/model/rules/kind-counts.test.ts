import { expect, test } from 'vitest';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import {
  KindCounter,
  keyShape,
  kindCountsSchema,
  knownWords,
  unmatchedKinds,
  usedKinds,
} from '../../../src/model/rules/kind-counts.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import { incident, membership, user } from '../../fixtures/world/kinds.ts';
import { usernameOnMemberships } from '../../fixtures/world/rules.ts';

const registry = makeRegistry(table, [usernameOnMemberships]);

function counted(items: readonly Item[]) {
  const counter = new KindCounter(registry);
  counter.add(items.map((item) => keyed(table, item)));
  return counter.counts();
}

const known = knownWords([user, membership, incident]);
test.each([
  ['USER#17', 'MEMBERSHIP#ann', 'USER#… / MEMBERSHIP#…'],
  ['user#17', 'METADATA', 'user#… / METADATA'],
  ['acct_secret#incidents', 'incident_x', 'acct_…#incidents / incident_…'],
  [
    '$shop#tenant_secret',
    '$participation_1#user_ann@example.com',
    '$shop#tenant_… / $participation_…#user_…',
  ],
  ['ORDER#2026-01-04T09:30:00Z', '', 'ORDER#…'],
  ['john_doe#x|y', 'ann', '…#…|… / …'],
])('the shape of a key has labels and known words alone: %s %s', (pk, sk, shape) => {
  expect(keyShape({ pk, sk }, known)).toBe(shape);
});

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
