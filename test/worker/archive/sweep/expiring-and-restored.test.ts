import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import { restoredKeyOf, restoredMark } from '../../../../src/worker/archive/restored-mark.ts';
import { aLegOf, aUsedTicket } from '../../../fixtures/cruises/cruise-aging.ts';
import {
  archivedDigest,
  CruiseSweep,
  counts,
  expiryOf,
  inAWeek,
} from '../../../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 1);

describe('an item that has an expiry', () => {
  const later = { N: '1799999999' };

  test('keeps it, whatever set it', async () => {
    const expiring = aUsedTicket('t', { EndsAt: 1_799_999_999 });
    const inTheSameSecond = aUsedTicket('u', { EndsAt: Number(inAWeek.N) });
    const cruise = new CruiseSweep([expiring, inTheSameSecond]);

    const report = await cruise.sweepTickets();

    expect(cruise.table.items()).toEqual([expiring, inTheSameSecond]);
    expect(report.kinds).toEqual({ Ticket: counts({ expiring: 2 }) });
    expect(cruise.archive.keys()).toEqual([]);
  });

  test('that is not a number is unclassified, because it never expires', async () => {
    const cruise = new CruiseSweep([aUsedTicket('t', { EndsAt: 'never' }), aLegOf('t', 1), aUsedTicket('u')]);
    const report = await cruise.sweepTickets();

    expect(report.kinds).toMatchObject({ Ticket: counts({ unclassified: 1, swept: 1 }) });
    expect(cruise.unclassified).toEqual([
      {
        ...{ rule: 'archive-tickets', kind: 'Ticket', key: keyIn(aUsedTicket('t')), code: 'item.ttl' },
        reason:
          'Expected EndsAt, the TTL attribute, to be a number, found another type: correct the item, which never expires',
      },
    ]);
  });

  test.each([
    ['passes it on', 1_799_999_999, 'USED', later],
    ['that passed long ago gives them one in a week', 5, 'USED', inAWeek],
    ['that passed just now gives them one in a week', now / 1000, 'USED', inAWeek],
    ['that is not a number gives them nothing', 'never', 'USED', undefined],
    ['and has not aged gives them nothing', 1_799_999_999, 'PAID', undefined],
  ])('has companions without one, to which it %s', async (_, EndsAt, Status, given) => {
    const cruise = new CruiseSweep([
      aUsedTicket('t', { EndsAt, Status }),
      aLegOf('t', 1),
      aLegOf('t', 2, { EndsAt: 5 }),
    ]);
    await cruise.run();

    expect(expiryOf(cruise, aLegOf('t', 1))).toEqual(given);
    expect(expiryOf(cruise, aLegOf('t', 2))).toEqual({ N: '5' });
    expect(archivedDigest(cruise, 'Leg', keyIn(aLegOf()))).toBe(given && digestOf(aLegOf()));
  });
});

describe('an item that was restored', () => {
  test.each([
    ['the root', 'Ticket', aUsedTicket()],
    ['a companion', 'Leg', aLegOf()],
  ])('within its age waits, together with all its companions: %s', async (_, kind, restored) => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf(), aLegOf('t', 2)]);
    cruise.notes.texts.set(restoredKeyOf(kind, keyIn(restored)), restoredMark(now - 30 * day + 1000));

    const report = await cruise.sweepTickets();

    expect(cruise.table.items().filter(({ EndsAt }) => EndsAt !== undefined)).toEqual([]);
    expect(cruise.archive.keys()).toEqual([]);
    expect(report.kinds).toEqual({ Ticket: counts({ restored: 1 }), Leg: counts({ restored: 2 }) });
  });

  test.each([
    ['longer ago than its age is swept again', restoredMark(now - 30 * day), inAWeek],
    ['at an unknown time waits', 'damaged', undefined],
  ])('%s', async (_, mark, expiry) => {
    const cruise = new CruiseSweep([aUsedTicket()]);
    cruise.notes.texts.set(restoredKeyOf('Ticket', keyIn(aUsedTicket())), mark);
    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket())).toEqual(expiry);
  });

  test('as a companion stays even if its root expires', async () => {
    const cruise = new CruiseSweep([aUsedTicket('t', { EndsAt: 1_799_999_999 }), aLegOf(), aLegOf('t', 2)]);
    cruise.notes.texts.set(restoredKeyOf('Leg', keyIn(aLegOf())), restoredMark(now - day));

    await cruise.run();

    expect(expiryOf(cruise, aLegOf())).toBeUndefined();
    expect(expiryOf(cruise, aLegOf('t', 2))).toEqual({ N: '1799999999' });
  });
});
