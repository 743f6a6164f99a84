import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/items/item.ts';
import { itemSize, maxItem } from '../../../../src/model/items/item-size.ts';
import type { ModelTable } from '../../../../src/testing/table-model/model-table.ts';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import { aLegOf, aUsedTicket } from '../../../fixtures/cruises/cruise-aging.ts';
import {
  archivedDigest,
  beforeFirstUpdate,
  beforeUpdates,
  CruiseSweep,
  counts,
  expiryOf,
  inAWeek,
} from '../../../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../../fixtures/cruises/watched-archive.ts';

const [leg, otherLeg] = [aLegOf(), aLegOf('t', 2)];
const inUse = aUsedTicket('t', { Status: 'PAID' });
const dearer = aUsedTicket('t', { Price: 1 });
const swept = (item: Item): Item => ({ ...item, EndsAt: inAWeek });
const dearerSwept = swept(dearer);
const theTicket = keyIn(dearer);
const ticketChanged = { Ticket: counts({ changed: 1 }) };

describe('an item that changes while it is swept', () => {
  test.each<[string, (table: ModelTable) => void, Item[], object]>([
    ['and is in use keeps no expiry', (table) => table.put(inUse), [leg, otherLeg, inUse], ticketChanged],
    [
      'and is still aged is archived again, and then swept',
      (table) => table.put(dearer),
      [swept(leg), swept(otherLeg), dearerSwept],
      { Ticket: counts({ swept: 1 }), Leg: counts({ swept: 2 }) },
    ],
    ['and is deleted stays away', (table) => table.delete(theTicket), [leg, otherLeg], ticketChanged],
    [
      'by losing a companion is swept without it',
      (table) => table.delete(keyIn(leg)),
      [otherLeg, aUsedTicket()].map(swept),
      { Ticket: counts({ swept: 1 }), Leg: counts({ swept: 1, changed: 1 }) },
    ],
  ])('%s', async (_, change, left, kinds) => {
    const cruise = new CruiseSweep([aUsedTicket(), leg, otherLeg]);
    beforeFirstUpdate(cruise, () => change(cruise.table));

    const report = await cruise.sweepTickets();

    expect(cruise.table.items().toSorted(bySk)).toEqual(left);
    expect(report.kinds).toEqual(kinds);
    const archived = left.some((item) => item === dearerSwept) ? dearer : aUsedTicket();
    expect(archivedDigest(cruise, 'Ticket', keyIn(archived))).toBe(digestOf(archived));
  });

  test.each([
    ['in use again', { Status: 'PAID' }, counts({ changed: 1 })],
    ['given an expiry', { EndsAt: 1_799_999_999 }, counts({ expiring: 1 })],
  ])('and is %s before it is archived is left as it is', async (_, change, counted) => {
    const again = aUsedTicket('t', change);
    const cruise = new CruiseSweep([aUsedTicket()]);
    watchArchive(cruise, (request) => request === 'head' && cruise.table.put(again));

    const report = await cruise.sweepTickets();

    expect(cruise.table.items()).toEqual([again]);
    expect(report.kinds['Ticket']).toEqual(counted);
  });

  test('is checked again even if another companion has no room for an expiry', async () => {
    const room = maxItem - itemSize(aLegOf('t', 2, { Note: '' }));
    const full = aLegOf('t', 2, { Note: 'x'.repeat(room) });
    const elsewhere = aLegOf('t', 1, { PortId: 'q' });
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf(), full]);
    beforeUpdates(cruise, (update) => {
      if (update === 2) cruise.table.put(elsewhere);
    });

    const report = await cruise.sweepTickets();

    expect(expiryOf(cruise, elsewhere)).toEqual(inAWeek);
    expect(report.kinds['Leg']).toEqual(counts({ swept: 1, unclassified: 1 }));
  });

  test('again and again is left as it is after a few rounds', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aUsedTicket('u')]);
    let changes = 0;
    beforeUpdates(cruise, (Price) => {
      changes = Price;
      cruise.table.put(aUsedTicket('t', { Price }));
    });

    const report = await cruise.sweepTickets();

    expect(expiryOf(cruise, aUsedTicket())).toBeUndefined();
    expect(expiryOf(cruise, aUsedTicket('u'))).toEqual(inAWeek);
    expect(changes).toBeLessThan(12);
    expect(report.kinds['Ticket']).toEqual(counts({ swept: 1, changed: 1 }));
  });

  test('faster than it can be archived is left as it is, and the others are swept', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aUsedTicket('u')]);
    let price = 0;
    watchArchive(cruise, (request) => {
      if (request !== 'put') return;
      price += 1;
      cruise.table.put(aUsedTicket('t', { Price: price }));
    });

    const report = await cruise.sweepTickets();

    expect(expiryOf(cruise, aUsedTicket('u'))).toEqual(inAWeek);
    expect(report.kinds['Ticket']).toMatchObject({ changed: 1, swept: 1 });
  });
});

function bySk(a: Item, b: Item): number {
  return keyIn(a).sk < keyIn(b).sk ? -1 : 1;
}
