import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { type Message, mergeMessages } from '../../../src/model/work/message.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch, untilEndOfPeriod } from '../../../src/worker/propagation/propagate-batch.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const partitionOnly: Aggregate = { ...contenderTotals, members: contenderTotals.members.slice(0, 1) };
const everyMinute: Aggregate = { ...partitionOnly, every: 60 };
const a = keyIn(aContender('a'));

describe('an aggregate that is computed once in a period', () => {
  test('computes a target once for all changes of a period', async () => {
    const worker = workerOver([aContender('a')], {}, everyMinute);
    for (const user of ['b', 'c', 'd']) {
      worker.table.put(aMatch('a', user, { Rival: 'a' }));
      await oneBatch(worker);
    }
    expect(spent(worker)).toEqual({});
    expect(worker.queue.sent.map(({ delaySeconds }) => delaySeconds)).toEqual(
      Array.from({ length: 3 }, () => untilEndOfPeriod(60, a, worker.time)),
    );

    await worker.workOff(60);

    expect(worker.table.read(a)).toMatchObject({ Matches: { N: '3' } });
    expect(spent(worker)).toMatchObject({ get: 1, update: 1 });
  });

  test('delays until the same moment, whenever in a period a change comes', () => {
    const start = Date.UTC(2026, 0, 1);
    const ends = Array.from({ length: 60 }, (_, second) => {
      const now = start + second * 1000;
      return now / 1000 + untilEndOfPeriod(60, a, now);
    });

    expect(new Set(ends).size).toBeLessThanOrEqual(2);
    for (let second = 0; second < 60; second += 1) {
      const delay = untilEndOfPeriod(60, a, start + second * 1000);
      expect(delay).toBeGreaterThanOrEqual(1);
      expect(delay).toBeLessThanOrEqual(60);
    }
  });

  test('has periods that end at other moments for other targets', () => {
    const delays = Array.from({ length: 20 }, (_, index) =>
      untilEndOfPeriod(60, keyIn(aContender(`${index}`)), 0),
    );

    expect(new Set(delays).size).toBeGreaterThan(10);
  });
});

describe('records of one batch that ask for the same target', () => {
  test('come again, all of them and no others, if the queue refuses the target', async () => {
    const worker = workerOver([aContender('a'), aContender('b')], {}, partitionOnly);
    for (const user of ['x', 'y']) worker.table.put(aMatch('a', user, { Rival: 'a' }));
    worker.table.put(aMatch('b', 'b'));
    const records = worker.stream.take();
    worker.queue.refusing = true;
    worker.port.answer = ({ pk }, outcome) => (pk === 'CONTENDER#a' ? 'unavailable' : outcome);

    const failed = await propagateBatch(worker.context, records);

    expect([...failed.keys()]).toEqual(records.slice(0, 2).map(({ id }) => id));
  });
});

describe('messages of one target that are received together', () => {
  const message: Message = { rule: 'contender-totals', root: a, cause: 'check', attempts: 0 };

  test('are one computation, which acknowledges or fails all of them', async () => {
    const worker = workerOver([aContender('a'), aMatch('a', 'b')], {}, contenderTotals);
    const records = [1, 2, 3].map((id) => ({ id: String(id), body: JSON.stringify(message) }));

    expect(await fanOutBatch(worker.context, records)).toEqual(new Map());
    expect(spent(worker)).toMatchObject({ get: 1, update: 1 });

    worker.queue.refusing = true;
    worker.port.answer = () => 'unavailable';
    worker.table.put(aContender('a'));
    expect([...(await fanOutBatch(worker.context, records)).keys()]).toEqual(['1', '2', '3']);
  });

  test('ask for a recheck if one of them does', () => {
    const changed: Message = { ...message, cause: 'changed' };
    const recheck: Message = { ...changed, recheck: true };

    expect(mergeMessages([recheck, message, changed])).toEqual(changed);
    expect(mergeMessages([recheck, message])).toEqual(message);
    expect(mergeMessages([recheck, recheck])).toEqual(recheck);
  });

  test('have the limits of the youngest: older work gives nothing else up', () => {
    const waited = { ...message, attempts: 1, unavailableSince: 5 };

    expect(mergeMessages([{ ...message, attempts: 3, unavailableSince: 9 }, waited])).toEqual({
      ...message,
      ...{ attempts: 1, unavailableSince: 9 },
    });
    expect(mergeMessages([waited, message])).toEqual(message);
  });
});
