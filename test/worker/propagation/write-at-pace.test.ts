import { describe, expect, test } from 'vitest';
import { type Item, type ItemKey, text } from '../../../src/model/items/item.ts';
import type { WriteOutcome } from '../../../src/model/work/guarded-write.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { TablePort, WriteOptions } from '../../../src/worker/ports.ts';
import type { PropagationContext } from '../../../src/worker/propagation/context.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { aPost, titleOnTags } from '../../fixtures/world/posts.ts';
import { incidentOnParticipations, world } from '../../fixtures/world/rules.ts';
import { tableWith } from '../../fixtures/world/table-faults.ts';
import { about, keyIn } from '../../fixtures/world/worker.ts';
import { afterClosing, workerOver } from '../../fixtures/world/world.ts';

interface Refusing {
  /** How many writes of each request are throttled: the last ones. */
  readonly throttled?: (request: number, writes: number) => number;
  /** What a write costs, and what a request costs beside. */
  readonly units?: number;
  readonly more?: number;
}

/** A context whose table throttles. @returns how many writes each request asked for, and when, in milliseconds from now */
function throttling(worker: ModelWorker, { throttled = () => 0, units = 1, more = 0 }: Refusing = {}) {
  const requests: { readonly writes: number; readonly at: number; readonly paced: boolean }[] = [];
  const began = worker.time;
  async function write<Write>(
    writes: readonly Write[],
    { onSpent, isPaced = false }: WriteOptions = {},
    make: (some: readonly Write[]) => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]> {
    const refused = throttled(requests.length, writes.length);
    requests.push({ writes: writes.length, at: worker.time - began, paced: isPaced });
    const made = refused === writes.length ? [] : await make(writes.slice(0, writes.length - refused));
    if (made.length > 0) onSpent?.(made.length * units + more, 999);
    return [...made, ...Array(refused).fill('throttled')];
  }
  const { port } = worker;
  const table = tableWith(worker, {
    update: (updates, options) => write(updates, options, (some) => port.update(some)),
    transact: (root, actions, options) => write(actions, options, (some) => port.transact(root, some)),
  });
  return { context: { ...worker.context, table }, requests };
}

/** What each request asked for. */
function sizes(requests: readonly { readonly writes: number }[]): number[] {
  return requests.map(({ writes }) => writes);
}

const usersUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
const users = usersUpTo(100);
const aboutIncident = about('incident-on-participations', anIncident());

/** A worker with a page of as many copies as a fan-out of these settings may write in half a second. */
function closing(settings: { readonly fanOutWriteUnits?: number; readonly pageLimit?: number } = {}) {
  return afterClosing(users, { fanOutWriteUnits: 50, ...settings });
}

/** A propagation as FanOut runs it, whatever the stream says. Propagate waits for no pace. */
async function fromQueue(
  context: PropagationContext,
  worker: ModelWorker,
  message = aboutIncident,
): Promise<void> {
  worker.stream.take();
  await propagate(context, message);
}

function closedParticipations(worker: ModelWorker): number {
  const participations = worker.table.partition('acct_1#incident_a#participations');
  return participations.filter(({ item }) => text(item['State']) === 'CLOSED').length;
}

const evenly = [
  { writes: 50, at: 0, paced: true },
  { writes: 25, at: 500, paced: true },
  { writes: 25, at: 1000, paced: true },
];

describe('a fan-out', () => {
  test.each([
    [10, 25, [5, 5, 5, 5, 5], [0, 1000, 2000, 3000, 4000]],
    [100, 3, [1, 1, 1], [1000, 3000, 5000]],
  ])(
    'writes copies of %i KB no faster, however few, and at least one',
    async (size, count, writes, times) => {
      const Note = 'x'.repeat((size - 0.5) * 1024);
      const copies = users.slice(0, count).map((user) => aParticipation(user, { Note }));
      const worker = workerOver([anIncident({ State: 'CLOSED' }), ...copies], { fanOutWriteUnits: 50 });
      const { context, requests } = throttling(worker, { units: size });

      await fromQueue(context, worker);

      expect([sizes(requests), requests.map(({ at }) => at)]).toEqual([writes, times]);
    },
  );

  test('writes the others if many copies are throttled again and again', async () => {
    const worker = closing();
    const { context } = throttling(worker);
    const isHot = ({ key }: { readonly key: ItemKey }) => key.sk < '030';
    const update: TablePort['update'] = async (updates, options) => {
      const cold = updates.filter((one) => !isHot(one));
      const outcomes = [...(await context.table.update(cold, options))];
      return updates.map((one) => (isHot(one) ? 'throttled' : (outcomes.shift() ?? 'unavailable')));
    };

    await fromQueue({ ...context, table: tableWith(worker, { update }) }, worker);

    expect(closedParticipations(worker)).toBe(70);
    const message = { copies: { length: 30 }, unavailableSince: expect.any(Number) };
    expect(worker.queue.sent).toMatchObject([{ message }]);
  });

  test('in the stream waits for no pace: the queue goes on with its page', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker);

    await propagateBatch(context, worker.stream.take());

    expect(sizes(requests)).toEqual([50]);
    const message = { cause: 'changed', attempts: 0, pace: { unitsPerSecond: 50 } };
    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 0, message }]);
    await fanOutBatch(context, worker.queue.take());
    expect(closedParticipations(worker)).toBe(100);
  });

  test('carries its pace from page to page', async () => {
    const worker = closing({ pageLimit: 50 });
    const { context, requests } = throttling(worker);

    await propagateBatch(context, worker.stream.take());
    const [{ message } = expect.fail('no message')] = worker.queue.sent;
    expect(message.pace).toEqual({ unitsPerSecond: 50, paidAt: worker.time });
    await fanOutBatch(context, worker.queue.take());

    expect(requests).toEqual(evenly);
  });

  test.each([
    ['a debt of seconds', 6, 5],
    ['no more of a debt than its longest delay', 2_000, 900],
  ])('leaves %s to the queue', async (_, units, delaySeconds) => {
    const worker = closing({ pageLimit: 50 });
    const { context } = throttling(worker, { units });

    await propagateBatch(context, worker.stream.take());

    expect(worker.queue.sent).toMatchObject([{ delaySeconds, message: { attempts: 0 } }]);
  });

  test('requeues the page if the time is up before throttled copies can be sent again', async () => {
    const worker = afterClosing(users.slice(0, 40), { fanOutWriteUnits: 50 });
    const { context, requests } = throttling(worker, { throttled: () => 10 });

    await propagateBatch({ ...context, outOfTime: () => requests.length > 0 }, worker.stream.take());

    expect(sizes(requests)).toEqual([40]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 30, lost: 0, requeued: 1 }]);
    const [{ message } = expect.fail('nothing was requeued')] = worker.queue.sent;
    expect([message.copies, message.cursor, message.attempts]).toEqual([undefined, undefined, 0]);
  });

  test.each([
    ['begins its limits anew if some copies were written', 0, { attempts: 0, unavailableSince: undefined }],
    ['keeps its limits if none was', -1, { attempts: 5, unavailableSince: 1 }],
  ])('that is out of time %s', async (_, end, limits) => {
    const worker = closing();
    const context = { ...throttling(worker).context, outOfTime: (ahead = 0) => ahead > end };
    worker.port.answer = ({ sk }, outcome) => (sk === '000' ? 'lost' : outcome);

    await fromQueue(context, worker, { ...aboutIncident, attempts: 5, unavailableSince: 1 });

    const [{ message: requeued } = expect.fail('nothing was requeued')] = worker.queue.sent;
    const { cursor, attempts, unavailableSince } = requeued;
    expect({ cursor, attempts, unavailableSince }).toEqual({ cursor: undefined, ...limits });
    expect(worker.port.counts.getMany).toBe(0);
  });

  test('that is out of time begins its limits anew if some copies were removed', async () => {
    const rules = world({ ...incidentOnParticipations, onDelete: 'delete' });
    const copies = users.map((user) => aParticipation(user));
    const worker = workerOver(copies, { fanOutWriteUnits: 50 }, rules);
    const context = { ...throttling(worker).context, outOfTime: (ahead = 0) => ahead > 0 };

    const locations = [{ in: 'partition', pk: 'acct_1#incident_a#participations' } as const];
    await fromQueue(context, worker, { ...aboutIncident, cause: 'deleted', locations, attempts: 5 });

    expect(worker.telemetry.propagations).toMatchObject([{ written: 0, removed: 25 }]);
    expect(worker.queue.sent).toMatchObject([{ message: { attempts: 0 } }]);
  });

  test('does not hold up other roots of its batch', async () => {
    const worker = closing();
    const { context, requests } = throttling(worker);
    worker.table.put(aUser());
    worker.table.put(aMembership('900'));
    worker.stream.take();
    worker.table.put(anIncident({ State: 'CLOSED', CreatedAt: 101 }));
    worker.table.put(aUser({ Name: 'Johannes' }));

    await propagateBatch(context, worker.stream.take());

    expect(requests.filter(({ paced }) => !paced)).toEqual([{ writes: 1, at: 0, paced: false }]);
  });
});

describe('a fan-out that creates', () => {
  /** A put costs two units in a transaction, and so does the condition on the root. */
  const transactions = { units: 2, more: 2 };

  /** A new post with so many tags, and what its fan-out asks of a table that throttles transactions. */
  function publishing(
    tags: number,
    { fanOutWriteUnits = 100, ...refusing }: Refusing & { fanOutWriteUnits?: number } = {},
  ) {
    const worker = workerOver([], { fanOutWriteUnits }, titleOnTags);
    const root = aPost(Array.from({ length: tags }, (_, index) => `t${index}`));
    worker.table.put(root);
    const { context, requests } = throttling(worker, { ...transactions, ...refusing });
    return {
      worker,
      context,
      requests,
      fanOut: () => fromQueue(context, worker, about('title-on-tags', root)),
    };
  }

  function copies({ table }: ModelWorker): readonly Item[] {
    return table.items().filter((item) => keyIn(item).sk !== 'POST');
  }

  /** How many copies there are, and how often one was made. */
  function made(worker: ModelWorker): number[] {
    return [copies(worker).length, worker.table.history.filter(({ by }) => by === 'worker').length];
  }

  test('sends a throttled transaction again, at half the pace, and makes each copy once', async () => {
    const { worker, requests, fanOut } = publishing(60, {
      throttled: (request, writes) => (request === 0 ? writes : 0),
    });

    await fanOut();

    expect([sizes(requests), requests[1]?.at]).toEqual([[50, 25, 25, 10], 1000]);
    expect(requests.map(({ paced }) => paced)).toEqual(Array(4).fill(true));
    expect(made(worker)).toEqual([60, 60]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 60, lost: 0, pace: { throttled: 50 } }]);
  });

  test('requeues what is throttled six times, and creates it when the table takes it', async () => {
    const throttled = (_: number, writes: number) => writes;
    const { worker, requests, fanOut } = publishing(60, { throttled, fanOutWriteUnits: 800 });

    await fanOut();

    expect([requests.length, copies(worker).length]).toEqual([6, 0]);
    const message = {
      copies: { length: 60 },
      unavailableSince: expect.any(Number),
      pace: { unitsPerSecond: 25 },
    };
    expect(worker.queue.sent).toMatchObject([{ message }]);
    await worker.workOff(60);
    expect([made(worker), worker.queue.deadLettered]).toEqual([[60, 60], []]);
  });

  test('sends no more transactions once the condition on the root has failed', async () => {
    // The first is throttled. When the second is sent, the root has gone, and one copy is left.
    const { worker, requests, fanOut } = publishing(100, {
      throttled(request, writes) {
        if (request === 1) worker.table.delete(keyIn(aPost([])));
        return request === 0 ? writes : 0;
      },
    });

    await fanOut();

    expect([sizes(requests), copies(worker)]).toEqual([[50, 25], []]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 0, lost: 100, requeued: 0 }]);
  });
});
