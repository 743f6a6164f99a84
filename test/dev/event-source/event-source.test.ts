import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { openStream } from '../../../src/operate/adapters/dynamodb/stream-port.ts';
import { type LocalTestTable, startLocalTable } from '../local-table.ts';
import { begin, Recorder } from '../recorder.ts';
import { numbered, streamRecord } from '../stream-records.ts';
import { FakeStream } from './fake-stream.ts';

let stream: FakeStream;

beforeEach(() => {
  stream = new FakeStream();
});

describe('an event source', () => {
  it('delivers to a function while another is stuck', async () => {
    stream.shard('a').records = numbered(4);
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Recorder({ BatchSize: 1 }, () => gate.promise);
    const quick = new Recorder({}, undefined, 'Archive');
    const source = begin(stream, [stuck, quick]);
    await vi.waitUntil(() => quick.numbers.length === 4);
    expect(stuck.numbers).toEqual(['1']);
    gate.resolve(undefined);
    await source.idle();
    expect(stuck.numbers).toEqual(['1', '2', '3', '4']);
  });

  it('is idle only after the writes of an invocation have been delivered as well', async () => {
    const shard = stream.shard('a');
    shard.records = numbered(1);
    const echo = new Recorder({}, async () => {
      if (shard.records.length < 5) shard.records = numbered(shard.records.length + 1);
      return undefined;
    });
    await begin(stream, [echo]).idle();
    expect(echo.numbers).toEqual(['1', '2', '3', '4', '5']);
  });

  it('is not idle while a batch waits for its retry, and retries have no limit', async () => {
    stream.shard('a').records = numbered(1);
    const late = new Recorder({ MaximumRetryAttempts: -1 }, async () => {
      if (late.batches.length < 50) throw new Error('not yet');
      return undefined;
    });
    await begin(stream, [late]).idle();
    expect(late.batches).toHaveLength(50);
  });

  it('keeps no caller who no longer waits for it to be idle', async () => {
    stream.shard('a').records = numbered(1);
    const gate = Promise.withResolvers<undefined>();
    const waits = new AbortController();
    const idle = begin(stream, [new Recorder({}, () => gate.promise)]).idle(waits.signal);
    waits.abort();
    await idle;
    gate.resolve(undefined);
  });

  it('waits for running invocations when it stops, and starts no more', async () => {
    stream.shard('a').records = numbered(3);
    const gate = Promise.withResolvers<undefined>();
    const slow = new Recorder({ BatchSize: 1 }, () => gate.promise);
    const source = begin(stream, [slow]);
    await vi.waitUntil(() => slow.batches.length === 1);
    let isStopped = false;
    const stopped = source.stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    gate.resolve(undefined);
    await stopped;
    expect(slow.batches).toHaveLength(1);
  });

  it('refuses an unsupported filter before it starts', () => {
    const Pattern = { eventName: [{ wildcard: '*' }] };
    const read = new Recorder({ FilterCriteria: { Filters: [{ Pattern }] } });
    expect(() => begin(stream, [read])).toThrow(expect.objectContaining({ code: 'filter.unknown-pattern' }));
  });

  it('fails instead of dropping a batch that cannot be stored', async () => {
    stream.shard('a').records = numbered(1);
    const bad = new Recorder({ MaximumRetryAttempts: 0 }, async () => {
      throw new Error('bad record');
    });
    const source = begin(stream, [bad], {
      onFailure: async () => {
        throw new Error('disk full');
      },
    });
    await expect(source.failed).rejects.toMatchObject({
      code: 'stream.destination-failed',
      message: expect.stringContaining('disk full'),
    });
    await expect(source.idle()).rejects.toMatchObject({ code: 'stream.destination-failed' });
  });

  it('fails at once without a stream', async () => {
    stream.shard('a');
    stream.failOnce('ResourceNotFoundException');
    await expect(begin(stream, [new Recorder()]).failed).rejects.toMatchObject({
      code: 'stream.unreachable',
    });
  });

  it('survives a stream that is temporarily out of reach', async () => {
    stream.shard('a').records = numbered(2);
    stream.failOnce('InternalServerError');
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2']);
  });

  it('fails if nothing answers any more', async () => {
    const settings = { ...loopbackClientSettings(`http://127.0.0.1:${await freePort()}`), maxAttempts: 1 };
    const gone = openStream(new DynamoDBStreamsClient(settings), 'arn:gone');
    await expect(begin(gone, [new Recorder()]).failed).rejects.toMatchObject({
      code: 'stream.unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('batches', () => {
  it('are at most as large as in the mapping, and are delivered one after another', async () => {
    stream.shard('a').records = numbered(7);
    const read = new Recorder({ BatchSize: 3 });
    await begin(stream, [read]).idle();
    expect(read.batches.map(({ length }) => length)).toEqual([3, 3, 1]);
  });

  it('are no larger than the payload of an event', async () => {
    const large = numbered(5);
    for (const { dynamodb } of large)
      if (dynamodb) dynamodb.NewImage = { Details: { S: 'x'.repeat(2_000_000) } };
    stream.shard('a').records = large;
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.batches.map(({ length }) => length)).toEqual([3, 2]);
  });

  it('omit filtered records, and are never empty', async () => {
    stream.shard('a').records = ['USER#a', 'ORDER#a', 'USER#b'].map((pk, at) => streamRecord(at + 1, pk));
    const filtered = (...S: unknown[]) =>
      new Recorder({ FilterCriteria: { Filters: [{ Pattern: { dynamodb: { Keys: { PK: { S } } } } }] } });
    const [orders, none] = [filtered({ prefix: 'ORDER#' }), filtered('none')];
    await begin(stream, [orders, none]).idle();
    expect(orders.numbers).toEqual(['2']);
    expect(none.batches).toEqual([]);
  });

  it('are delivered in parallel by item, in the order of each', async () => {
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
});

describe('the shards of a stream', () => {
  it.each([
    ['if the stream reports the end of a shard', true],
    ['if it does not', false],
  ])('are read after their parents, %s', async (_, saysItsEnd) => {
    stream.shard('c', 'b').records = numbered(3, 7);
    stream.shard('b', 'a', saysItsEnd).records = numbered(3, 4);
    stream.shard('a', undefined, saysItsEnd).records = numbered(3, 1);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a', 'b', 'c']);
  });

  it('are not read while records of a parent are still being delivered', async () => {
    stream.shard('a', undefined, true).records = numbered(1);
    stream.shard('b', 'a').records = numbered(1, 2);
    const gate = Promise.withResolvers<undefined>();
    const blocked = new Recorder({}, () => gate.promise);
    const source = begin(stream, [blocked]);
    await vi.waitUntil(() => blocked.batches.length === 1);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a']);
    gate.resolve(undefined);
    await source.idle();
    expect(blocked.numbers).toEqual(['1', '2']);
  });

  it('are read at once if their parent no longer exists', async () => {
    stream.shard('b', 'a').records = numbered(2);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2']);
  });

  it('are found when they appear later', async () => {
    stream.shard('a');
    const read = new Recorder();
    const source = begin(stream, [read]);
    await source.idle();
    stream.shard('b', 'a').records = numbered(1);
    await source.idle();
    expect(read.numbers).toEqual(['1']);
  });
});

describe('the positions', () => {
  const numberOf = (source: ReturnType<typeof begin>) => source.positions()['a']?.after;

  it('are those before which everything is delivered to all, given up or filtered out', async () => {
    stream.shard('a').records = numbered(6);
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Recorder({ BatchSize: 1 }, async ([record]) =>
      record?.dynamodb?.SequenceNumber === '4' ? gate.promise : undefined,
    );
    const quick = new Recorder({}, undefined, 'Archive');
    const source = begin(stream, [stuck, quick]);
    await vi.waitUntil(() => quick.numbers.length === 6 && stuck.batches.length === 4);
    expect(numberOf(source)).toBe('3');
    gate.resolve(undefined);
    await source.idle();
    expect(numberOf(source)).toBe('6');
  });

  it('pass a record that is delivered to none', async () => {
    stream.shard('a').records = numbered(3);
    const read = new Recorder();
    const prepare = (record: DynamoDBRecord) =>
      record.dynamodb?.SequenceNumber === '2' ? record : undefined;
    const source = begin(stream, [read], { prepare });
    await source.idle();
    expect(read.numbers).toEqual(['2']);
    expect(numberOf(source)).toBe('3');
  });

  it('do not pass a batch that the end has cut short', async () => {
    stream.shard('a').records = numbered(2);
    const failing = new Recorder({ MaximumRetryAttempts: -1 }, async () => {
      throw new Error('not yet');
    });
    const source = begin(stream, [failing]);
    await vi.waitUntil(() => failing.batches.length > 1);
    await source.stop();
    expect(source.positions()).toEqual({});
  });

  it('are where another event source continues', async () => {
    stream.shard('a', undefined, true).records = numbered(3);
    stream.shard('b', 'a').records = numbered(2, 4);
    const first = begin(stream, [new Recorder()]);
    await first.idle();
    await first.stop();
    stream.shard('c', 'b').records = numbered(1, 6);
    const read = new Recorder();
    const second = begin(stream, [read], { resumed: first.positions() });
    expect(second.positions()).toEqual(first.positions());
    await second.idle();
    expect(read.numbers).toEqual(['6']);
  });
});

describe('an iterator', () => {
  it.each([
    ['that has expired', 'ExpiredIteratorException', false],
    ['at a trimmed position', 'TrimmedDataAccessException', false],
    ['whose last record is trimmed', 'ExpiredIteratorException', true],
  ])('%s is renewed after the last record, without duplicates or gaps', async (_, refusal, isTrimmed) => {
    const shard = stream.shard('a');
    shard.records = numbered(9);
    const read = new Recorder();
    const source = begin(stream, [read]);
    await source.idle();
    stream.expireIterators(refusal);
    if (isTrimmed) stream.trim();
    shard.records = isTrimmed ? numbered(3, 10) : numbered(12);
    await source.idle();
    expect(read.numbers).toEqual(numbered(12).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    expect(stream.opened.at(-1)?.position).toEqual(isTrimmed ? 'TRIM_HORIZON' : { after: '9' });
  });
});

describe('the stream of the embedded table', () => {
  let table: LocalTestTable;
  beforeAll(async () => {
    table = await startLocalTable();
  });
  afterAll(() => table.close());

  it('arrives as Lambda delivers it, and survives JSON', async () => {
    const Item = {
      PK: 'ORDER#§/..',
      SK: 'METADATA',
      Binary: Buffer.from([0, 255, 254]),
      Binaries: new Set([Buffer.from('a')]),
      Numbers: new Set([1, 2]),
      Nested: { list: [null, true, { deep: Buffer.from('b') }], empty: '' },
    };
    await table.items.send(new PutCommand({ TableName: table.name, Item }));
    await table.items.send(new PutCommand({ TableName: table.name, Item: { ...Item, Nested: 1 } }));
    await table.items.send(new DeleteCommand({ TableName: table.name, Key: { PK: Item.PK, SK: Item.SK } }));
    const read = new Recorder();
    await begin(table.stream, [read]).idle();
    const records = read.batches.flat();
    const image = {
      PK: { S: 'ORDER#§/..' },
      SK: { S: 'METADATA' },
      Binary: { B: 'AP/+' },
      Binaries: { BS: ['YQ=='] },
      Numbers: { NS: expect.arrayContaining(['1', '2']) },
      Nested: {
        M: {
          list: { L: [{ NULL: true }, { BOOL: true }, { M: { deep: { B: 'Yg==' } } }] },
          empty: { S: '' },
        },
      },
    };
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    expect(records[0]).toEqual({
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: expect.any(String),
      eventSourceARN: table.stream.arn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { PK: image.PK, SK: image.SK },
        NewImage: image,
        SequenceNumber: expect.stringMatching(/^\d+$/),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
    const age = Math.floor(Date.now() / 1000) - (records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60);
    expect(records[1]?.dynamodb?.OldImage).toEqual(image);
    expect(records[2]?.dynamodb).not.toHaveProperty('NewImage');
  });

  it('is read completely beyond ten records, in the order of their numbers', async () => {
    const read = new Recorder();
    const source = begin(table.stream, [read]);
    await source.idle();
    const before = read.numbers.length;
    for (let at = 0; at < 30; at += 1) {
      await table.items.send(
        new PutCommand({ TableName: table.name, Item: { PK: `USER#${at}`, SK: 'PROFILE' } }),
      );
      if (at % 10 === 0) await source.idle();
    }
    await source.idle();
    expect(read.numbers).toHaveLength(before + 30);
    expect(new Set(read.numbers).size).toBe(before + 30);
  });
});
