import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../src/model/basics/errors.ts';
import { keyAttributes } from '../../src/model/items/item.ts';
import { pauseAttribute, pausesKey } from '../../src/model/rules/pauses.ts';
import { changed } from '../../src/model/work/guarded-write.ts';
import { beatMessage, heartbeatKey } from '../../src/model/work/heartbeat.ts';
import type { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import { type HeartbeatReport, sendBeat } from '../../src/worker/heartbeat.ts';
import { fanOutBatch } from '../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { table } from '../fixtures/model/table.ts';
import { usernameOnMemberships } from '../fixtures/world/rules.ts';
import { refuse, tableWith } from '../fixtures/world/table-faults.ts';
import { workerOver } from '../fixtures/world/world.ts';

const key = heartbeatKey(table) ?? expect.fail('no key');
const { name: rule } = usernameOnMemberships;

/** What works of a stack. All of it by default. */
interface Working {
  readonly heartbeat?: boolean;
  readonly propagate?: boolean;
  readonly fanOut?: boolean;
  readonly archive?: boolean;
}

function send(worker: ModelWorker): Promise<HeartbeatReport> {
  return sendBeat({
    registry: worker.context.registry,
    table: worker.port,
    write: async ({ key: own, set, remove }) => {
      const before = worker.table.read(own) ?? keyAttributes(table, own);
      worker.table.put(changed(before, set, remove));
    },
    clock: worker.context.clock,
    delaySeconds: 360,
    paths: ['fan-out', 'archive'],
  });
}

/** A beat every five minutes, for so many. @returns what each run said */
async function beatFor(worker: ModelWorker, minutes: number, working: Working = {}) {
  const { heartbeat = true, propagate = true, fanOut = true, archive = true } = working;
  const reports: HeartbeatReport[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    if (heartbeat && minute % 5 === 0) reports.push(await send(worker));
    if (propagate) await propagateBatch(worker.context, worker.stream.take());
    if (archive) await archiveBatch(worker.archiveContext, worker.archiveStream.take());
    worker.time += 60_000;
    const due = worker.queue.pass(60);
    if (fanOut) await fanOutBatch(worker.context, due);
    // Whatever is invoked with them fails: they come again.
    else await Promise.all(due.map(({ body }) => worker.queue.send([JSON.parse(body)], 360)));
  }
  return reports;
}

/** What the alarms watch: the largest of these runs, and the sum of what is lost. */
function watched(reports: readonly HeartbeatReport[]) {
  const overdue = (path: string) =>
    Math.max(
      ...reports
        .flatMap(({ paths }) => paths.filter((one) => one.path === path))
        .map((one) => one.overdueSeconds),
    );
  return {
    fanOut: overdue('fan-out'),
    archive: overdue('archive'),
    lost: reports.flatMap(({ paths }) => paths.map(({ lost }) => lost.length)).reduce((a, b) => a + b, 0),
    paused: Math.max(...reports.map(({ oldestPauseSeconds }) => oldestPauseSeconds)),
  };
}

const quiet = { fanOut: 0, archive: 0, lost: 0, paused: 0 };

describe('a heartbeat', () => {
  test('in a stack where all works is never overdue, and one beat always lies in the queue', async () => {
    const worker = workerOver([]);

    expect(watched(await beatFor(worker, 120))).toEqual(quiet);
    for (let minute = 0; minute < 30; minute += 1) {
      await beatFor(worker, 1, { heartbeat: minute % 5 === 0 });
      expect(worker.queue.shortestDelay()).toBeGreaterThan(0);
    }
    expect(Object.keys(worker.table.read(key) ?? {}).length).toBeLessThan(12);
  });

  test.each<[string, Working, object]>([
    ['the mapping of Propagate is off, or its stream', { propagate: false }, { fanOut: 2940, archive: 0 }],
    ['the mapping of Archive is off', { archive: false }, { fanOut: 0, archive: 3300 }],
    ['the stream is off', { propagate: false, archive: false }, { fanOut: 2940, archive: 3300 }],
    ['FanOut is throttled to zero, or its mapping off', { fanOut: false }, { fanOut: 3240, archive: 0 }],
  ])('is overdue while %s, and loses nothing when it is on again', async (_, working, expected) => {
    const worker = workerOver([]);
    await beatFor(worker, 30);

    expect(watched(await beatFor(worker, 60, working))).toMatchObject({ ...expected, lost: 0 });
    await beatFor(worker, 15);
    expect(watched(await beatFor(worker, 60))).toEqual(quiet);
  });

  test('is overdue while the queue is gone, and holds up no record for that', async () => {
    const worker = workerOver([]);
    await beatFor(worker, 30);
    worker.queue.take();
    const gone = new FatalError('aws.not-found', 'Expected a queue');
    const context = {
      ...worker.context,
      queue: { send: () => Promise.reject(gone), deadLetter: () => Promise.reject(gone) },
    };
    const reports: HeartbeatReport[] = [];
    for (let beat = 0; beat < 6; beat += 1) {
      reports.push(await send(worker));
      expect(await propagateBatch(context, worker.stream.take())).toEqual(new Map());
      worker.time += 300_000;
    }

    expect(watched(reports).fanOut).toBeGreaterThan(600);
    expect(worker.telemetry.failures).toHaveLength(6);
  });

  test('says once that a purge took a beat, without being overdue, and then no more', async () => {
    const worker = workerOver([]);
    await beatFor(worker, 30);
    worker.queue.take();

    const reports = await beatFor(worker, 60);
    expect(watched(reports)).toMatchObject({ lost: 1 });
    expect(watched(reports).fanOut).toBeLessThanOrEqual(600);
    expect(watched(await beatFor(worker, 60))).toEqual(quiet);
  });

  test('says that beats are lost which the stream has dropped, after an outage of more than a day', async () => {
    const worker = workerOver([]);
    await beatFor(worker, 30);
    await beatFor(worker, 120, { propagate: false });
    worker.stream.take();

    expect(watched(await beatFor(worker, 60))).toMatchObject({ lost: 24 });
  });

  test('goes on while a rule is paused, and has the age of the pause', async () => {
    const worker = workerOver([]);
    const pauses = pausesKey(table) ?? expect.fail('no key');
    const since = { S: new Date(worker.time - 23.9 * 3_600_000).toISOString() };
    worker.table.put({
      ...keyAttributes(table, pauses),
      ...{ [pauseAttribute(rule)]: since, [pauseAttribute('no-rule-any-more')]: { S: '2020-01-01' } },
    });

    expect(watched(await beatFor(worker, 5))).toEqual({ ...quiet, paused: 23.9 * 3600 });
    expect(watched(await beatFor(worker, 30))).toMatchObject({ ...quiet, paused: 24.4 * 3600 });
    worker.table.delete(pauses);
    expect(watched(await beatFor(worker, 5))).toEqual(quiet);
  });

  test('publishes nothing if the table does not take its beat', async () => {
    const worker = workerOver([]);
    const failing = sendBeat({
      ...{ registry: worker.context.registry, table: worker.port, clock: worker.context.clock },
      write: () => Promise.reject(new TransientError('aws.timeout', 'Expected an answer')),
      ...{ delaySeconds: 360, paths: ['fan-out'] },
    });
    await expect(failing).rejects.toThrow('Expected an answer');
  });
});

describe('the arrival of a beat', () => {
  const beat = Date.UTC(2026, 0, 1) / 1000;
  const delivered = [{ id: '1', body: JSON.stringify(beatMessage(key, beat)) }];

  test('removes it and notes what it took', async () => {
    const worker = workerOver([{ ...keyAttributes(table, key), [`fan-out:${beat}`]: { BOOL: true } }]);
    worker.time += 361_000;
    expect(await fanOutBatch(worker.context, delivered)).toEqual(new Map());

    expect(worker.table.read(key)).toEqual({
      ...keyAttributes(table, key),
      ...{ 'arrived:fan-out': { N: String(beat) }, 'seconds:fan-out': { N: '361' } },
    });
    expect(worker.telemetry.propagations).toEqual([]);
  });

  test.each([
    ['of a beat that has arrived already', [{ ...keyAttributes(table, key) }]],
    ['where somebody has deleted the item', []],
  ])('%s changes nothing', async (_, items) => {
    const worker = workerOver(items);
    expect(await fanOutBatch(worker.context, delivered)).toEqual(new Map());

    expect(worker.table.history).toHaveLength(items.length);
  });

  test('comes again from the queue if the table is away', async () => {
    const worker = workerOver([{ ...keyAttributes(table, key), [`fan-out:${beat}`]: { BOOL: true } }]);
    refuse(worker, ['update'], new TransientError('aws.timeout', 'Expected an answer'));

    expect([...(await fanOutBatch(worker.context, delivered)).keys()]).toEqual(['1']);
  });

  test('comes again from the queue if its write is throttled', async () => {
    const worker = workerOver([{ ...keyAttributes(table, key), [`fan-out:${beat}`]: { BOOL: true } }]);
    const throttled = tableWith(worker, { update: async () => ['unavailable'] });

    const failed = await fanOutBatch({ ...worker.context, table: throttled }, delivered);
    expect([...failed.values()]).toMatchObject([{ code: 'heartbeat.not-noted' }]);
  });

  test('at Archive fails no record if the table is away', async () => {
    const worker = workerOver([]);
    await send(worker);
    refuse(worker, ['update'], new TransientError('aws.timeout', 'Expected an answer'));

    expect(await archiveBatch(worker.archiveContext, worker.archiveStream.take())).toEqual(new Map());
    expect(worker.telemetry.failures).toHaveLength(1);
  });
});
