import { describe, expect, test, vi } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { TransientError } from '../../../src/model/errors.ts';
import type { GuardedUpdate } from '../../../src/model/guarded-write.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import type { PropagationContext } from '../../../src/worker/propagation/context.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { propagateRoot } from '../../../src/worker/propagation/propagate-root.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { afterClosing, keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const guests = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));

/** A worker with a page of as many copies as a fan-out of these settings may write in half a second. */
function closing(settings: { readonly fanOutWriteUnits?: number; readonly pageLimit?: number } = {}) {
  return afterClosing(guests, { fanOutWriteUnits: 50, ...settings });
}

interface Refusing {
  /** How many writes of each request are throttled: the last ones. */
  throttled(request: number, writes: number): number;
  readonly units?: number;
}

/** A context whose table throttles. @returns how many writes each request asked for, and when, in milliseconds from now */
function throttling(worker: ModelWorker, { throttled, units = 1 }: Refusing) {
  const requests: { readonly writes: number; readonly at: number; readonly paced: boolean }[] = [];
  const began = worker.time;
  const table: TablePort = {
    get: (key) => worker.port.get(key),
    getMany: (keys) => worker.port.getMany(keys),
    query: (...asked) => worker.port.query(...asked),
    transact: (root, removals) => worker.port.transact(root, removals),
    async update(updates, onSpent) {
      const refused = throttled(requests.length, updates.length);
      requests.push({ writes: updates.length, at: worker.time - began, paced: onSpent !== undefined });
      const made = await worker.port.update(updates.slice(0, updates.length - refused));
      onSpent?.(made.length * units);
      return [...made, ...Array(refused).fill('throttled')];
    },
  };
  const context: PropagationContext = { ...worker.context, table };
  return { context, requests };
}

const never = { throttled: () => 0 };

/** The propagation of the voyage as FanOut runs it. Propagate waits for no pace. */
async function fromQueue(context: PropagationContext, worker: ModelWorker): Promise<void> {
  worker.stream.take();
  const root = keyIn(aVoyage());
  await propagateRoot(context, voyageOnBookings, {
    rule: voyageOnBookings.name,
    root,
    cause: 'changed',
    attempts: 0,
  });
}

function closedBookings(worker: ModelWorker): number {
  const bookings = worker.table.partition('line_1#voyage_a#bookings');
  return bookings.filter(({ State }) => State !== undefined && 'S' in State && State.S === 'CLOSED').length;
}

describe('a fan-out', () => {
  test('of 25 writes keeps to no pace', async () => {
    const worker = afterClosing(guests.slice(0, 25), { fanOutWriteUnits: 25 });
    const { context, requests } = throttling(worker, never);

    await propagateBatch(context, worker.stream.take());

    expect(requests).toEqual([{ writes: 25, at: 0, paced: false }]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 25, pace: undefined }]);
  });

  test('writes what a second allows at once, and the rest evenly', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, never);

    await fromQueue(context, worker);

    expect(requests).toEqual([
      { writes: 50, at: 0, paced: true },
      { writes: 25, at: 500, paced: true },
      { writes: 25, at: 1000, paced: true },
    ]);
    expect(worker.telemetry.propagations).toMatchObject([
      { written: 100, pace: { unitsPerSecond: 50, throttled: 0 } },
    ]);
  });

  test('writes all that a second allows in one request', async () => {
    const many = Array.from({ length: 500 }, (_, index) => String(index).padStart(3, '0'));
    const worker = afterClosing(many, { fanOutWriteUnits: 2000 });
    const { context, requests } = throttling(worker, never);

    await fromQueue(context, worker);

    expect(requests).toEqual([{ writes: 500, at: 0, paced: true }]);
  });

  test.each([
    [10, 25, [5, 5, 5, 5, 5], [0, 1000, 2000, 3000, 4000]],
    [100, 3, [1, 1, 1], [1000, 3000, 5000]],
  ])(
    'writes copies of %i KB no faster, however few they are, and at least one',
    async (size, count, writes, times) => {
      const Cabin = 'x'.repeat((size - 0.5) * 1024);
      const copies = guests.slice(0, count).map((guest) => aBooking(guest, { Cabin }));
      const worker = workerOver([aVoyage({ State: 'CLOSED' }), ...copies], { fanOutWriteUnits: 50 });
      const { context, requests } = throttling(worker, { ...never, units: size });

      await fromQueue(context, worker);

      expect(requests.map((request) => request.writes)).toEqual(writes);
      expect(requests.map(({ at }) => at)).toEqual(times);
    },
  );

  test('waits longer if copies cost more than their size says', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, { ...never, units: 4 });

    await fromQueue(context, worker);

    expect(requests.map(({ at }) => at)).toEqual([0, 3500, 5500]);
  });

  test('writes the others if more copies than fit in a request are throttled again and again', async () => {
    const worker = closing();
    const { context } = throttling(worker, never);
    const isHot = ({ key }: GuardedUpdate) => key.sk < '030';
    const table: TablePort = {
      ...context.table,
      async update(updates, onSpent) {
        const outcomes = [
          ...(await context.table.update(
            updates.filter((one) => !isHot(one)),
            onSpent,
          )),
        ];
        return updates.map((one) => (isHot(one) ? 'throttled' : (outcomes.shift() ?? 'unavailable')));
      },
    };

    await fromQueue({ ...context, table }, worker);

    expect(closedBookings(worker)).toBe(70);
    expect(worker.queue.sent).toMatchObject([
      { message: { copies: { length: 30 }, unavailableSince: expect.any(Number) } },
    ]);
  });

  test('writes throttled copies again, at half the pace', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, { throttled: (request) => (request === 0 ? 10 : 0) });

    await fromQueue(context, worker);

    expect(requests.slice(0, 2)).toEqual([
      { writes: 50, at: 0, paced: true },
      { writes: 25, at: 1000, paced: true },
    ]);
    expect(closedBookings(worker)).toBe(100);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 100, lost: 0, pace: { throttled: 10 } }]);
  });

  test('requeues what is throttled six times, at the pace that it has fallen to, and writes it later', async () => {
    const worker = closing({ fanOutWriteUnits: 800 });
    const { context, requests } = throttling(worker, { throttled: (_, writes) => writes });

    await fromQueue(context, worker);

    expect(requests).toHaveLength(6);
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 1, message: { unavailableSince: expect.any(Number), pace: { unitsPerSecond: 25 } } },
    ]);
    await worker.workOff(60);
    expect(closedBookings(worker)).toBe(100);
  });

  test('in the stream waits for no pace: the queue goes on with its page', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, never);

    await propagateBatch(context, worker.stream.take());

    expect(requests).toEqual([{ writes: 50, at: 0, paced: true }]);
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 0, message: { cause: 'changed', attempts: 0, pace: { unitsPerSecond: 50 } } },
    ]);
    await fanOutBatch(context, worker.queue.take());
    expect(closedBookings(worker)).toBe(100);
  });

  test('carries its pace from page to page', async () => {
    const worker = closing({ pageLimit: 50 });
    const { context, requests } = throttling(worker, never);

    await propagateBatch(context, worker.stream.take());
    const messages = worker.queue.take();
    expect(messages.map(({ body }) => JSON.parse(body))).toMatchObject([
      { pace: { unitsPerSecond: 50, paidAt: worker.time } },
    ]);
    await fanOutBatch(context, messages);

    expect(requests).toEqual([
      { writes: 50, at: 0, paced: true },
      { writes: 25, at: 500, paced: true },
      { writes: 25, at: 1000, paced: true },
    ]);
  });

  test('goes on at its pace with a copy that it left on a page before it had one', async () => {
    const many = Array.from({ length: 160 }, (_, index) => String(index).padStart(3, '0'));
    const worker = afterClosing(many, { fanOutWriteUnits: 50 });
    const { context } = throttling(worker, never);
    await fromQueue(context, worker);
    for (const guest of ['000', ...many.slice(100)]) worker.table.put(aBooking(guest));
    const table: TablePort = {
      ...context.table,
      // As where a megabyte ends a page.
      query: (location, _, from) => context.table.query(location, 100, from),
      update: async (updates, onSpent) =>
        updates[0]?.key.sk === '000' ? ['lost'] : context.table.update(updates, onSpent),
    };

    await fromQueue({ ...context, table }, worker);

    expect(worker.queue.sent.at(-1)).toMatchObject({
      message: { copies: [{ sk: '000' }], attempts: 1, pace: { unitsPerSecond: 50 } },
    });
  });

  test('carries its pace to the queue if the table becomes unavailable', async () => {
    const worker = closing();
    const { context } = throttling(worker, never);
    worker.port.answer = (key, outcome) => (key.sk === '000' ? 'lost' : outcome);
    worker.port.before = ({ kind }) => {
      if (kind === 'getMany') throw new TransientError('aws.throttled', 'not now');
    };

    await propagateBatch(context, worker.stream.take());

    expect(worker.queue.sent).toMatchObject([{ message: { pace: { unitsPerSecond: 50 } } }]);
  });

  test('leaves a debt of seconds to the queue', async () => {
    const worker = closing({ pageLimit: 50 });
    const { context } = throttling(worker, { ...never, units: 6 });

    await propagateBatch(context, worker.stream.take());

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 5, message: { attempts: 0 } }]);
  });

  test('leaves no more of a debt to the queue than its longest delay', async () => {
    const worker = closing({ pageLimit: 50 });
    const { context } = throttling(worker, { ...never, units: 2_000 });

    await propagateBatch(context, worker.stream.take());

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 900 }]);
  });

  test('requeues the page if it would have to wait past the end of the invocation, and then goes on with it', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, never);
    const outOfTime = (ahead = 0) => ahead > 0;

    await propagateBatch({ ...context, outOfTime }, worker.stream.take());

    expect(requests.map(({ writes }) => writes)).toEqual([50]);
    expect(closedBookings(worker)).toBe(50);
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 0, message: { cause: 'changed', attempts: 0, pace: { unitsPerSecond: 50 } } },
    ]);
    await fanOutBatch(context, worker.queue.take());
    expect(closedBookings(worker)).toBe(100);
    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ unchanged: 50, written: 50 });
  });

  test('dead-letters its invalid copies once and together, however often their page is requeued', async () => {
    const Cabin = 'x'.repeat(400 * 1024 - 200);
    const tooLarge = ['a', 'b', 'c'].map((guest) => aBooking(guest, { Cabin }));
    const worker = workerOver([aVoyage(), ...guests.map((guest) => aBooking(guest)), ...tooLarge], {
      fanOutWriteUnits: 50,
    });
    worker.table.put(aVoyage({ State: 'CLOSED', Log: 'y'.repeat(300) }));
    const { context } = throttling(worker, never);
    const hasty = { ...context, outOfTime: (ahead = 0) => ahead > 0 };
    const deadLetter = vi.spyOn(worker.queue, 'deadLetter');

    await propagateBatch(hasty, worker.stream.take());
    for (let messages = worker.queue.take(); messages.length > 0; messages = worker.queue.take()) {
      worker.time += 1000;
      await fanOutBatch(hasty, messages);
    }

    expect(worker.telemetry.propagations.map(({ written }) => written)).toEqual([50, 50]);
    expect(deadLetter.mock.calls.map(([letters]) => letters.length)).toEqual([3]);
  });

  test('requeues the page if the time is up before throttled copies can be sent again', async () => {
    const worker = afterClosing(guests.slice(0, 40), { fanOutWriteUnits: 50 });
    const { context, requests } = throttling(worker, { throttled: () => 10 });

    await propagateBatch({ ...context, outOfTime: () => requests.length > 0 }, worker.stream.take());

    expect(requests.map(({ writes }) => writes)).toEqual([40]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 30, lost: 0, requeued: 1 }]);
    const [{ message } = expect.fail('nothing was requeued')] = worker.queue.sent;
    expect([message.copies, message.cursor, message.attempts]).toEqual([undefined, undefined, 0]);
  });

  test.each([
    [
      'begins its limits anew if some copies were written',
      (ahead = 0) => ahead > 0,
      { attempts: 0, unavailableSince: undefined },
    ],
    ['keeps its limits if none was', () => true, { attempts: 5, unavailableSince: 1 }],
  ])('that is out of time %s', async (_, outOfTime, limits) => {
    const worker = closing();
    const { context } = throttling(worker, never);
    const root = { pk: 'line_1#voyages', sk: 'voyage_a' };
    const message = {
      rule: voyageOnBookings.name,
      root,
      cause: 'changed',
      attempts: 5,
      unavailableSince: 1,
    } as const;

    await propagateRoot({ ...context, outOfTime }, voyageOnBookings, message);

    const [{ message: requeued } = expect.fail('nothing was requeued')] = worker.queue.sent;
    const { cursor, attempts, unavailableSince } = requeued;
    expect({ cursor, attempts, unavailableSince }).toEqual({ cursor: undefined, ...limits });
  });

  test('does not hold up other roots of its batch', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker, never);
    worker.table.put(aSailor());
    worker.table.put(aCrewing('900'));
    worker.stream.take();
    worker.table.put(aVoyage({ State: 'CLOSED', DepartsAt: 101 }));
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await propagateBatch(context, worker.stream.take());

    expect(requests.filter(({ paced }) => !paced)).toEqual([{ writes: 1, at: 0, paced: false }]);
  });
});
