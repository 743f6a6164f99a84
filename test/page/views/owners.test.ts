import { expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { ownersOf, ownItem } from '../../../src/page/views/owners.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { aParticipation, aUser } from '../../fixtures/world/items.ts';
import { aMember, anAddress, memberOnAddress } from '../../fixtures/world/posts.ts';
import { incidentOnParticipations } from '../../fixtures/world/rules.ts';
import { aContender, contenderTotals } from '../../fixtures/world/totals.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { likes } from '../../simulation/likes-rules.ts';

test('a copy says what is copied and derived from which root, and what is the application’s', () => {
  const root = { pk: 'acct_1#incidents', sk: 'incident_a' };
  const rule = 'incident-on-participations';
  const copy = { ...aParticipation('u'), EndsAt: { N: '5' } };

  expect(ownersOf(registryOf(incidentOnParticipations), copy)).toEqual({
    Part: { text: 'its key' },
    Sort: { text: 'its key' },
    EndsAt: { text: 'you: its expiry' },
    OwnerPart: { text: 'you: a key of an index' },
    State: { text: 'copied from', root, rule },
    CreatedAt: { text: 'copied from', root, rule },
    Lead: { text: 'copied from', root, rule },
    OwnerSort: { text: 'derived from', root, rule },
  });
});

test('an attribute of another name says which one of the root it has', () => {
  const renamed = { ...memberOnAddress, copies: ['Name'], renamed: { Name: 'Title' } };

  expect(ownersOf(registryOf(renamed), anAddress('1', 'a'))['Name']?.text).toBe('copied from Title of');
});

test('totals are computed, and a root has its attributes to itself', () => {
  const totals = { text: 'computed', rule: 'contender-totals' };

  expect(ownersOf(registryOf(contenderTotals), aContender('a', { Points: 1 }))).toMatchObject({
    ...{ Points: totals, Kind: { text: 'you: its kind' } },
  });
  expect(ownersOf(registryOf(memberOnAddress), aMember('1', 'a'))['Name']).toBeUndefined();
  expect(Object.keys(ownersOf(registryOf(memberOnAddress), aUser()))).toEqual(['Part', 'Sort', 'Kind']);
});

test('a copy that names no root has its attributes to itself', () => {
  const { MemberId: _, ...unlinked } = anAddress('1', 'a');

  expect(ownersOf(registryOf(memberOnAddress), unlinked)['Name']).toBeUndefined();
});

test('what a rule copies is the rule’s, also on a copy whose root its invalid attribute hides', () => {
  const owners = ownersOf(registryOf(memberOnAddress), { ...anAddress('1', 'a'), MemberId: { BOOL: true } });

  expect(owners['Name']).toEqual({ text: 'copied from an unknown root', rule: 'member-on-address' });
});

test('items of a ledger are the worker’s own, and name their target and member', async () => {
  const worker = new ModelWorker(likes(1));
  worker.table.put(itemOf({ PK: 'POST#a', SK: 'POST', Type: 'Post' }));
  worker.table.put(itemOf({ PK: 'LIKE#1', SK: 'LIKE', Type: 'Like', Post: 'a', Weight: 1 }));
  await worker.rest();
  const own = worker.table.items().flatMap((item: Item) => ownItem(likes(1), item) ?? []);
  const target = { pk: 'POST#a', sk: 'POST' };

  const head = worker.table.items().find(({ SK }) => SK && 'S' in SK && SK.S === 'head') ?? {};
  expect(ownersOf(likes(1), head)['+Weight']).toEqual({ text: 'computed', rule: 'likes-of-post' });
  expect(own).toHaveLength(2);
  expect(own).toContainEqual({ rule: 'likes-of-post', target, member: { pk: 'LIKE#1', sk: 'LIKE' } });
  expect(own).toContainEqual({ rule: 'likes-of-post', target, member: undefined });
});
