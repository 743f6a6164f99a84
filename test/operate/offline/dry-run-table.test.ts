import { describe, expect, test } from 'vitest';
import type { GuardedRemoval } from '../../../src/model/guarded-write.ts';
import type { Item } from '../../../src/model/item.ts';
import { overlaidTable, type WouldSpend } from '../../../src/operate/offline/dry-run-table.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const bookings = { in: 'partition', pk: 'line_1#voyage_a#bookings' } as const;
const g = keyIn(aBooking('g'));
const root = { key: keyIn(aVoyage()), expect: 'absent' } as const;

describe('a dry-run table', () => {
  test('reads the real table', async () => {
    const { port } = overlaid([aBooking('f'), aBooking('g'), aSailor(), aCrewing('s')]);

    expect(await port.get(g)).toEqual(aBooking('g'));
    expect(await port.get(keyIn(aVoyage()))).toBeUndefined();
    expect(await port.query(bookings, 1)).toMatchObject({
      entries: [aBooking('f')],
      next: { Part: bookings.pk, Sort: 'f' },
    });
    expect((await port.query(bookings, 2, { Part: bookings.pk, Sort: 'f' })).entries).toEqual([
      aBooking('g'),
    ]);
    expect(await port.query({ in: 'index', index: 'ByOwner', pk: 'SAILOR#1' }, 5)).toMatchObject({
      entries: [{ Part: aCrewing('s')['Part'], Sort: aCrewing('s')['Sort'] }],
    });
    expect(
      await port.query({ in: 'index', index: 'ByOwner', pk: 'SAILOR#1' }, 5, undefined, true),
    ).toMatchObject({
      entries: [aCrewing('s')],
      next: undefined,
    });
  });

  test('writes nothing, and shows its would-be updates in every kind of read', async () => {
    const { port, worker } = overlaid([aBooking('g')]);
    await port.get(g);

    expect(
      await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: ['Cabin'], expect: {} }]),
    ).toEqual(['written']);

    const written = aBooking('g', { State: 'CLOSED', Cabin: undefined });
    expect(await port.get(g)).toEqual(written);
    expect(await port.getMany([g])).toEqual([written]);
    expect((await port.query(bookings, 5)).entries).toEqual([written]);
    expect(
      (await port.query({ in: 'index', index: 'ByOwner', pk: 'g' }, 5, undefined, true)).entries,
    ).toEqual([written]);
    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });

  test('shows cleared attributes, and updates after that', async () => {
    const { port } = overlaid([aBooking('g')]);
    await port.get(g);

    expect(await port.transact(root, [removal({ clear: ['State', 'Captain'] })])).toEqual(['written']);
    expect(await port.get(g)).toEqual(aBooking('g', { State: undefined, Captain: undefined }));
    await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);

    expect(await port.get(g)).toEqual(aBooking('g', { State: 'CLOSED', Captain: undefined }));
  });

  test('does not show items that it would delete', async () => {
    const { port, worker } = overlaid([aBooking('g')]);
    await port.get(g);

    expect(await port.transact(root, [removal({ clear: undefined })])).toEqual(['written']);

    expect(await port.get(g)).toBeUndefined();
    expect(await port.getMany([g])).toEqual([]);
    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });

  test('reports and shows items that it would create', async () => {
    const { port, would, worker } = overlaid([aBooking('f')]);
    const created = aBooking('g');

    expect(await port.transact(root, [{ key: g, item: created, size: 1 }])).toEqual(['written']);

    expect(would).toEqual([g]);
    expect(await port.get(g)).toEqual(created);
    expect(await port.getMany([keyIn(aBooking('f')), g])).toEqual([aBooking('f'), created]);
    expect(worker.table.read(g)).toBeUndefined();
  });

  test('loses writes to items that are gone, as the table would', async () => {
    const { port, would } = overlaid([]);

    const updated = await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);
    const removed = await port.transact(root, [removal({ clear: undefined })]);

    expect([...updated, ...removed]).toEqual(['lost', 'lost']);
    expect(would).toEqual([]);
    expect(await port.get(g)).toBeUndefined();
  });

  test('remembers the last two thousand written items', async () => {
    const guests = Array.from({ length: 2001 }, (_, index) => aBooking(`guest-${index}`));
    const { port } = overlaid(guests);
    for (const guest of guests) {
      await port.get(keyIn(guest));
      await port.update([{ key: keyIn(guest), set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);
    }

    const shown = await port.getMany(guests.slice(0, 2).map(keyIn));
    expect(shown.map(({ State }) => State)).toEqual([{ S: 'OPEN' }, { S: 'CLOSED' }]);
  });
});

/** A table with these items, and what it was asked to write. */
function overlaid(items: readonly Item[]) {
  const would: unknown[] = [];
  const worker = workerOver(items);
  const note = (spend: WouldSpend) => spend.does === 'write' && would.push(spend.write.key);
  return { worker, would, port: overlaidTable(worker.port, table, note, 2000) };
}

function removal(more: Pick<GuardedRemoval, 'clear'>): GuardedRemoval {
  return { key: g, expect: {}, size: 1, ...more };
}
