import { describe, expect, it, vi } from 'vitest';
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

describe('an iterator', () => {
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
