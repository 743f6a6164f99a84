import { describe, expect, test } from 'vitest';
import type { Waiting } from '../../../src/develop/testing/table-model/model-queue.ts';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { text } from '../../../src/model/item.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import {
  about,
  afterClosing,
  keyIn,
  oneBatch,
  spent,
  workerOver,
} from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, refuse, throttle } from '../../fixtures/cruises/table-faults.ts';

const guests = Array.from({ length: 13 }, (_, index) => `guest-${String(index).padStart(2, '0')}`);
const crews = guests.map((guest) => aCrewing(guest));
const renamed = aSailor({ Name: 'Queequeg' });
const closed = aVoyage({ State: 'CLOSED' });

/** A worker with a sailor who has just got another name, and this crew. */
function afterRenaming(crew = crews, settings: Partial<Settings> = { pageLimit: 5 }): ModelWorker {
  const worker = workerOver([aSailor(), ...crew], settings);
  worker.table.put(renamed);
  return worker;
}

/** What the table says of an attribute of each booking. */
function bookings(worker: ModelWorker, name: string): unknown[] {
  return worker.table.partition('line_1#voyage_a#bookings').map((booking) => text(booking[name]));
}

/** The rechecks that were requested. A recheck of several pages continues without another request. */
function rechecks({ queue }: ModelWorker): Waiting[] {
  return queue.sent.filter(({ message }) => message.recheck === true && message.cursor === undefined);
}

describe('more copies than a page', () => {
  test('are updated page by page: the first page immediately, the rest through the queue', async () => {
    const worker = afterClosing(guests, { pageLimit: 5 });

    await oneBatch(worker);

    const page = { queryPartition: 1, get: 1, itemsWritten: 5 };
    const message = { cause: 'changed', cursor: { Sort: 'guest-04' }, attempts: 0 };
    expect(spent(worker)).toMatchObject(page);
    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 0, message }]);
    await fanOutBatch(worker.context, worker.queue.take());
    expect(spent(worker)).toMatchObject(page);
    await worker.rest();
    expect(spent(worker)).toMatchObject({ itemsWritten: 3 });
    expect(bookings(worker, 'State')).toEqual(guests.map(() => 'CLOSED'));
  });

  test('each get the root as it is after their page is read', async () => {
    const worker = afterClosing(guests, { pageLimit: 5 });
    await oneBatch(worker);
    worker.table.put(aVoyage({ State: 'GONE' }));

    await fanOutBatch(worker.context, worker.queue.take());

    const five = Array.from({ length: 5 });
    expect(bookings(worker, 'State').slice(0, 10)).toEqual([
      ...five.fill('CLOSED'),
      ...Array(5).fill('GONE'),
    ]);
    await worker.rest();
    expect(bookings(worker, 'State')).toEqual(guests.map(() => 'GONE'));
  });

  test('are updated in parts as well if a message names them', async () => {
    const worker = workerOver([closed, ...guests.map((guest) => aBooking(guest))], { pageLimit: 5 });
    const copies = guests.map((guest) => keyIn(aBooking(guest)));

    await propagateMessage(worker.context, about('voyage-on-bookings', closed, { copies, attempts: 4 }));

    expect(worker.queue.sent).toMatchObject([{ message: { copies: copies.slice(5), attempts: 0 } }]);
    await worker.rest();
    expect(spent(worker)).toMatchObject({ itemsWritten: 13 });
  });

  test('converge in a partition of 5,000, and the worker’s own writes cause no further writes', async () => {
    const worker = afterClosing(Array.from({ length: 5000 }, (_, index) => `guest-${index}`));

    await worker.rest(1000);

    expect(worker.port.counts).toMatchObject({ itemsWritten: 5000, itemsLost: 0, queryPartition: 11 });
    expect(new Set(bookings(worker, 'OwnerSort'))).toEqual(new Set(['CLOSED#100']));
  });

  test('are split to fit into queue messages if their keys are long', async () => {
    const copies = Array.from({ length: 400 }, (_, index) => {
      return { pk: 'line_1#voyage_a#bookings', sk: `${'x'.repeat(900)}${index}` };
    });
    const worker = workerOver([aVoyage()]);
    worker.outOfTime = true;

    await worker.queue.send([about('voyage-on-bookings', aVoyage(), { copies })]);
    await fanOutBatch(worker.context, worker.queue.take());

    const parts = worker.queue.sent.slice(1).map(({ message }) => message);
    expect(Math.max(...parts.map((part) => JSON.stringify(part).length))).toBeLessThanOrEqual(100_000);
    expect(parts.flatMap((part) => part.copies)).toEqual(copies);
  });
});

describe('a message', () => {
  test.each([
    ['no JSON', '{'],
    ['another JSON', '[]'],
    ['no root', '{"rule":"x","cause":"changed","attempts":0}'],
  ])('with %s stays in the queue, which alone keeps it; the others are processed', async (_, body) => {
    const worker = workerOver([closed, aBooking('g')]);
    await worker.queue.send([about('voyage-on-bookings', closed, { cause: 'repair' })]);

    const failed = await fanOutBatch(worker.context, [{ id: 'm-1', body }, ...worker.queue.take()]);

    expect([...failed]).toEqual([['m-1', expect.objectContaining({ code: 'message.unreadable' })]]);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(bookings(worker, 'State')).toEqual(['CLOSED']);
  });

  test('for an unknown rule is dead-lettered', async () => {
    const worker = workerOver([]);

    await propagateMessage(worker.context, about('gone', aVoyage()));

    const reason = 'No enabled rule is called gone';
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', reason, message: { rule: 'gone' } },
    ]);
  });

  test('for an index that the table has no more is dead-lettered', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    const locations = [{ in: 'index', index: 'ByMoon', pk: 'SAILOR#1' } as const];
    const message = about('name-on-crew', aSailor(), { cause: 'deleted', locations });
    await worker.queue.send([message]);

    expect([...(await fanOutBatch(worker.context, worker.queue.take()))]).toEqual([]);

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'index.unknown', message }]);
  });

  test('without locations finds the copies by the root, and none if that does not exist', async () => {
    for (const [items, counts] of [
      [[closed, aBooking('g')], { written: 1 }],
      [[aBooking('g')], { written: 0, removed: 0, orphans: 0, deadLettered: 0 }],
    ] as const) {
      const worker = workerOver(items);

      const report = await propagateMessage(worker.context, about('voyage-on-bookings', aVoyage()));

      expect(report).toMatchObject(counts);
    }
  });

  test('is requeued unchanged if the invocation is about to end', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    const message = about('voyage-on-bookings', aVoyage(), { cause: 'repair', attempts: 3 });
    worker.outOfTime = true;

    await worker.queue.send([message]);
    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)?.message).toEqual(message);
  });

  test('that the table denies is delivered again alone, and what the others requeued stays', async () => {
    const worker = workerOver([closed, aBooking('f'), aBooking('g'), aTicket()], { pageLimit: 1 });
    await worker.queue.send([
      about('voyage-on-bookings', closed),
      about('ticket-on-guest-ticket', aTicket()),
    ]);
    refuse(worker, ['getMany'], new FatalError('aws.denied', 'was denied'));

    const failed = await fanOutBatch(worker.context, worker.queue.take());

    expect([...failed.keys()]).toEqual(['message-2']);
    expect(worker.queue.sent.slice(2)).toMatchObject([{ message: { cursor: { Sort: 'f' } } }]);
  });

  test('that the table denies fails the batch if it is the only one', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    await worker.queue.send([about('voyage-on-bookings', aVoyage())]);
    refuse(worker, ['get'], new FatalError('aws.not-found', 'no such table'));

    const error = { code: 'aws.not-found' };
    await expect(fanOutBatch(worker.context, worker.queue.take())).rejects.toMatchObject(error);
    expect(worker.queue.deadLettered).toEqual([]);
  });
});

describe('a fan-out over an index', () => {
  test('is rechecked once, however many pages it has', async () => {
    const worker = afterRenaming();

    await worker.rest();

    const locations = [{ in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' } as const];
    const message = about('name-on-crew', renamed, { locations, recheck: true });
    expect(rechecks(worker)).toEqual([{ id: expect.any(String), delaySeconds: 60, message }]);
    expect(worker.port.counts.itemsWritten).toBe(crews.length);
  });

  test('is rechecked by the delivery that works on its last page, so that the recheck does not overtake it', async () => {
    const worker = afterRenaming();
    const requested: number[] = [];

    await oneBatch(worker);
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      requested.push(rechecks(worker).length);
      await fanOutBatch(worker.context, worker.queue.take(0));
    }

    expect([requested, rechecks(worker).length]).toEqual([[0, 0, 1], 1]);
  });

  test('is rechecked if it was dead-lettered before its last page, once it has been redriven', async () => {
    const worker = afterRenaming(crews, { pageLimit: 5, maxUnavailableSeconds: 100 });
    await oneBatch(worker);
    const recover = throttle(worker, 'queryIndex');
    await worker.workOff(1000);
    recover();
    const deadLettered = worker.queue.deadLettered.flatMap(({ message }) => message ?? []);
    expect([deadLettered.length, rechecks(worker).length]).toEqual([1, 0]);

    await worker.queue.send(deadLettered);
    await worker.rest();

    expect([worker.port.counts.itemsWritten, rechecks(worker).length]).toEqual([crews.length, 1]);
  });

  test.each([
    ['its first page', 1],
    ['a later page', 2],
  ])('is rechecked once if %s was throttled', async (_, page) => {
    const worker = afterRenaming();
    throttleQuery(worker, page);

    await worker.rest();

    expect([worker.port.counts.itemsWritten, rechecks(worker).length]).toEqual([crews.length, 1]);
  });

  test('is rechecked once, in both locations, if the second was throttled', async () => {
    const [a, b] = [aCrewing('a', { OwnerPart: 'RANK#mate' }), aCrewing('b', { OwnerPart: 'RANK#captain' })];
    const worker = workerOver([aSailor(), a, b], {}, cruises(nameOnRankThat('keep', 'keep')));
    worker.table.put(aSailor({ Name: 'Queequeg', Rank: 'captain' }));
    throttleQuery(worker, 2);

    await worker.rest();

    const locations = [{ pk: 'RANK#mate' }, { pk: 'RANK#captain' }];
    expect(rechecks(worker)).toMatchObject([{ message: { locations } }]);
    expect(worker.table.read(keyIn(b))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('is rechecked even if it found nothing', async () => {
    const worker = afterRenaming([]);

    await oneBatch(worker);

    expect([spent(worker), rechecks(worker).length]).toEqual([{ queryIndex: 1 }, 1]);
  });

  test.each([
    ['delete', 'deleted'],
    ['expire', 'expired'],
  ] as const)('keeps the cause of a removal: %s', async (how, cause) => {
    const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('delete', 'delete')));
    worker.table[how](keyIn(aSailor()));

    await oneBatch(worker);

    expect(rechecks(worker)).toMatchObject([{ message: { cause, recheck: true } }]);
  });

  test('is not rechecked for a check, for a repair, or if the message names copies', async () => {
    const worker = workerOver([renamed, aCrewing('s')]);
    const copies = [keyIn(aCrewing('s'))];

    for (const more of [{ cause: 'check', copies }, { cause: 'repair' }, { copies }] as const)
      await propagateMessage(worker.context, about('name-on-crew', renamed, more));

    expect(worker.queue.sent).toEqual([]);
  });

  test('writes nothing if its copies are in the index but not in the table', async () => {
    const worker = workerOver([aSailor(), ...crews], { pageLimit: 5 });
    worker.table.indexes.lag = 1_000;
    for (const crew of crews) worker.table.delete(keyIn(crew));
    worker.table.put(renamed);

    await worker.rest();

    expect(worker.table.items()).toEqual([renamed]);
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });

  test('updates both of two locations, through the queue if they have more than a page', async () => {
    const crew = guests.map((ship, at) =>
      aCrewing(ship, { OwnerPart: `RANK#${at % 2 === 0 ? 'mate' : 'captain'}` }),
    );
    const worker = workerOver(
      [aSailor(), ...crew],
      { pageLimit: 3 },
      cruises(nameOnRankThat('delete', 'keep')),
    );
    worker.table.put(aSailor({ Name: 'Queequeg', Rank: 'captain' }));

    await worker.rest();

    const left = worker.table.items().filter((item) => 'SailorId' in item);
    expect(left.map(({ Name }) => Name)).toEqual(Array(6).fill({ S: 'Queequeg' }));
    expect(rechecks(worker)).toHaveLength(1);
  });
});

/** Throttles the query of an index with this number, from 1. */
function throttleQuery(worker: ModelWorker, throttled: number): void {
  let queries = 0;
  const count = () => {
    queries += 1;
    if (queries === throttled) throw new TransientError('aws.throttled', 'was throttled');
  };
  justBefore(worker, 'queryIndex', count, Number.POSITIVE_INFINITY);
}
