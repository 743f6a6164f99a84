import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import { text } from '../../../src/model/items/item.ts';
import type { ModelWorker, Waiting } from '../../../src/testing/table-model/model-worker.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { about, keyIn, oneBatch, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { refuse, throttle } from '../../fixtures/cruises/table-faults.ts';
import { aClub, clubTotals, league } from '../../fixtures/league/league.ts';

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
  return worker.table.partition('line_1#voyage_a#bookings').map(({ item }) => text(item[name]));
}

/** The rechecks that were requested. A recheck of several pages continues without another request. */
function rechecks({ queue }: ModelWorker): Waiting[] {
  return queue.sent.filter(({ message }) => message.recheck === true && message.cursor === undefined);
}

describe('a message', () => {
  test.each([
    ['no JSON', '{'],
    ['another JSON', '[]'],
    ['no root', '{"rule":"x","cause":"changed","attempts":0}'],
  ])('with %s stays in the queue, which alone keeps it; the others are processed', async (_, body) => {
    const worker = workerOver([closed, aBooking('g')]);
    await worker.queue.send([about('voyage-on-bookings', closed, { cause: 'repair' })]);

    const failed = await fanOutBatch(worker.context, [{ id: 'm-1', body }, ...worker.queue.take()]);

    const message = expect.stringContaining('Expected message m-1 to have a rule, a root and a cause');
    expect([...failed]).toEqual([['m-1', expect.objectContaining({ code: 'message.unreadable', message })]]);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(bookings(worker, 'State')).toEqual(['CLOSED']);
  });

  test('for an unknown rule is dead-lettered', async () => {
    const worker = workerOver([]);

    await propagate(worker.context, about('gone', aVoyage()));

    const reason = 'No enabled rule is called gone';
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', reason, message: { rule: 'gone' } },
    ]);
  });

  test('for a rule whose name an aggregate has now is dead-lettered', async () => {
    const worker = workerOver([aClub('ajax')], {}, league());
    const locations = [{ in: 'partition', pk: 'CLUB#ajax' } as const];

    await propagate(worker.context, about(clubTotals.name, aClub('ajax'), { cause: 'deleted', locations }));

    const reason = expect.stringContaining('is another one now');
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'rule.unknown', reason }]);
  });

  test('for an index that the table has no more is dead-lettered', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    const locations = [{ in: 'index', index: 'ByMoon', pk: 'SAILOR#1' } as const];
    const message = about('name-on-crew', aSailor(), { cause: 'deleted', locations });
    await worker.queue.send([message]);

    expect([...(await fanOutBatch(worker.context, worker.queue.take()))]).toEqual([]);

    const reason = 'The table has no index called ByMoon';
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'index.unknown', reason, message }]);
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

  test('is rechecked although one of its copies is requeued, without a pace', async () => {
    const worker = afterRenaming(crews, { fanOutWriteUnits: 800, pacedWrites: 1 });
    worker.port.answer = ({ pk }, outcome) => (pk === 'SHIP#guest-00' ? 'unavailable' : outcome);

    await oneBatch(worker);

    const [{ message } = expect.fail('no recheck'), ...others] = rechecks(worker);
    expect([others, message.pace]).toEqual([[], undefined]);
    expect(worker.queue.sent.map(({ message: { copies } }) => copies)).toContainEqual([
      keyIn(aCrewing('guest-00')),
    ]);
    expect(worker.telemetry.propagations).toMatchObject([{ requeued: 1, pace: { unitsPerSecond: 800 } }]);
  });

  test('is not rechecked for a check, for a repair, or if the message names copies', async () => {
    const worker = workerOver([renamed, aCrewing('s')]);
    const copies = [keyIn(aCrewing('s'))];

    for (const more of [{ cause: 'check', copies }, { cause: 'repair' }, { copies }] as const)
      await propagate(worker.context, about('name-on-crew', renamed, more));

    expect(worker.queue.sent).toEqual([]);
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
