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

    const [report] = await cruise.run({ rules: ['archive-tickets'] });

    expect(cruise.table.items()).toEqual([expiring, inTheSameSecond]);
    expect(report?.kinds).toEqual({ Ticket: counts({ expiring: 2 }) });
    expect(cruise.archive.keys()).toEqual([]);
  });

  test('and has aged passes it on to companions without one', async () => {
    const cruise = new CruiseSweep([
      aUsedTicket('t', { EndsAt: 1_799_999_999 }),
      aLegOf('t', 1),
      aLegOf('t', 2, { EndsAt: 5 }),
    ]);

    await cruise.run();

    expect(expiryOf(cruise, aLegOf('t', 1))).toEqual(later);
    expect(expiryOf(cruise, aLegOf('t', 2))).toEqual({ N: '5' });
    expect(archivedDigest(cruise, 'Leg', keyIn(aLegOf()))).toBe(digestOf(aLegOf()));
  });

  test.each([
    ['long ago', 5],
    ['just now', now / 1000],
  ])('that has passed %s gives its companions one in a week', async (_, EndsAt) => {
    const cruise = new CruiseSweep([aUsedTicket('t', { EndsAt }), aLegOf()]);

    await cruise.run();

    expect(expiryOf(cruise, aLegOf())).toEqual(inAWeek);
  });

  test('that is not a number never expires, and neither do its companions', async () => {
    const cruise = new CruiseSweep([aUsedTicket('t', { EndsAt: 'never' }), aLegOf()]);

    const [report] = await cruise.run();

    expect(expiryOf(cruise, aLegOf())).toBeUndefined();
    expect(report?.kinds).toEqual({ Ticket: counts({ expiring: 1 }) });
  });

  test('and has not aged gives its companions nothing', async () => {
    const cruise = new CruiseSweep([aUsedTicket('t', { Status: 'PAID', EndsAt: 1_799_999_999 }), aLegOf()]);

    await cruise.run();

    expect(expiryOf(cruise, aLegOf())).toBeUndefined();
  });
});

describe('an item that was restored', () => {
  test.each([
    ['the root', 'Ticket', aUsedTicket()],
    ['a companion', 'Leg', aLegOf()],
  ])('within its age waits, together with all its companions: %s', async (_, kind, restored) => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf(), aLegOf('t', 2)]);
    cruise.notes.texts.set(restoredKeyOf(kind, keyIn(restored)), restoredMark(now - 30 * day + 1000));

    const [report] = await cruise.run({ rules: ['archive-tickets'] });

    expect(cruise.table.items().filter(({ EndsAt }) => EndsAt !== undefined)).toEqual([]);
    expect(cruise.archive.keys()).toEqual([]);
    expect(report?.kinds).toEqual({ Ticket: counts({ restored: 1 }), Leg: counts({ restored: 2 }) });
  });

  test('longer ago than its age is swept again', async () => {
    const cruise = new CruiseSweep([aUsedTicket()]);
    cruise.notes.texts.set(restoredKeyOf('Ticket', keyIn(aUsedTicket())), restoredMark(now - 30 * day));

    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket())).toEqual(inAWeek);
  });

  test('at an unknown time waits', async () => {
    const cruise = new CruiseSweep([aUsedTicket()]);
    cruise.notes.texts.set(restoredKeyOf('Ticket', keyIn(aUsedTicket())), 'damaged');

    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket())).toBeUndefined();
  });

  test('as a companion stays even if its root expires', async () => {
    const cruise = new CruiseSweep([aUsedTicket('t', { EndsAt: 1_799_999_999 }), aLegOf(), aLegOf('t', 2)]);
    cruise.notes.texts.set(restoredKeyOf('Leg', keyIn(aLegOf())), restoredMark(now - day));

    await cruise.run();

    expect(expiryOf(cruise, aLegOf())).toBeUndefined();
    expect(expiryOf(cruise, aLegOf('t', 2))).toEqual({ N: '1799999999' });
  });
});
