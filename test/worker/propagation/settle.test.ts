import { describe, expect, test } from 'vitest';
import type { WriteOutcome } from '../../../src/model/guarded-write.ts';
import type { Item } from '../../../src/model/item.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aBooking, aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import {
  about,
  afterClosing,
  keyIn,
  oneBatch,
  spent,
  workerOver,
} from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, throttle } from '../../fixtures/cruises/table-faults.ts';

const [f, g] = [keyIn(aBooking('f')), keyIn(aBooking('g'))];
const closed = aVoyage({ State: 'CLOSED' });

describe('a table that is throttled', () => {
  test.each(['queryPartition', 'get', 'update'] as const)(
    'at %s: the propagation is requeued with a delay, and its record is acknowledged',
    async (kind) => {
      const worker = afterClosing(['g']);
      const recover = throttle(worker, kind);

      expect([...(await oneBatch(worker))]).toEqual([]);

      const message = { rule: 'voyage-on-bookings', cause: 'changed', attempts: 0 };
      expect(worker.queue.sent).toMatchObject([
        { delaySeconds: 1, message: { ...message, unavailableSince: worker.time } },
      ]);
      expect(worker.telemetry.failures).toHaveLength(1);
      recover();
      await worker.rest();
      expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
      expect(worker.queue.deadLettered).toEqual([]);
    },
  );

  test('while copies are checked: the checks are requeued with their copies', async () => {
    const worker = workerOver([aVoyage()]);
    for (const guest of ['f', 'g']) worker.table.put(aBooking(guest, { State: 'stale' }));
    const recover = throttle(worker, 'getMany');

    expect([...(await oneBatch(worker))]).toEqual([]);

    const message = { cause: 'check', copies: [f, g], attempts: 0, unavailableSince: worker.time };
    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 1, message }]);
    recover();
    await worker.rest();
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' } });
  });

  test.each<WriteOutcome>(['unavailable', 'throttled'])(
    'at one copy (%s): only that copy is requeued',
    async (answer) => {
      const worker = afterClosing(['f', 'g']);
      worker.port.answer = (key, outcome) => (key.sk === 'g' ? answer : outcome);

      await oneBatch(worker);

      expect(worker.queue.sent).toMatchObject([
        { message: { copies: [g], attempts: 0, unavailableSince: worker.time } },
      ]);
      expect(worker.telemetry.propagations).toMatchObject([{ written: 1, lost: 0, requeued: 1 }]);
    },
  );

  test('after a write that succeeded: the retry writes nothing', async () => {
    const worker = afterClosing(['g']);
    worker.port.answer = () => 'unavailable';
    await oneBatch(worker);
    worker.port.answer = (_, outcome) => outcome;
    spent(worker);

    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('itemsWritten');
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('on a later page: the requeued message continues from the start of that page', async () => {
    const worker = afterClosing(['a', 'b', 'c', 'd'], { pageLimit: 2 });
    await oneBatch(worker);
    const recover = throttle(worker, 'get');

    await fanOutBatch(worker.context, worker.queue.take());

    const message = { cursor: { Sort: 'b' }, attempts: 0, unavailableSince: worker.time };
    expect(worker.queue.sent.at(-1)).toMatchObject({ message });
    recover();
    spent(worker);
    await fanOutBatch(worker.context, worker.queue.take());
    expect(spent(worker)).toMatchObject({ itemsWritten: 2 });
  });

  test('at one copy of a later page: the message names that copy, and the page is not repeated', async () => {
    const worker = afterClosing(['a', 'b', 'c', 'd'], { pageLimit: 2 });
    await oneBatch(worker);
    worker.port.answer = (key, outcome) => (key.sk === 'c' ? 'unavailable' : outcome);

    await fanOutBatch(worker.context, worker.queue.take());

    const named = worker.queue.sent.find(({ message }) => message.copies !== undefined)?.message;
    expect(named).toMatchObject({ copies: [{ sk: 'c' }], attempts: 0, unavailableSince: worker.time });
    expect(named).not.toHaveProperty('cursor');
  });

  test('for three hours: the delay grows each time, nothing is dead-lettered, and the copies converge', async () => {
    const worker = afterClosing(['g'], { maxAttempts: 2 });
    worker.table.put(aBooking('h', { State: 'stale' }));
    const recover = throttle(worker, 'get', 'getMany', 'queryPartition', 'update');

    await oneBatch(worker);
    const delays = await worker.workOff(3 * 3600);
    recover();
    await worker.workOff(900);

    expect(delays.length).toBeGreaterThan(20);
    expect(Math.max(...delays)).toBe(900);
    expect([worker.queue.deadLettered, worker.queue.shortestDelay()]).toEqual([[], undefined]);
    for (const copy of [g, keyIn(aBooking('h'))])
      expect(worker.table.read(copy)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('for longer than the limit: the work is dead-lettered, with the start of the unavailability', async () => {
    const worker = afterClosing(['g'], { maxUnavailableSeconds: 100 });
    throttle(worker, 'get');
    const unavailableSince = worker.time;

    await oneBatch(worker);

    expect(await worker.workOff(1000)).toEqual([1, 1, 2, 4, 8, 16, 32, 64]);
    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'unavailable.too-long',
        reason: 'Gave up: DynamoDB was not available for this for more than 100 seconds',
        message: { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), attempts: 0, unavailableSince },
      },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('resets the time if a fan-out makes progress', async () => {
    const worker = afterClosing(['a', 'b', 'c'], { pageLimit: 1 });
    const recover = throttle(worker, 'get');
    await oneBatch(worker);
    recover();

    await fanOutBatch(worker.context, worker.queue.take());

    const message = worker.queue.sent.at(-1)?.message;
    expect(message).toMatchObject({ cursor: { Sort: 'a' }, attempts: 0 });
    expect(message).not.toHaveProperty('unavailableSince');
  });

  test('and a lost condition on one page are requeued separately, each with its own limit', async () => {
    const worker = workerOver([closed, aBooking('f'), aBooking('g')], { rounds: 1 });
    worker.port.answer = (key) => (key.sk === 'g' ? 'unavailable' : 'lost');
    const limits = { attempts: 3, unavailableSince: worker.time - 5000 };
    const message = about('voyage-on-bookings', closed, { copies: [f, g], ...limits });

    await propagateMessage(worker.context, message);

    expect(worker.queue.sent.map((sent) => sent.message)).toEqual([
      { ...message, locations: [], copies: [f], attempts: 4, unavailableSince: undefined },
      { ...message, locations: [], copies: [g] },
    ]);
    expect(worker.queue.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([8, 5]);
  });

  test('at one copy, while another is planned again: both are requeued', async () => {
    const worker = afterClosing(['f', 'g'], { rounds: 2 });
    worker.port.answer = (key) => (key.sk === 'g' ? 'unavailable' : 'lost');
    justBefore(worker, 'getMany', () => worker.table.update(f, { set: { State: { S: 'stale' } } }));

    await oneBatch(worker);

    expect(worker.queue.sent.map(({ message }) => message.copies)).toEqual([[f], [g]]);
  });

  test('ignores a start of unavailability in the future', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    throttle(worker, 'get');
    const unavailableSince = worker.time + 60_000;

    await propagateMessage(worker.context, about('voyage-on-bookings', aVoyage(), { unavailableSince }));

    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 1, message: { unavailableSince: worker.time } },
    ]);
  });
});

describe('a copy that something keeps overwriting', () => {
  test('is delayed longer after each delivery without progress, and is dead-lettered after the last attempt', async () => {
    const worker = afterClosing(['g'], { maxAttempts: 12, rounds: 1 });
    let captain = 0;
    const overwrite = () => {
      captain += 1;
      worker.table.update(g, { set: { Captain: { S: `usurper ${captain}` } } });
    };
    justBefore(worker, 'update', overwrite, Number.POSITIVE_INFINITY);

    await oneBatch(worker);

    expect(await worker.workOff(86_400)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'attempts.exceeded',
        reason: 'Gave up after 12 deliveries that did not advance',
        message: { rule: 'voyage-on-bookings', copies: [g], attempts: 12 },
      },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('is dead-lettered alone, and the others of its page are written', async () => {
    const worker = afterClosing(['f', 'g'], { maxAttempts: 3, rounds: 1 });
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'lost' : outcome);
    const overwrite = () => worker.table.update(g, { set: { State: { S: 'stale' } } });
    justBefore(worker, 'getMany', overwrite, Number.POSITIVE_INFINITY);

    await oneBatch(worker);
    await worker.workOff(1000);

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'attempts.exceeded', message: { copies: [g] } },
    ]);
    expect(worker.table.read(f)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test.each([
    [
      'counts as progress if others of its page were updated',
      ['g'],
      { delaySeconds: 1, attempts: 1, copies: [g] },
    ],
    ['does not if none was', ['f', 'g'], { delaySeconds: 32, attempts: 6, copies: [f, g] }],
  ])('%s', async (_, lost, { delaySeconds, ...message }) => {
    const worker = workerOver([closed, aBooking('f'), aBooking('g')], { rounds: 1 });
    worker.port.answer = ({ sk }, outcome) => (lost.includes(sk) ? 'lost' : outcome);

    await propagateMessage(
      worker.context,
      about('voyage-on-bookings', closed, { copies: [f, g], attempts: 5 }),
    );

    expect(worker.queue.sent).toMatchObject([{ delaySeconds, message }]);
  });
});

describe('a copy that cannot be updated', () => {
  test('is dead-lettered alone if it would exceed 400 KB; the others are written', async () => {
    const worker = workerOver([
      aVoyage(),
      aBooking('f'),
      aBooking('g', { Cabin: 'x'.repeat(300 * 1024) }),
      aBooking('h'),
    ]);
    worker.table.put(aVoyage({ Log: 'y'.repeat(150 * 1024) }));

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.too-large', message: { copies: [g] } }]);
    expect(spent(worker)).toMatchObject({ itemsWritten: 2 });
    expect(worker.table.read(keyIn(aBooking('h')))).toHaveProperty('Log');
  });

  test('is dead-lettered alone if DynamoDB refuses the write', async () => {
    const worker = afterClosing(['f', 'g']);
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'refused' : outcome);

    await oneBatch(worker);

    const reason = 'DynamoDB refuses this write of this copy, whenever it is tried';
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.refused', reason, message: { copies: [g] } },
    ]);
    expect(worker.queue.sent).toEqual([]);
  });

  test('is dead-lettered with its location, its root and the cause', async () => {
    const worker = workerOver([aTicket(), aLeg({ PortId: undefined }), aLeg({ Sort: 'LEG#2' })]);
    const legs = { in: 'partition', pk: 'TICKET#t', begins: 'LEG#' } as const;
    const message = about('date-on-legs', aTicket(), { locations: [legs] });

    const report = await propagateMessage(worker.context, message);

    expect(report).toMatchObject({ deadLettered: 1, unchanged: 1 });
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.invalid', message: { ...message, copies: [{ pk: 'TICKET#t', sk: 'LEG#1' }] } },
    ]);
  });

  test('does not reveal its content', async () => {
    const worker = workerOver([aVoyage(), aBooking('g', { Cabin: `secret${'x'.repeat(300 * 1024)}` })]);
    worker.table.put(aVoyage({ Log: `secret${'y'.repeat(150 * 1024)}`, State: undefined }));
    worker.table.put(aVoyage({ Log: `secret${'y'.repeat(150 * 1024)}` }));

    await worker.rest();

    const { propagations, parkings } = worker.telemetry;
    expect(worker.queue.deadLettered.length).toBeGreaterThan(0);
    expect(JSON.stringify([worker.queue.deadLettered, propagations, parkings])).not.toContain('secret');
  });
});

describe('a root that cannot be projected', () => {
  test.each<[string, Item, string]>([
    ['lacks an attribute that a rule reads', aVoyage({ State: undefined }), 'root.invalid'],
    ['has an id that does not fit the key of its copies', aVoyage({ Sort: 'voyage_a#b' }), 'key.unwritable'],
    ['does not locate its copies', aTicket({ GuestId: undefined }), 'root.invalid'],
    ['locates its copies at an impossible key', aTicket({ GuestId: 'x'.repeat(2100) }), 'root.unlocatable'],
  ])('and %s is dead-lettered once, with key and reason', async (_, root, code) => {
    const worker = workerOver([aBooking('f'), aBooking('g')]);
    worker.table.put(root);

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect(worker.queue.deadLettered).toEqual([
      { code, reason: expect.any(String), message: expect.objectContaining({ root: keyIn(root) }) },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('matches when it is repaired, and its copies follow', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ DepartsAt: 'soon', Captain: 'Nemo' }));
    await worker.rest();
    expect(worker.table.read(g)).toEqual(aBooking('g'));

    worker.table.put(aVoyage({ State: 'CLOSED', Captain: 'Nemo' }));
    await worker.rest();

    expect(worker.table.read(g)).toEqual(
      aBooking('g', { State: 'CLOSED', Captain: 'Nemo', OwnerSort: 'CLOSED#100' }),
    );
    expect(worker.queue.deadLettered).toHaveLength(1);
  });

  test('dead-letters a copy that is checked, and writes nothing', async () => {
    const worker = workerOver([aVoyage({ State: undefined })]);
    worker.table.put(aBooking('g'));

    await worker.rest();

    const message = { cause: 'check', copies: [g] };
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'root.invalid', message }]);
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });

  test.each(['deleted', 'expired'] as const)(
    'if it was removed (%s), is dead-lettered: nothing locates its copies',
    async (cause) => {
      const worker = workerOver([]);

      await propagateMessage(worker.context, about('voyage-on-bookings', aVoyage(), { cause }));

      expect(worker.queue.deadLettered).toMatchObject([
        {
          code: 'root.unlocatable',
          reason:
            'Rule voyage-on-bookings cannot locate the copies of this removed root: its last image lacks what located.at reads',
          message: { cause },
        },
      ]);
    },
  );
});
