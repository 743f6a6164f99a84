import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/items/change.ts';
import { type ArchiveRuleSpec, defineArchive, predicate } from '../../../src/model/rules/archive-rule.ts';
import { archivingOf, isStored, readByWhen } from '../../../src/worker/archive/decision.ts';
import { bound, boundKind } from '../../fixtures/model/bound.ts';
import { item } from '../../fixtures/model/items.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { order, orderItem } from '../../fixtures/world/kinds.ts';
import { changeOf, keyIn } from '../../fixtures/world/worker.ts';
import { registryOf } from '../../fixtures/world/world.ts';

const paid = anOrder({ EndsAt: 1_000 });
const held = anOrder({ EndsAt: 1_000, Status: 'HELD' });
const key = keyIn(paid);

/** Held orders are not archived. */
const when = [predicate(order, { reads: ['Status'], item: ({ Status }) => Status !== 'HELD' })];

test.each<[string, Partial<ArchiveRuleSpec>, Partial<Change>, object | string]>([
  ['of nothing', {}, {}, 'unconcerned'],
  ['of another kind', {}, { after: item({ Part: 'OTHER#1', Sort: 'OTHER', EndsAt: 1_000 }) }, 'unconcerned'],
  ['of one that stays', {}, { before: paid, after: anOrder() }, 'lasting'],
  ['of one whose expiry is text', {}, { after: { ...paid, EndsAt: { S: '1000' } } }, 'lasting'],
  ['of one whose expiry is null', {}, { after: { ...paid, EndsAt: { NULL: true } } }, 'lasting'],
  ['of one that will expire', {}, { after: paid }, { because: 'expiring' }],
  ['of one that expired', {}, { before: paid, expired: true }, { because: 'expired' }],
  ['of one for which when is false', { when }, { after: held }, { because: 'excluded' }],
  ['of one that was deleted', {}, { before: paid }, 'kept'],
  ['of one to archive when it is deleted', { onDelete: 'archive' }, { before: paid }, { because: 'deleted' }],
  ['of one to erase, excluded', { onDelete: 'erase', when }, { before: held }, { because: 'erased' }],
])('what a change asks of the archive: %s', (_, spec, images, expected) => {
  const rule = defineArchive({ name: 'archive-orders', kinds: [order, orderItem], ...spec });
  const decision = archivingOf(registryOf(rule), changeOf(images.before, images.after, { key, ...images }));

  if (typeof expected === 'string') expect(decision).toBe(expected);
  else expect(decision).toMatchObject(expected);
});

describe('the predicates of a kind', () => {
  const priced = predicate(order, { reads: ['Total'], item: () => true });
  const rule = defineArchive({ name: 'archive-orders', kinds: [order, orderItem], when: [...when, priced] });

  test('say what they read, because a sweep writes only while that is as archived', () => {
    const archives = bound(rule);

    expect(archives.kinds.map((kind) => [kind.name, readByWhen(archives, kind)])).toEqual([
      ['Order', ['Status', 'Total']],
      ['OrderItem', []],
    ]);
  });

  test('are the same, whatever the kind is bound to', () => {
    const kind = boundKind(order);

    expect(readByWhen(bound(rule), kind)).toEqual(['Status', 'Total']);
    expect([held, paid].map((one) => isStored(bound(rule), kind, one))).toEqual([false, true]);
  });
});
