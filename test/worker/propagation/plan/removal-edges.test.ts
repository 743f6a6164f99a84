import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../../../src/model/copy-location.ts';
import type { Item } from '../../../../src/model/item.ts';
import { itemSize } from '../../../../src/model/item-size.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { planCopy, type RootSnapshot } from '../../../../src/worker/propagation/plan/plan-copy.ts';
import { planRemoval } from '../../../../src/worker/propagation/plan/plan-removal.ts';
import { rootOf } from '../../../../src/worker/propagation/plan/rule-functions.ts';
import { aBooking, aCrewing, aGuestTicket, aTicket } from '../../../fixtures/cruises/cruise-items.ts';
import {
  nameOnCrew,
  nameOnCrewThat,
  ticketOnGuestTicket,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';

describe('a copy in the last location of a message', () => {
  test('is treated as on deletion if its root exists and has moved since', () => {
    const then: CopyLocation = { in: 'key', pk: 'GUEST#42', sk: 'TICKET#2026-01-15' };
    const moved = aTicket({ GuestId: '44' });
    const snapshot: RootSnapshot = { rootKey: ticketKey, root: moved, cause: 'changed', locations: [then] };

    expect(planCopy(table, ticketOnGuestTicket, snapshot, aGuestTicket())).toMatchObject({
      is: 'remove',
      rootExpect: { GuestId: { S: '44' } },
    });
  });
});

describe('a removal', () => {
  test('deletes a copy with very many attributes in one write, guarded by what the rule watches', () => {
    const wide = { ...aCrewing('s'), ...item(many(150)) };

    expect(planRemoval(table, voyageOnBookings, wide, 'delete')).toMatchObject({
      partial: false,
      removal: { size: itemSize(wide) },
    });
    expect(Object.keys(planRemoval(table, nameOnCrew, wide, 'delete')?.removal.expect ?? {}).sort()).toEqual([
      'Kind',
      'Name',
      'OwnerPart',
      'OwnerSort',
      'SailorId',
    ]);
  });

  test('is refused if the root’s key does not contain the tenant', () => {
    const rule: Rule = { ...nameOnCrewThat('delete', 'delete'), tenant: 'sailor', rootOf: () => elsewhere };

    expect(removed(rule, aCrewing('s'))).toMatchObject({ is: 'refuse', error: { concerns: 'copy' } });
  });

  test('is refused if neither key contains the tenant, with a reason without item content', () => {
    const rule: Rule = { ...nameOnCrewThat('delete', 'delete'), tenant: 'harbour', rootOf: () => elsewhere };
    const decision = removed(rule, aCrewing('s', { Name: 'secret' }));

    expect(decision).toMatchObject({
      is: 'refuse',
      error: {
        code: 'copy.crosses-tenant',
        message:
          'Expected a copy of rule name-on-crew to have the harbour of its root, found another: correct the root that the copy names, or delete the copy',
      },
    });
  });
});

test('a copy has no root if rootOf returns undefined', () => {
  expect(rootOf(table, { ...voyageOnBookings, rootOf: () => undefined }, aBooking('g'))).toBeUndefined();
});

const ticketKey = { pk: 'TICKET#t', sk: 'TICKET' };

/** A key that is not a sailor's. */
const elsewhere = { pk: 'HARBOUR#1', sk: 'HARBOUR' };

/** The plan for a copy whose root was deleted. */
function removed(rule: Rule, copy: Item) {
  const crews: CopyLocation = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1' };
  return planCopy(
    table,
    rule,
    { rootKey: elsewhere, root: undefined, cause: 'deleted', locations: [crews] },
    copy,
  );
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute-${index}`, 'x']));
}
