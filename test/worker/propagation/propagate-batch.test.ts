import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { TableRequest } from '../../../src/testing/table-model/model-table-port.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { onBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { refuse, throttle } from '../../fixtures/cruises/table-faults.ts';
import { table } from '../../fixtures/model/table.ts';

const g = keyIn(aBooking('g'));
const hundred = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
const bookings = hundred.map((guest) => aBooking(guest));
const crews = hundred.map((ship) => aCrewing(ship));
const closed = aVoyage({ State: 'CLOSED' });
const renamed = aSailor({ Name: 'Queequeg' });

/** The requests of one propagation that writes every booking. */
const allCopies = { queryPartition: 1, get: 1, update: 1, itemsRead: 101, itemsWritten: 100 };

describe('the cost', () => {
  test.each([
    ['is right', aVoyage(), aBooking('g')],
    ['its root places elsewhere', aSailor(), aCrewing('s', { OwnerPart: 'SAILOR#2' })],
  ])('of the record of a copy that %s is one root read', async (_, root, copy) => {
    const worker = workerOver([root]);
    worker.table.put(copy);

    await oneBatch(worker);

    expect([spent(worker), worker.telemetry.propagations]).toEqual([{ getMany: 1, itemsRead: 1 }, []]);
  });

  test('of 100 copies in a partition that all differ is one query, one root read and 100 writes', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.queue.sent).toEqual([]);
  });

  test('of 100 copies in an index is an index query, a batch read, a root read, 100 writes and a recheck', async () => {
    const worker = workerOver([aSailor(), ...crews]);
    worker.table.put(renamed);

    await oneBatch(worker);

    const requests = { queryIndex: 1, getMany: 1, get: 1, update: 1 };
    expect(spent(worker)).toEqual({ ...requests, itemsRead: 201, itemsWritten: 100 });
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 60, message: { recheck: true, cause: 'changed' } },
    ]);
  });

  test('of a root and its copies in one batch is that of the propagation, which also checks the copies', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);
    for (const guest of hundred.slice(0, 5)) worker.table.put(aBooking(guest, { State: 'MEDDLED' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'changed', written: 100, lost: 0 }]);
  });

  test('is nothing if no copied attribute changes and no copy moves', async () => {
    const worker = workerOver([aVoyage(), aSailor(), ...bookings, ...crews]);
    worker.table.put(aSailor({ Rank: 'captain' }));
    worker.table.put(aVoyage({ EndsAt: 9, StatePart: 'x', StateSort: 'y' }));
    worker.table.update(keyIn(aBooking('000')), { set: { Cabin: { S: 'another' } } });
    worker.table.update(keyIn(aCrewing('000')), { set: { Duty: { S: 'cook' } } });
    worker.table.delete(keyIn(aCrewing('001')));

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect([spent(worker), worker.queue.sent]).toEqual([{}, []]);
  });

  test('of 50 changes of one root in a batch is one propagation of its last state', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    for (let change = 1; change <= 50; change += 1)
      worker.table.put(aVoyage({ Captain: `captain ${change}` }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toHaveLength(1);
    expect(worker.table.read(keyIn(aBooking('000')))).toMatchObject({ Captain: { S: 'captain 50' } });
  });

  test('of the records of its own 100 writes is one root read', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);
    await oneBatch(worker);
    spent(worker);

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 1, itemsRead: 1 });
    expect(worker.telemetry.checks).toEqual([{ copies: 100, differing: 0, orphans: 0 }]);
    expect(worker.stream.take()).toEqual([]);
  });
});

describe('a copy whose root matches in the same batch', () => {
  test('is still checked if another rule matches', async () => {
    const worker = workerOver(
      [aVoyage(), aBooking('g')],
      {},
      makeRegistry(table, [onBookings('State'), onBookings('Captain')]),
    );
    worker.table.put(aVoyage({ Captain: 'Nemo' }));
    worker.table.update(g, { set: { State: { S: 'MEDDLED' } } });

    await oneBatch(worker);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' }, Captain: { S: 'Nemo' } });
  });

  test('is still checked if an index locates it', async () => {
    const worker = workerOver([aSailor(), ...crews.slice(0, 3)]);
    worker.table.put(renamed);
    worker.table.put(aCrewing('900', { Name: 'Ishmael' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations.map(({ cause }) => cause).sort()).toEqual(['changed', 'check']);
  });

  test('is checked if no record of its root locates the copies', async () => {
    const worker = workerOver([aTicket({ GuestId: undefined })]);
    worker.table.put(aTicket({ GuestId: undefined, Price: 1 }));
    worker.table.put(aGuestTicket());

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect(worker.telemetry.checks).toMatchObject([{ copies: 1 }]);
  });

  test('is not checked if it is in a location of a root that moves', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.put(aGuestTicket({ Part: 'GUEST#43', Price: 1 }));

    await oneBatch(worker);

    const ofTicket = worker.telemetry.propagations.filter(({ rule }) => rule === 'ticket-on-guest-ticket');
    expect(ofTicket).toMatchObject([{ cause: 'changed', written: 1 }]);
    expect(worker.telemetry.checks).toEqual([]);
  });
});

describe('a batch', () => {
  test('dead-letters an invalid record with what is known of it, and processes the others', async () => {
    const worker = withTwoRoots(closed);
    const invalid = { id: '7', says: { unreadable: 'Expected the keys', record: 'event-7' } };

    expect([...(await propagateBatch(worker.context, [invalid, ...worker.stream.take()]))]).toEqual([]);

    expect(worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });

  test('fails a record alone if a rule fails unexpectedly on it', async () => {
    const worker = withTwoRoots(closed);
    const impossible = {
      get Part(): never {
        throw new TypeError('x');
      },
    };
    const change = {
      key: keyIn(aVoyage()),
      before: undefined,
      after: impossible,
      sequence: 1n,
      expired: false,
      at: 0,
    };

    const failed = await propagateBatch(worker.context, [
      { id: 'poison', says: change },
      ...worker.stream.take().slice(1),
    ]);

    expect([...failed.keys()]).toEqual(['poison']);
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });

  test.each<[TableRequest['kind'], Item]>([
    ['queryPartition', closed],
    ['get', closed],
    ['update', closed],
    ['getMany', aBooking('g', { State: 'stale' })],
    ['queryIndex', renamed],
    ['remove', aTicket({ GuestId: 'x' })],
  ])(
    'fails if the table denies access at %s, and nothing is dead-lettered or queued',
    async (kind, change) => {
      const worker = workerOver([
        aVoyage(),
        aBooking('g'),
        aSailor(),
        aCrewing('s'),
        aTicket(),
        aGuestTicket(),
      ]);
      worker.table.put(change);
      refuse(worker, [kind], new FatalError('aws.denied', 'was denied'));

      await expect(oneBatch(worker)).rejects.toMatchObject({ name: 'FatalError', code: 'aws.denied' });

      expect([worker.queue.deadLettered, worker.queue.sent]).toEqual([[], []]);
    },
  );
});

describe('a queue that refuses', () => {
  const bookingsOfTwo = [aBooking('f', { State: 'stale' }), aBooking('g', { State: 'stale' })];

  test.each<[string, readonly Item[], readonly Item[], TableRequest['kind'] | undefined, number]>([
    ['whose recheck it refused', [aSailor(), aCrewing('s')], [renamed], undefined, 1],
    ['of an item whose propagation it refused', [aVoyage(), aBooking('g')], [closed, aVoyage()], 'get', 2],
    ['of the copies whose check it refused', [aVoyage()], bookingsOfTwo, 'getMany', 2],
    ['of the copies whose propagation it refused after their check', [aVoyage()], bookingsOfTwo, 'update', 2],
    ['that it could not dead-letter', [aBooking('g')], [aVoyage({ State: undefined })], undefined, 1],
  ])('causes another delivery of every record %s', async (_, items, changes, throttled, failed) => {
    const worker = workerOver(items);
    for (const change of changes) worker.table.put(change);
    if (throttled !== undefined) throttle(worker, throttled);
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(failed);
  });

  test('causes another delivery of an invalid record', async () => {
    const worker = workerOver([]);
    worker.queue.refusing = true;
    const invalid = { id: 'r', says: { unreadable: 'Expected both images', record: 'r' } };

    expect([...(await propagateBatch(worker.context, [invalid])).keys()]).toEqual(['r']);
  });
});

/** A worker with news of the voyage, and then of a ticket. */
function withTwoRoots(voyage: Item): ModelWorker {
  const worker = workerOver([aVoyage(), aBooking('g'), aTicket(), aGuestTicket()]);
  worker.table.put(voyage);
  worker.table.put(aTicket({ Price: 1 }));
  return worker;
}
