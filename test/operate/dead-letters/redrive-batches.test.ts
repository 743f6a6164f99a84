import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import type { StreamFunction } from '../../../src/model/work/settings.ts';
import type { FailedBatches, StoredBatch } from '../../../src/operate/dead-letters/failed-batch.ts';
import {
  type BatchRedrive,
  type BatchReport,
  redriveBatches,
} from '../../../src/operate/dead-letters/redrive-batches.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const arnOf = (name: string) => `arn:aws:lambda:us-east-1:123456789012:function:${name}`;
const record = (eventName: string, id = '1') => ({ eventID: id, eventName, eventSource: 'aws:dynamodb' });

function batch(functionName: string, ...records: readonly unknown[]): string {
  return JSON.stringify({
    requestContext: { functionArn: arnOf(functionName) },
    payload: JSON.stringify({ Records: records }),
  });
}

/** Batches by key, and what was put through. */
function stage(
  objects: Readonly<Record<string, string>>,
  more: Partial<BatchRedrive> = {},
  owner?: StreamFunction,
) {
  const remaining = new Map(Object.entries(objects));
  const put: (readonly [StreamFunction, readonly unknown[]])[] = [];
  const reports: BatchReport[] = [];
  const clock = new VirtualClock(0);
  const batches: FailedBatches = {
    ...{ name: 's3://failed', owner },
    async *keys() {
      yield* [...remaining.keys()];
    },
    read: async (key) => remaining.get(key),
    async remove(key) {
      remaining.delete(key);
    },
  };
  const work: BatchRedrive = {
    batches: foundIn(batches, objects),
    functionOf: (name) => (name === 'Propagate' || name === 'Archive' ? name : undefined),
    async putThrough(to, records) {
      put.push([to, records]);
      return { unacknowledged: 0 };
    },
    ...{ allowRemove: false, dryRun: false, budget: new Budget(1_000_000, clock), stop: () => false },
    onReport: (report) => reports.push(report),
    ...more,
  };
  return { work, put, reports, clock, remaining, batches };
}

function foundIn(batches: FailedBatches, objects: Readonly<Record<string, string>>): StoredBatch[] {
  return Object.keys(objects).map((key) => ({ batches, key }));
}

describe('redriveBatches', () => {
  test('redrives a batch through its own function, and removes it', async () => {
    const { work, put, reports, remaining } = stage({
      a: batch('Propagate', record('MODIFY')),
      b: batch('Archive', record('INSERT'), record('REMOVE')),
    });
    await redriveBatches(work);

    expect(put).toEqual([
      ['Propagate', [record('MODIFY')]],
      ['Archive', [record('INSERT'), record('REMOVE')]],
    ]);
    expect(reports).toEqual([
      { key: 'a', function: 'Propagate', records: 1, leftOut: 0, outcome: 'redriven' },
      { key: 'b', function: 'Archive', records: 2, leftOut: 0, outcome: 'redriven' },
    ]);
    expect([...remaining.keys()]).toEqual([]);
  });

  test('leaves removals out of what it propagates, and keeps the batch for them', async () => {
    const { work, put, reports, remaining } = stage({
      a: batch('Propagate', record('MODIFY', '1'), record('REMOVE', '2'), record('INSERT', '3'), null),
      b: batch('Propagate', record('REMOVE', '1'), record('REMOVE', '2')),
    });
    await redriveBatches(work);

    expect(put).toEqual([['Propagate', [record('MODIFY', '1'), record('INSERT', '3'), null]]]);
    expect(reports).toEqual([
      {
        ...{ key: 'a', function: 'Propagate', records: 4, leftOut: 1, outcome: 'kept' },
        why: '1 removal left out: see --allow-remove',
      },
      {
        ...{ key: 'b', function: 'Propagate', records: 2, leftOut: 2, outcome: 'kept' },
        why: '2 removals left out: see --allow-remove',
      },
    ]);
    expect([...remaining.keys()]).toEqual(['a', 'b']);
  });

  test('propagates removals if they are requested', async () => {
    const { work, put, remaining } = stage(
      { a: batch('Propagate', record('MODIFY'), record('REMOVE')) },
      { allowRemove: true },
    );
    await redriveBatches(work);

    expect(put).toEqual([['Propagate', [record('MODIFY'), record('REMOVE')]]]);
    expect(remaining.size).toBe(0);
  });

  test('keeps a batch with an unacknowledged record, and continues', async () => {
    const answers = [{ unacknowledged: 1, why: 'GetItem was throttled' }, { unacknowledged: 2 }];
    const { work, reports, remaining } = stage(
      {
        a: batch('Propagate', record('MODIFY'), record('MODIFY')),
        b: batch('Archive', record('MODIFY'), record('MODIFY')),
        c: batch('Archive', record('MODIFY')),
      },
      { putThrough: async () => answers.shift() ?? { unacknowledged: 0 } },
    );
    await redriveBatches(work);

    expect(reports.map(({ outcome, why }) => [outcome, why])).toEqual([
      ['kept', '1 of 2 records failed again: GetItem was throttled'],
      ['kept', '2 of 2 records failed again'],
      ['redriven', undefined],
    ]);
    expect([...remaining.keys()]).toEqual(['a', 'b']);
  });

  test('keeps invalid objects, batches without records, and batches of another function', async () => {
    const { work, put, reports, remaining } = stage({
      a: 'not JSON',
      b: JSON.stringify({ requestContext: { functionArn: arnOf('Propagate') } }),
      c: batch('billing', record('MODIFY')),
    });
    await redriveBatches(work);

    expect(put).toEqual([]);
    expect(reports.map(({ outcome, why }) => [outcome, why])).toEqual([
      ['kept', 'it is not what Lambda keeps of a batch that it gave up'],
      ['kept', 'it gives the position of the batch in the stream, but holds no records'],
      [
        'kept',
        expect.stringMatching(/^it is of the function billing: expected Propagate or Archive, alone or/),
      ],
    ]);
    expect(remaining.size).toBe(3);
  });

  test('keeps a batch that says that it is of another function than its owner', async () => {
    const { work, put, reports, remaining } = stage(
      { a: batch('Archive', record('REMOVE')), b: batch('Propagate', record('MODIFY')) },
      {},
      'Propagate',
    );
    await redriveBatches(work);

    expect(put).toEqual([['Propagate', [record('MODIFY')]]]);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['kept', 'redriven']);
    expect(reports[0]?.why).toMatch(/^it says that it is of Archive, but Lambda puts only .* Propagate here/);
    expect([...remaining.keys()]).toEqual(['a']);
  });

  test('reports its plan in a dry run, and does nothing', async () => {
    const { work, put, reports, remaining } = stage(
      {
        a: batch('Propagate', record('MODIFY')),
        b: batch('Propagate', record('REMOVE')),
        c: batch('Archive', record('REMOVE')),
      },
      { dryRun: true },
    );
    await redriveBatches(work);

    expect(reports.map(({ outcome }) => outcome)).toEqual(['planned', 'kept', 'planned']);
    expect([put.length, remaining.size]).toEqual([0, 3]);
  });

  test('ends a dry run when it is stopped', async () => {
    const { work, reports } = stage(
      { a: batch('Propagate', record('MODIFY')), b: batch('Propagate', record('MODIFY')) },
      { dryRun: true },
    );
    await redriveBatches({ ...work, stop: () => reports.length > 0 });

    expect(reports.map(({ key }) => key)).toEqual(['a']);
  });

  test('keeps to its rate, one batch at a time', async () => {
    const records = Array.from({ length: 50 }, (_, index) => record('MODIFY', String(index)));
    const objects = Array.from({ length: 40 }, (_, index) => [`k${index}`, batch('Propagate', ...records)]);
    const clock = new VirtualClock(0);
    const { work, reports } = stage(Object.fromEntries(objects), { budget: new Budget(100, clock) });
    await redriveBatches(work);

    expect(reports).toHaveLength(40);
    // 2,000 records at 100 a second.
    expect(clock.now()).toBe(20_000);
  });

  test('keeps batches that could not be read, redriven or removed, and continues', async () => {
    const objects = {
      a: batch('Propagate', record('MODIFY')),
      b: batch('Propagate', record('MODIFY')),
      c: batch('Archive', record('MODIFY')),
      d: batch('Propagate', record('MODIFY')),
    };
    const { work, reports, remaining, batches } = stage(objects);
    const unavailable = (what: string) => new TransientError('aws.throttled', `${what} was throttled`);
    await redriveBatches({
      ...work,
      batches: foundIn(
        {
          ...batches,
          async read(key) {
            if (key === 'a') throw unavailable('GetObject');
            return batches.read(key);
          },
          async remove(key) {
            if (key === 'b') throw unavailable('DeleteObject');
            return batches.remove(key);
          },
        },
        objects,
      ),
      async putThrough(to) {
        if (to === 'Archive') throw unavailable('Invoke');
        return { unacknowledged: 0 };
      },
    });

    expect(reports.map(({ outcome, why }) => [outcome, why])).toEqual([
      ['kept', 'GetObject was throttled'],
      ['kept', 'DeleteObject was throttled'],
      ['kept', 'Invoke was throttled'],
      ['redriven', undefined],
    ]);
    expect([...remaining.keys()]).toEqual(['a', 'b', 'c']);
  });

  test('ends if no batch can be processed', async () => {
    const { work, reports, remaining } = stage(
      { a: batch('Propagate', record('MODIFY')), b: batch('Propagate', record('MODIFY')) },
      {
        async putThrough() {
          throw new FatalError('aws.denied', 'Invoke was denied');
        },
      },
    );

    await expect(redriveBatches(work)).rejects.toThrow('Invoke was denied');
    expect([reports.length, remaining.size]).toEqual([0, 2]);
  });

  test('redrives nothing more if it is stopped while it waits for its rate', async () => {
    const clock = new VirtualClock(0);
    const objects = Array.from({ length: 9 }, (_, index) => [
      `k${index}`,
      batch('Archive', record('MODIFY')),
    ]);
    const { work, put, remaining } = stage(Object.fromEntries(objects), { budget: new Budget(1, clock) });
    await redriveBatches({ ...work, stop: () => clock.now() >= 5_000 });

    expect([put.length, remaining.size]).toEqual([4, 5]);
  });

  test('stops between two batches, and skips batches that have been removed', async () => {
    const objects = {
      a: batch('Propagate', record('MODIFY')),
      b: batch('Propagate', record('MODIFY')),
      c: batch('Propagate', record('MODIFY')),
    };
    const { work, reports, remaining, batches } = stage(objects);
    await redriveBatches({
      ...work,
      batches: foundIn(
        { ...batches, read: async (key) => (key === 'a' ? undefined : batches.read(key)) },
        objects,
      ),
      stop: () => reports.length === 1,
    });

    expect(reports.map(({ key }) => key)).toEqual(['b']);
    expect([...remaining.keys()]).toEqual(['a', 'c']);
  });
});
