import { describe, expect, it, vi } from 'vitest';
import { begin, failures, Recorder } from '../recorder.ts';
import { numbered, sequenceNumbers, streamRecord } from '../stream-records.ts';
import { FakeStream } from './fake-stream.ts';

describe('batches', () => {
  it('are at most as large as in the mapping, and are delivered one after another', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(7);
    const read = new Recorder({ BatchSize: 3 });
    await begin(stream, [read]).idle();
    expect(read.batches.map(({ length }) => length)).toEqual([3, 3, 1]);
  });

  it('are no larger than the payload of an event', async () => {
    const stream = new FakeStream();
    const large = numbered(5);
    for (const { dynamodb } of large)
      if (dynamodb) dynamodb.NewImage = { Details: { S: 'x'.repeat(2_000_000) } };
    stream.shard('a').records = large;
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.batches.map(({ length }) => length)).toEqual([3, 2]);
  });

  it('wait for the window to fill, and no longer than it lasts', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(1);
    const read = new Recorder({ MaximumBatchingWindowInSeconds: 1, BatchSize: 3 });
    const started = Date.now();
    begin(stream, [read]);
    await vi.waitUntil(() => stream.opened.length > 0);
    shard.records = numbered(2);
    await vi.waitUntil(() => read.batches.length === 1, { timeout: 5_000, interval: 10 });
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
    expect(read.numbers).toEqual(['1', '2']);
    shard.records = numbered(5);
    const full = Date.now();
    await vi.waitUntil(() => read.batches.length === 2, { timeout: 5_000, interval: 10 });
    expect(Date.now() - full).toBeLessThan(900);
  });

  it('omit filtered records, and are never empty', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = [
      streamRecord(1, 'USER#a'),
      streamRecord(2, 'ORDER#a'),
      streamRecord(3, 'USER#b'),
    ];
    const Pattern = { dynamodb: { Keys: { PK: { S: [{ prefix: 'ORDER#' }] } } } };
    const nothing = { dynamodb: { Keys: { PK: { S: ['none'] } } } };
    const orders = new Recorder({ FilterCriteria: { Filters: [{ Pattern }] } });
    const none = new Recorder({ FilterCriteria: { Filters: [{ Pattern: nothing }] } });
    await begin(stream, [orders, none]).idle();
    expect(orders.numbers).toEqual(['2']);
    expect(none.batches).toEqual([]);
  });

  it('are delivered in parallel by item with a parallelization factor, in the order of each item', async () => {
    const stream = new FakeStream();
    const items = ['a', 'b', 'c', 'd', 'e', 'f'];
    stream.shard('a').records = Array.from({ length: 60 }, (_, at) =>
      streamRecord(at + 1, items[at % items.length]),
    );
    let running = 0;
    let most = 0;
    const read = new Recorder({ ParallelizationFactor: 3, BatchSize: 5 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return undefined;
    });
    await begin(stream, [read]).idle();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
    for (const item of items) {
      const numbers = read.batches
        .flat()
        .filter(({ dynamodb }) => dynamodb?.Keys?.PK?.S === item)
        .map(({ dynamodb }) => Number(dynamodb?.SequenceNumber));
      expect(numbers).toHaveLength(10);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  });

  it('that fail permanently go to the destination, and the rest of the shard continues', async () => {
    const stream = new FakeStream();
    const records = numbered(3);
    stream.shard('a').records = records;
    const bad = new Recorder({ BisectBatchOnFunctionError: true }, async (batch) => {
      if (sequenceNumbers(batch).includes('2')) throw new Error('bad record');
      return undefined;
    });
    await begin(stream, [bad]).idle();
    expect(new Set(bad.numbers)).toEqual(new Set(['1', '2', '3']));
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({
      requestContext: {
        condition: 'RetryAttemptsExhausted',
        functionArn: expect.stringMatching(/Propagate$/),
      },
      DDBStreamBatchInfo: { shardId: 'a', startSequenceNumber: '2', batchSize: 1 },
    });
    expect(JSON.parse(failures[0]?.payload ?? '')).toEqual({ Records: [records[1]] });
  });
});
