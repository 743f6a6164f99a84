import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { text } from '../../../src/model/item.ts';
import type { Cursor, Message } from '../../../src/model/message.ts';
import { pagesOf } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aBooking, aGuestTicket, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const guests = ['a', 'b', 'c', 'd', 'e'];
const bookings = guests.map((guest) => aBooking(guest));
const named = bookings.map(keyIn);
const closed = aVoyage({ State: 'CLOSED' });

const aboutVoyage = {
  rule: 'voyage-on-bookings',
  root: keyIn(aVoyage()),
  cause: 'changed',
  attempts: 0,
} as const;
const aboutTicket = {
  rule: 'ticket-on-guest-ticket',
  root: keyIn(aTicket()),
  cause: 'changed',
  attempts: 0,
} as const;

describe('named copies', () => {
  test('are read at most a page at a time', async () => {
    const worker = workerOver([closed, ...bookings], { pageLimit: 2 });

    await propagateMessage(worker.context, { ...aboutVoyage, copies: named });

    expect(spent(worker)).toEqual({ getMany: 1, get: 1, update: 1, itemsRead: 3, itemsWritten: 2 });
    expect(worker.queue.sent).toMatchObject([{ message: { copies: named.slice(2) } }]);
  });

  test('that exactly fill a page leave nothing to requeue', async () => {
    const worker = workerOver([closed, ...bookings], { pageLimit: guests.length });

    await propagateMessage(worker.context, { ...aboutVoyage, copies: named });

    expect(spent(worker)).toMatchObject({ getMany: 1, itemsWritten: guests.length });
    expect(worker.queue.sent).toEqual([]);
  });

  test('are read page by page', async () => {
    const worker = workerOver([closed, ...bookings], { pageLimit: 2 });

    const pages: (readonly (string | undefined)[])[] = [];
    for await (const { copies } of pagesOf(worker.context, voyageOnBookings, {
      ...aboutVoyage,
      copies: named,
    }))
      pages.push(copies.map(({ Sort }) => text(Sort)));

    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('cost no request if the list is empty', async () => {
    const worker = workerOver([closed]);

    await propagateMessage(worker.context, { ...aboutVoyage, copies: [] });

    expect(spent(worker)).toEqual({});
  });
});

describe('copies at keys', () => {
  test('of several locations are read in one request', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.put(aTicket({ GuestId: '44' }));

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ getMany: 1, get: 1, itemsRemoved: 1 });
  });

  test('are found by an older message, of another kind of location, only if it names keys', async () => {
    const worker = workerOver([aTicket({ Price: 1 }), aGuestTicket()]);
    const here = { in: 'key', ...keyIn(aGuestTicket()) } as const;

    await propagateMessage(worker.context, {
      ...aboutTicket,
      locations: [{ in: 'partition', pk: 'GUEST#42' }],
    });
    expect(spent(worker)).toEqual({});
    await propagateMessage(worker.context, {
      ...aboutTicket,
      locations: [{ in: 'partition', pk: 'GUEST#42' }, here],
    });

    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
    expect(spent(worker)).toMatchObject({ getMany: 1, itemsWritten: 1 });
  });
});

describe('copies in a partition', () => {
  test('are found by an older message with a key as location', async () => {
    const worker = workerOver([closed, aBooking('a'), aBooking('b')]);

    await propagateMessage(worker.context, {
      ...aboutVoyage,
      locations: [{ in: 'key', ...keyIn(aBooking('a')) }],
    });

    expect(worker.table.read(keyIn(aBooking('a')))).toMatchObject({ State: { S: 'CLOSED' } });
    expect(spent(worker)).toEqual({ getMany: 1, get: 1, update: 1, itemsRead: 2, itemsWritten: 1 });
  });

  test('are queried without a cursor from the start, even if the message names the start', async () => {
    const worker = workerOver([closed, ...bookings], { pageLimit: 2 });
    const cursors = cursorsOf(worker);
    const message: Message = { ...aboutVoyage, locations: [bookingsOf('voyage_a')], cursor: {} };

    await propagateMessage(worker.context, message);
    await fanOutBatch(worker.context, worker.queue.take());

    expect(cursors).toEqual([undefined, { Part: 'line_1#voyage_a#bookings', Sort: 'b' }]);
  });

  test('are read in one propagation if the table returns less than a page at a time', async () => {
    const worker = workerOver([closed, ...bookings], { pageLimit: 3 });
    const query = worker.port.query.bind(worker.port);
    worker.port.query = (location, _limit, ...others) => query(location, 1, ...others);

    await propagateMessage(worker.context, aboutVoyage);

    expect(spent(worker)).toMatchObject({ queryPartition: 3, itemsWritten: 3 });
    expect(worker.queue.sent).toMatchObject([
      { message: { cursor: { Sort: 'c' }, locations: [bookingsOf('voyage_a')] } },
    ]);
  });

  test('of the next location are requeued from its start, wherever the previous one began', async () => {
    const worker = workerOver([closed, ...bookings]);
    const others = [bookingsOf('voyage_b')];
    worker.outOfTime = true;

    await propagateMessage(worker.context, {
      ...aboutVoyage,
      locations: [bookingsOf('voyage_a'), ...others],
      cursor: { Part: 'line_1#voyage_a#bookings', Sort: 'b' },
    });

    expect(worker.queue.sent).toMatchObject([
      { message: { locations: [bookingsOf('voyage_a'), ...others], at: 1 } },
    ]);
    expect(worker.queue.sent[0]?.message.cursor).toBeUndefined();
  });

  test('of several locations are read in one propagation, each from its start', async () => {
    const worker = workerOver([closed, ...bookings]);
    const cursors = cursorsOf(worker);

    await propagateMessage(worker.context, {
      ...aboutVoyage,
      locations: [bookingsOf('voyage_z'), bookingsOf('voyage_a')],
    });

    expect(cursors).toEqual([undefined, undefined]);
    expect(spent(worker)).toMatchObject({ queryPartition: 2, itemsWritten: guests.length });
    expect(worker.queue.sent).toEqual([]);
  });
});

function bookingsOf(voyage: string) {
  return { in: 'partition', pk: `line_1#${voyage}#bookings` } as const;
}

/** The cursors of a worker's queries, in order. */
function cursorsOf(worker: ModelWorker): (Cursor | undefined)[] {
  const cursors: (Cursor | undefined)[] = [];
  worker.port.before = (request) => {
    if (request.kind === 'queryPartition') cursors.push(request.from);
  };
  return cursors;
}
