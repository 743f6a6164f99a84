import { describe, expect, test } from 'vitest';
import { TransientError } from '../../src/model/errors.ts';
import { fanOutBatch, propagateMessage } from '../../src/propagation/fan-out-batch.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat, nameOnRankThat } from '../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../fixtures/cruises/cruise-worker.ts';
import type { Waiting } from '../table-model/model-queue.ts';

const guests = Array.from({ length: 13 }, (_, index) => `guest-${String(index).padStart(2, '0')}`);
const ships = guests.map((guest) => guest.replace('guest', 'ship'));

describe('more copies than a page', () => {
  test('are visited a page at a time: the first at once, the rest through the queue', async () => {
    const worker = workerOver([aVoyage(), ...guests.map((guest) => aBooking(guest))], { pageLimit: 5 });
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ queryPartition: 1, get: 1, itemsWritten: 5 });
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 0, message: { cause: 'changed', cursor: { Sort: 'guest-04' }, attempts: 0 } },
    ]);
    await fanOutBatch(worker.context, worker.queue.take());
    expect(spent(worker)).toMatchObject({ queryPartition: 1, get: 1, itemsWritten: 5 });
    await worker.rest();
    expect(spent(worker)).toMatchObject({ itemsWritten: 3 });
    expect(worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => State)).toEqual(
      guests.map(() => ({ S: 'CLOSED' })),
    );
  });

  test('each get the root as it is when their page is read', async () => {
    const worker = workerOver([aVoyage(), ...guests.map((guest) => aBooking(guest))], { pageLimit: 5 });
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    await oneBatch(worker);
    worker.table.put(aVoyage({ State: 'GONE' }));

    await fanOutBatch(worker.context, worker.queue.take());

    const states = worker.table.partition('line_1#voyage_a#bookings').map(({ OwnerSort }) => OwnerSort);
    expect(states.slice(0, 10)).toEqual([
      ...Array.from({ length: 5 }, () => ({ S: 'CLOSED#100' })),
      ...Array.from({ length: 5 }, () => ({ S: 'GONE#100' })),
    ]);
    await worker.rest();
    expect(
      new Set(worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => JSON.stringify(State))),
    ).toEqual(new Set(['{"S":"GONE"}']));
  });

  test('named one by one are visited in parts as well', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), ...guests.map((guest) => aBooking(guest))], {
      pageLimit: 5,
    });
    const copies = guests.map((guest) => keyIn(aBooking(guest)));

    await propagateMessage(worker.context, {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'check',
      copies,
      attempts: 4,
    });

    expect(worker.queue.sent).toMatchObject([{ message: { copies: copies.slice(5), attempts: 0 } }]);
    await worker.rest();
    expect(spent(worker)).toMatchObject({ itemsWritten: 13 });
  });

  test('converge from a partition of 5,000, and the worker’s own writes cost nothing more', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => aBooking(`guest-${index}`));
    const worker = workerOver([aVoyage(), ...many]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await worker.rest(1000);

    expect(worker.port.counts).toMatchObject({ itemsWritten: 5000, itemsLost: 0, queryPartition: 11 });
    expect(
      worker.table
        .partition('line_1#voyage_a#bookings')
        .every(({ OwnerSort }) => JSON.stringify(OwnerSort) === '{"S":"CLOSED#100"}'),
    ).toBe(true);
  });

  test('that are no copies do not stop the pages', async () => {
    const strangers = guests.map((guest) =>
      aBooking(guest, { Part: 'line_1#voyages', Sort: `voyage_${guest}` }),
    );
    const worker = workerOver([...strangers, aVoyage()], { pageLimit: 3 });
    worker.table.put({ Part: { S: 'line_1#fleet' }, Sort: { S: 'fleet' }, Brand: { S: 'Cunard' } });

    await worker.rest();

    expect(
      worker.table
        .partition('line_1#voyages')
        .every(({ Brand }) => JSON.stringify(Brand) === '{"S":"Cunard"}'),
    ).toBe(true);
  });
});

describe('a message without places or copies', () => {
  test('asks the root where its copies stand', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);

    await propagateMessage(worker.context, {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'repair',
      attempts: 0,
    });

    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('of a root that is not there does nothing', async () => {
    const worker = workerOver([aBooking('g')]);

    const report = await propagateMessage(worker.context, {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'repair',
      attempts: 0,
    });

    expect(report).toMatchObject({ written: 0, removed: 0, orphans: 0 });
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('of a removed root whose last image did not place its copies is dead-lettered: nobody can find them', async () => {
    const worker = workerOver([]);

    await propagateMessage(worker.context, {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'deleted',
      attempts: 0,
    });

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'root.unlocatable', message: { cause: 'deleted' } },
    ]);
  });
});

describe('a fan-out over an index', () => {
  test('is looked at again once, however many pages it has', async () => {
    const worker = workerOver([aSailor(), ...ships.map((ship) => aCrewing(ship))], { pageLimit: 5 });
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toEqual([
      {
        id: expect.any(String),
        delaySeconds: 60,
        message: {
          rule: 'name-on-crew',
          root: keyIn(aSailor()),
          cause: 'changed',
          locations: [{ in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' }],
          recheck: true,
          attempts: 0,
        },
      },
    ]);
    expect(worker.telemetry.propagations.filter(({ recheck }) => recheck).length).toBeGreaterThanOrEqual(1);
    expect(worker.port.counts.itemsWritten).toBe(ships.length);
  });

  test('finds at the second look the copy that was not on the index at the first', async () => {
    const worker = workerOver([aSailor()]);
    worker.table.indexes.lag = 1;
    worker.table.put(aCrewing('late'));
    worker.stream.take();
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    await oneBatch(worker);
    expect(worker.table.read(keyIn(aCrewing('late')))).toMatchObject({ Name: { S: 'Ishmael' } });

    worker.table.indexes.catchUp();
    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.table.read(keyIn(aCrewing('late')))).toMatchObject({ Name: { S: 'Queequeg' } });
    expect(rechecking(worker.queue.sent)).toHaveLength(1);
  });

  test('that found nothing is looked at again as well', async () => {
    const worker = workerOver([aSailor()]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await oneBatch(worker);

    expect(rechecking(worker.queue.sent)).toHaveLength(1);
    expect(spent(worker)).toEqual({ queryIndex: 1 });
  });

  test.each(['deleted', 'expired'] as const)(
    'caused by a removal carries its cause on: %s',
    async (cause) => {
      const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('delete', 'delete')));
      if (cause === 'deleted') worker.table.delete(keyIn(aSailor()));
      else worker.table.expire(keyIn(aSailor()));

      await oneBatch(worker);

      expect(rechecking(worker.queue.sent)).toMatchObject([{ message: { cause, recheck: true } }]);
    },
  );

  test('is not looked at again for a check, for a repair, or where copies are named', async () => {
    const worker = workerOver([aSailor({ Name: 'Queequeg' }), aCrewing('s')]);
    const message = { rule: 'name-on-crew', root: keyIn(aSailor()), attempts: 0 } as const;

    await propagateMessage(worker.context, { ...message, cause: 'check', copies: [keyIn(aCrewing('s'))] });
    await propagateMessage(worker.context, { ...message, cause: 'repair' });
    await propagateMessage(worker.context, { ...message, cause: 'changed', copies: [keyIn(aCrewing('s'))] });

    expect(worker.queue.sent).toEqual([]);
  });

  test('is not looked at again where copies stand in the table', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toEqual([]);
  });

  test('that was throttled at its first page is looked at again once, by the propagation that gets through', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    let refusals = 2;
    worker.port.before = ({ kind }) => {
      if (kind !== 'queryIndex' || refusals === 0) return;
      refusals -= 1;
      throw unavailable();
    };

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toHaveLength(1);
    expect(worker.table.read(keyIn(aCrewing('s')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('that was throttled at a later page is looked at again once', async () => {
    const worker = workerOver([aSailor(), ...ships.map((ship) => aCrewing(ship))], { pageLimit: 5 });
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    let queries = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'queryIndex') return;
      queries += 1;
      if (queries === 2) throw unavailable();
    };

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toHaveLength(1);
    expect(worker.port.counts.itemsWritten).toBe(ships.length);
  });

  test('that was throttled at its second place is looked at again once, at both', async () => {
    const worker = workerOver(
      [aSailor(), aCrewing('a', { OwnerPart: 'RANK#mate' }), aCrewing('b', { OwnerPart: 'RANK#captain' })],
      {},
      cruises(nameOnRankThat('keep', 'keep')),
    );
    worker.table.put(aSailor({ Name: 'Queequeg', Rank: 'captain' }));
    let queries = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'queryIndex') return;
      queries += 1;
      if (queries === 2) throw unavailable();
    };

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toMatchObject([
      { message: { locations: [{ pk: 'RANK#mate' }, { pk: 'RANK#captain' }] } },
    ]);
    expect(worker.table.read(keyIn(aCrewing('b')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('whose copies are gone from the table though not from the index writes nothing', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.indexes.lag = 1_000;
    worker.table.delete(keyIn(aCrewing('s')));
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await worker.rest();

    expect(worker.table.read(keyIn(aCrewing('s')))).toBeUndefined();
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });

  test('over two places visits both, through the queue where they are more than a page', async () => {
    const at = (ship: string, rank: string) => aCrewing(ship, { OwnerPart: `RANK#${rank}` });
    const worker = workerOver(
      [aSailor(), ...ships.map((ship, index) => at(ship, index % 2 === 0 ? 'mate' : 'captain'))],
      { pageLimit: 3 },
      cruises(nameOnRankThat('delete', 'keep')),
    );
    worker.table.put(aSailor({ Name: 'Queequeg', Rank: 'captain' }));

    await worker.rest();

    const left = worker.table.items().filter((item) => 'SailorId' in item);
    expect(left).toHaveLength(6);
    expect(left.every(({ Name }) => JSON.stringify(Name) === '{"S":"Queequeg"}')).toBe(true);
    expect(rechecking(worker.queue.sent)).toHaveLength(1);
  });
});

describe('a message with very many copies', () => {
  test('is split to what a queue carries', async () => {
    const long = 'x'.repeat(900);
    const copies = Array.from({ length: 400 }, (_, index) => ({
      pk: 'line_1#voyage_a#bookings',
      sk: `${long}${index}`,
    }));
    const worker = workerOver([aVoyage()], { pageLimit: 500 });
    worker.outOfTime = true;
    await worker.queue.send([
      { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'check', copies, attempts: 0 },
    ]);

    await fanOutBatch(worker.context, worker.queue.take());

    const parts = worker.queue.sent.slice(1).map(({ message }) => message);
    expect(parts.length).toBeGreaterThan(1);
    const bytes = parts.map(({ copies = [] }) =>
      copies.reduce((sum, key) => sum + JSON.stringify(key).length, 0),
    );
    expect(Math.max(...bytes)).toBeLessThanOrEqual(90_000);
    expect(parts.flatMap((part) => part.copies)).toEqual(copies);
  });
});

/** The rechecks that were requested. A recheck of several pages continues without another request. */
function rechecking(sent: readonly Waiting[]): Waiting[] {
  return sent.filter(({ message }) => message.recheck === true && message.cursor === undefined);
}

function unavailable(): TransientError {
  return new TransientError('aws.throttled', 'was throttled');
}
