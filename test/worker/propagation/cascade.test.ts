import { describe, expect, test } from 'vitest';
import { filterPatterns } from '../../../src/deploy/needs/mapping-filters.ts';
import { usageOf } from '../../../src/deploy/needs/usage.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { booking, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { table } from '../../fixtures/model/table.ts';

/** Bookings go with their voyage, and voyages with their fleet. Neither rule writes an attribute. */
const bookingsGo = defineRule({
  ...{ name: 'bookings-go', root: voyage, copy: booking },
  located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
  rootOf: ({ ids }) => voyage.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});

describe('a rule that only removes', () => {
  test('needs the records of its roots alone, unless it has when, and no permission to update', () => {
    const openOnly = { ...bookingsGo, when: { root: () => true } };

    const [filters, withWhen] = [[bookingsGo], [openOnly]].map((rules) =>
      JSON.stringify(filterPatterns(makeRegistry(table, rules), 'Propagate')),
    );

    expect(filters).not.toContain('bookings');
    expect(withWhen).toContain('bookings');
    expect(usageOf(makeRegistry(table, [bookingsGo])).propagation).toMatchObject({
      ...{ updates: false, deletes: true, conditionsOnRoots: true },
    });
  });
});
