import { describe, expect, test } from 'vitest';
import { propagateFilters } from '../../../src/deploy/mapping-filters.ts';
import { usageOf } from '../../../src/deploy/usage.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { classifyCopy } from '../../../src/worker/verify/classify-copy.ts';
import { aBooking, aFleet, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { booking, fleet, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

/** Bookings go with their voyage, and voyages with their fleet. Neither rule writes an attribute. */
const bookingsGo = defineRule({
  ...{ name: 'bookings-go', root: voyage, copy: booking },
  located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
  rootOf: ({ ids }) => voyage.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});
const voyagesGo = defineRule({
  ...{ name: 'voyages-go', root: fleet, copy: voyage },
  located: { in: 'partition', at: ({ ids }) => ({ pk: voyage.pk(ids), begins: 'voyage_' }) },
  rootOf: ({ ids }) => fleet.key(ids),
  ...{ onDelete: 'delete', onExpire: 'delete' },
});
const openOnly = defineRule({
  ...{ name: 'bookings-go', root: voyage, copy: booking, reads: { root: ['State'] } },
  located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
  when: { root: ({ State }) => State === 'OPEN' },
  rootOf: ({ ids }) => voyage.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});

const bookings = [aBooking('ann'), aBooking('bob')];
const other = aBooking('ann', { Part: 'line_1#voyage_b#bookings' });

function over(items: readonly Item[], ...rules: readonly Rule[]) {
  return workerOver(items, {}, makeRegistry(table, rules));
}

describe('a rule that only removes', () => {
  test('deletes the copies of a deleted root, their own copies by another such rule, and nothing else', async () => {
    const worker = over([aFleet(), aVoyage(), ...bookings, other], voyagesGo, bookingsGo);
    worker.table.delete(keyIn(aFleet()));

    await worker.rest();

    expect(worker.table.items()).toEqual([other]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('keeps the copies of a root that expired, if onExpire says so, and of one that was put again', async () => {
    const worker = over([aVoyage(), ...bookings], bookingsGo);
    worker.table.expire(keyIn(aVoyage()));
    await worker.rest();
    worker.table.put(aVoyage());
    worker.table.delete(keyIn(aVoyage()));
    worker.table.put(aVoyage());
    await worker.rest();

    expect(worker.table.items()).toEqual(expect.arrayContaining([aVoyage(), ...bookings]));
  });

  test('requests nothing for a new root, a new copy, or a change of either', async () => {
    const worker = over([], bookingsGo);
    for (const item of [
      aVoyage(),
      ...bookings,
      aVoyage({ State: 'CLOSED' }),
      aBooking('ann', { Cabin: '7' }),
    ])
      worker.table.put(item);

    await worker.rest();

    expect(spent(worker)).toEqual({});
  });

  test('deletes the copies of a root for which when turns false, and a copy that is put afterwards', async () => {
    const worker = over([aVoyage(), ...bookings], openOnly);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    await worker.rest();
    expect(worker.table.items()).toEqual([aVoyage({ State: 'CLOSED' })]);

    worker.table.put(aBooking('cyd'));
    await worker.rest();
    expect(worker.table.items()).toEqual([aVoyage({ State: 'CLOSED' })]);
  });

  test('needs the records of its roots alone, unless it has when, and no permission to update', () => {
    const [filters, withWhen] = [[bookingsGo], [openOnly]].map((rules) =>
      JSON.stringify(propagateFilters(makeRegistry(table, rules))),
    );

    expect(filters).not.toContain('bookings');
    expect(withWhen).toContain('bookings');
    expect(usageOf(makeRegistry(table, [bookingsGo])).propagation).toMatchObject({
      ...{ updates: false, deletes: true, removes: true },
    });
  });

  test('finds orphans in a search for drift, and nothing to compare', () => {
    const registry = makeRegistry(table, [bookingsGo, voyagesGo]);
    const classified = (rule: Rule, copy: Item, root: Item, exists: boolean) =>
      classifyCopy(registry, rule, copy, keyIn(root), exists ? root : undefined);

    expect(classified(voyagesGo, aVoyage(), aFleet(), true)).toEqual({ is: 'right' });
    expect(classified(voyagesGo, aVoyage(), aFleet(), false)).toMatchObject({
      ...{ is: 'drift', drift: { kind: 'orphan' } },
    });
    // The root may have expired, and `onExpire` keeps its copies.
    expect(classified(bookingsGo, aBooking('ann'), aVoyage(), false)).toEqual({ is: 'kept' });
  });
});
