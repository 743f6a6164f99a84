import { describe, expect, test } from 'vitest';
import type { Waiting } from '../../../src/develop/testing/table-model/model-queue.ts';
import { TransientError } from '../../../src/model/errors.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { afterClosing, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const guests = Array.from({ length: 13 }, (_, index) => `guest-${String(index).padStart(2, '0')}`);
const ships = guests.map((guest) => guest.replace('guest', 'ship'));

describe('more copies than a page', () => {
  test('are updated page by page: the first page immediately, the rest through the queue', async () => {
    const worker = afterClosing(guests, { pageLimit: 5 });

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

  test('each get the root as it is after their page is read', async () => {
    const worker = afterClosing(guests, { pageLimit: 5 });
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

  test('are updated in parts as well if a message names them', async () => {
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

  test('converge in a partition of 5,000, and the worker’s own writes cause no further writes', async () => {
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

  test('do not stop at items that are not copies', async () => {
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

describe('a message without locations or copies', () => {
  test('locates the copies by the root', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);

    await propagateMessage(worker.context, {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'repair',
      attempts: 0,
    });

    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('does nothing if the root does not exist', async () => {
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

  test('is dead-lettered if the root was removed and its last image did not locate its copies', async () => {
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
  test('is rechecked once, however many pages it has', async () => {
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

  test('is rechecked by the delivery that works on its last page, so that the recheck does not overtake it', async () => {
    const worker = workerOver([aSailor(), ...ships.map((ship) => aCrewing(ship))], { pageLimit: 5 });
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    const rechecks: number[] = [];

    await oneBatch(worker);
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      rechecks.push(rechecking(worker.queue.sent).length);
      await fanOutBatch(worker.context, worker.queue.take(0));
    }

    expect(rechecks).toEqual([0, 0, 1]);
    expect(rechecking(worker.queue.sent)).toHaveLength(1);
  });

  test('is rechecked if it was dead-lettered before its last page, once it has been redriven', async () => {
    const settings = { pageLimit: 5, maxUnavailableSeconds: 100 };
    const worker = workerOver([aSailor(), ...ships.map((ship) => aCrewing(ship))], settings);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    await oneBatch(worker);
    worker.port.before = () => {
      throw unavailable();
    };
    await worker.workOff(1000);
    worker.port.before = () => {};
    const deadLettered = worker.queue.deadLettered.flatMap(({ message }) => message ?? []);
    expect([deadLettered.length, rechecking(worker.queue.sent).length]).toEqual([1, 0]);

    await worker.queue.send(deadLettered);
    await worker.rest();

    expect(rechecking(worker.queue.sent)).toHaveLength(1);
    expect(worker.port.counts.itemsWritten).toBe(ships.length);
  });

  test('finds a copy at the recheck that was not in the index before', async () => {
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

  test('is requeued after a page of keys whose items are gone', async () => {
    const worker = workerOver([aSailor(), ...ships.map((ship) => aCrewing(ship))], { pageLimit: 5 });
    worker.table.indexes.lag = 1_000;
    for (const ship of ships) worker.table.delete(keyIn(aCrewing(ship)));
    worker.stream.take();
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ queryIndex: 1 });
  });

  test('is rechecked even if it found nothing', async () => {
    const worker = workerOver([aSailor()]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await oneBatch(worker);

    expect(rechecking(worker.queue.sent)).toHaveLength(1);
    expect(spent(worker)).toEqual({ queryIndex: 1 });
  });

  test.each(['deleted', 'expired'] as const)('keeps the cause of a removal: %s', async (cause) => {
    const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('delete', 'delete')));
    if (cause === 'deleted') worker.table.delete(keyIn(aSailor()));
    else worker.table.expire(keyIn(aSailor()));

    await oneBatch(worker);

    expect(rechecking(worker.queue.sent)).toMatchObject([{ message: { cause, recheck: true } }]);
  });

  test('is not rechecked for a check, for a repair, or if the message names copies', async () => {
    const worker = workerOver([aSailor({ Name: 'Queequeg' }), aCrewing('s')]);
    const message = { rule: 'name-on-crew', root: keyIn(aSailor()), attempts: 0 } as const;

    await propagateMessage(worker.context, { ...message, cause: 'check', copies: [keyIn(aCrewing('s'))] });
    await propagateMessage(worker.context, { ...message, cause: 'repair' });
    await propagateMessage(worker.context, { ...message, cause: 'changed', copies: [keyIn(aCrewing('s'))] });

    expect(worker.queue.sent).toEqual([]);
  });

  test('is not rechecked if the copies are in a partition of the table', async () => {
    const worker = afterClosing(['g']);

    await worker.rest();

    expect(rechecking(worker.queue.sent)).toEqual([]);
  });

  test('is rechecked once if its first page was throttled, by the propagation that succeeds', async () => {
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

  test('is rechecked once if a later page was throttled', async () => {
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

  test('is rechecked once, in both locations, if the second was throttled', async () => {
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

  test('writes nothing if its copies are in the index but not in the table', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.indexes.lag = 1_000;
    worker.table.delete(keyIn(aCrewing('s')));
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await worker.rest();

    expect(worker.table.read(keyIn(aCrewing('s')))).toBeUndefined();
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });

  test('updates both of two locations, through the queue if they have more than a page', async () => {
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
  test('is split to fit into queue messages', async () => {
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
    expect(Math.max(...parts.map((part) => JSON.stringify(part).length))).toBeLessThanOrEqual(100_000);
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
