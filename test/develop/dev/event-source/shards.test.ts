import { describe, expect, it, vi } from 'vitest';
import { presentPositions, savedPosition } from '../../../../src/develop/dev/event-source/checkpoint.ts';
import { begin, Recorder } from '../recorder.ts';
import { numbered, streamRecord } from '../stream-records.ts';
import { FakeStream } from './fake-stream.ts';

describe('the shards of a stream', () => {
  it.each([
    ['if the stream reports the end of a shard', true],
    ['if it does not', false],
  ])('are read after their parents, %s', async (_, saysItsEnd) => {
    const stream = new FakeStream();
    stream.shard('c', 'b').records = numbered(3, 7);
    stream.shard('b', 'a', saysItsEnd).records = numbered(3, 4);
    stream.shard('a', undefined, saysItsEnd).records = numbered(3, 1);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a', 'b', 'c']);
  });

  it('are not read while records of a parent are still being delivered', async () => {
    const stream = new FakeStream();
    stream.shard('a', undefined, true).records = numbered(1);
    stream.shard('b', 'a').records = numbered(1, 2);
    const gate = Promise.withResolvers<undefined>();
    const blocked = new Recorder({}, () => gate.promise);
    const { idle } = begin(stream, [blocked]);
    await vi.waitUntil(() => blocked.batches.length === 1);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a']);
    gate.resolve(undefined);
    await idle();
    expect(blocked.numbers).toEqual(['1', '2']);
  });

  it('are read at once if their parent no longer exists', async () => {
    const stream = new FakeStream();
    stream.shard('b', 'a').records = numbered(2);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2']);
  });

  it('are found when they appear later, and read from their beginning even with LATEST', async () => {
    const stream = new FakeStream();
    const first = stream.shard('a');
    first.records = numbered(2);
    const read = new Recorder({ StartingPosition: 'LATEST' });
    const { idle } = begin(stream, [read]);
    await idle();
    expect(read.numbers).toEqual([]);
    first.records = [...first.records, streamRecord(3)];
    stream.shard('b', 'a').records = numbered(1, 4);
    await idle();
    expect(read.numbers).toEqual(['3', '4']);
  });
});

describe('the positions', () => {
  it('are those before which everything is delivered, given up or filtered out', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(6);
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Recorder({ BatchSize: 1 }, async ([record]) =>
      record?.dynamodb?.SequenceNumber === '4' ? gate.promise : undefined,
    );
    const quick = new Recorder({}, undefined, 'Archive');
    const { positions, idle } = begin(stream, [stuck, quick]);
    const finished = (name: string) => positions()[name]?.['a']?.after;
    await vi.waitUntil(() => finished('Archive') === '6' && stuck.batches.length === 4);
    expect(finished('Propagate')).toBe('3');
    gate.resolve(undefined);
    await idle();
    expect(finished('Propagate')).toBe('6');
  });

  it('do not pass a batch that the end has cut short', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(2);
    const failing = new Recorder({ MaximumRetryAttempts: -1 }, async () => {
      throw new Error('not yet');
    });
    const { positions, stop } = begin(stream, [failing]);
    await vi.waitUntil(() => failing.batches.length > 1);
    await stop();
    expect(positions()).toEqual({ Propagate: {} });
  });

  it('are where another event source continues, if their records are still there', async () => {
    const stream = new FakeStream();
    stream.shard('a', undefined, true).records = numbered(3);
    stream.shard('b', 'a').records = numbered(2, 4);
    const first = begin(stream, [new Recorder()]);
    await first.idle();
    const saved = first.positions();
    await first.stop();
    stream.shard('c', 'b').records = numbered(1, 6);
    const read = new Recorder();
    await begin(stream, [read], { resumed: await presentPositions(stream, saved) }).idle();
    expect(read.numbers).toEqual(['6']);
  });

  it('do not count if their record is gone, or is another one', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(3).map((record) => ({ ...record, eventName: 'MODIFY' }));
    stream.shard('b').records = numbered(3);
    const positionOf = (number: number) => savedPosition(streamRecord(number));
    const saved = { Propagate: { a: positionOf(3), b: positionOf(2), c: positionOf(1), d: positionOf(4) } };

    expect(await presentPositions(stream, saved)).toEqual({ Propagate: { b: positionOf(2) } });
  });
});

describe('an iterator', () => {
  it('at LATEST is renewed at the oldest record, because the start has seen none of what came since', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(2);
    const read = new Recorder({ StartingPosition: 'LATEST' });
    const { idle } = begin(stream, [read]);
    await idle();
    stream.expireIterators();
    shard.records = numbered(3);
    await idle();
    expect(read.numbers).toContain('3');
  });

  it('that has expired is renewed after the last record, without duplicates or gaps', async () => {
    const { stream, shard, read, idle } = await readUpTo(9);
    stream.expireIterators();
    shard.records = numbered(12);
    await idle();
    expect(read.numbers).toEqual(numbered(12).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    expect(stream.opened.at(-1)).toEqual({ shardId: 'a', position: { after: '9' } });
  });

  it('at a trimmed position is renewed in the same way', async () => {
    const { stream, shard, read, idle } = await readUpTo(2);
    stream.expireIterators('TrimmedDataAccessException');
    shard.records = numbered(3);
    await idle();
    expect(read.numbers).toEqual(['1', '2', '3']);
  });

  it('is renewed at the oldest remaining record if the last one is trimmed', async () => {
    const { stream, shard, read, idle } = await readUpTo(2);
    stream.expireIterators();
    stream.trim();
    shard.records = numbered(11, 2);
    await idle();
    expect(read.numbers).toEqual(numbered(12).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    expect(stream.opened.at(-1)?.position).toBe('TRIM_HORIZON');
  });

  it('survives a stream that is temporarily out of reach', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(2);
    stream.failOnce('InternalServerError');
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2']);
  });
});

/** A stream with one shard of this many records, which a function has read. */
async function readUpTo(count: number) {
  const stream = new FakeStream();
  const shard = stream.shard('a');
  shard.records = numbered(count);
  const read = new Recorder();
  const { idle } = begin(stream, [read]);
  await idle();
  return { stream, shard, read, idle };
}
