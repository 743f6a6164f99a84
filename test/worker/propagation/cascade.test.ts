import { describe, expect, test } from 'vitest';
import { filterPatterns } from '../../../src/deploy/mapping-filters.ts';
import { usageOf } from '../../../src/deploy/usage.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { booking, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

/** Bookings go with their voyage, and voyages with their fleet. Neither rule writes an attribute. */
const bookingsGo = defineRule({
  ...{ name: 'bookings-go', root: voyage, copy: booking },
  located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
  rootOf: ({ ids }) => voyage.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});

const openOnly = defineRule({
  ...{ name: 'bookings-go', root: voyage, copy: booking, reads: { root: ['State'] } },
  located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
  when: { root: ({ State }) => State === 'OPEN' },
  rootOf: ({ ids }) => voyage.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});

const bookings = [aBooking('ann'), aBooking('bob')];

function over(items: readonly Item[], ...rules: readonly Rule[]) {
  return workerOver(items, {}, makeRegistry(table, rules));
}

describe('a rule that only removes', () => {
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
      JSON.stringify(filterPatterns(makeRegistry(table, rules), 'Propagate')),
    );

    expect(filters).not.toContain('bookings');
    expect(withWhen).toContain('bookings');
    expect(usageOf(makeRegistry(table, [bookingsGo])).propagation).toMatchObject({
      ...{ updates: false, deletes: true, removes: true },
    });
  });
});
