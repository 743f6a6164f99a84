import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EventSource, type MappedFunction, startEventSource } from '../../src/local/event-source.ts';
import { freePort } from '../../src/local/free-port.ts';
import { loopbackClientSettings } from '../../src/local/loopback.ts';
import type { OnFailureRecord } from '../../src/local/on-failure-record.ts';
import { openStream, type StreamPort } from '../../src/local/stream-port.ts';
import type { StreamMappingSettings } from '../../src/local/template.ts';
import { FakeStream } from './fake-stream.ts';
import { type LocalTestTable, startLocalTable } from './local-table.ts';
import { mappingSettings, sequenceNumbers, streamRecord } from './stream-records.ts';

/** A function that keeps what it was invoked with. */
class Recorder implements MappedFunction {
  readonly name: string;
  readonly settings: StreamMappingSettings;
  readonly batches: DynamoDBRecord[][] = [];
  readonly answer: (batch: DynamoDBRecord[]) => Promise<DynamoDBBatchResponse | undefined>;

  constructor(
    settings: Partial<StreamMappingSettings> = {},
    answer: Recorder['answer'] = async () => undefined,
    name = 'Propagate',
  ) {
    this.name = name;
    this.settings = mappingSettings(settings);
    this.answer = answer;
  }

  readonly invoke: MappedFunction['invoke'] = async ({ Records }) => {
    this.batches.push(Records);
    return this.answer(Records);
  };

  get numbers(): string[] {
    return sequenceNumbers(this.batches.flat());
  }
}

let source: EventSource | undefined;
const failures: OnFailureRecord[] = [];
afterEach(async () => {
  await source?.stop();
  failures.splice(0);
});

function begin(
  stream: StreamPort,
  functions: MappedFunction[],
  prepare?: (record: DynamoDBRecord) => Promise<DynamoDBRecord>,
): EventSource {
  source = startEventSource({
    stream,
    functions,
    onFailure: async (record) => failures.push(record),
    retryDelay: { first: 1, longest: 2 },
    ...(prepare === undefined ? {} : { prepare }),
  });
  return source;
}

const numbered = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => streamRecord(from + at));

describe('the shards of a stream', () => {
  it.each([
    ['where the stream says where a shard ends', true],
    ['where it does not', false],
  ])('are read after the ones they continue, %s', async (_, saysItsEnd) => {
    const stream = new FakeStream();
    stream.shard('c', 'b').records = numbered(3, 7);
    stream.shard('b', 'a', saysItsEnd).records = numbered(3, 4);
    stream.shard('a', undefined, saysItsEnd).records = numbered(3, 1);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a', 'b', 'c']);
  });

  it('are not begun while a parent’s records are still being delivered', async () => {
    const stream = new FakeStream();
    stream.shard('a', undefined, true).records = numbered(1);
    stream.shard('b', 'a').records = numbered(1, 2);
    const gate = Promise.withResolvers<undefined>();
    const blocked = new Recorder({}, () => gate.promise);
    begin(stream, [blocked]);
    await vi.waitUntil(() => blocked.batches.length === 1);
    expect(stream.opened.map(({ shardId }) => shardId)).toEqual(['a']);
    gate.resolve(undefined);
    await source?.idle();
    expect(blocked.numbers).toEqual(['1', '2']);
  });

  it('are read at once where the one they continue is no longer there', async () => {
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
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual([]);
    first.records = [...first.records, streamRecord(3)];
    stream.shard('b', 'a').records = numbered(1, 4);
    await source?.idle();
    expect(read.numbers).toEqual(['3', '4']);
  });
});

describe('an iterator', () => {
  it('that has expired is renewed after the last record read, none twice and none left out', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(9);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    stream.expireIterators();
    shard.records = numbered(12);
    await source?.idle();
    expect(read.numbers).toEqual(numbered(12).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    expect(stream.opened.at(-1)).toEqual({ shardId: 'a', position: { after: '9' } });
  });

  it('that points to where records were trimmed is renewed likewise', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(2);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    stream.expireIterators('TrimmedDataAccessException');
    shard.records = numbered(3);
    await source?.idle();
    expect(read.numbers).toEqual(['1', '2', '3']);
  });

  it('is renewed at the oldest record that is left where the last one read is gone', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(2);
    const read = new Recorder();
    await begin(stream, [read]).idle();
    stream.expireIterators();
    stream.trim();
    shard.records = numbered(11, 2);
    await source?.idle();
    expect(read.numbers).toEqual(numbered(12).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    expect(stream.opened.at(-1)?.position).toBe('TRIM_HORIZON');
  });

  it('survives a stream that is out of reach for a moment', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(2);
    stream.failOnce('InternalServerError');
    const read = new Recorder();
    await begin(stream, [read]).idle();
    expect(read.numbers).toEqual(['1', '2']);
  });
});

describe('batches', () => {
  it('are as large as the mapping says at most, one after the other', async () => {
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

  it('leave out what the filter does, and are not made of nothing', async () => {
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

  it('run side by side by item with lanes, the order of an item kept', async () => {
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

  it('that fail for good go to the destination, and the rest of the shard goes on', async () => {
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

describe('an event source', () => {
  it('gives each function a position of its own, and leaves out one that is switched off', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(4);
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Recorder({ BatchSize: 1 }, () => gate.promise);
    const quick = new Recorder({}, undefined, 'Archive');
    const off = new Recorder({ Enabled: false });
    begin(stream, [stuck, quick, off]);
    await vi.waitUntil(() => quick.numbers.length === 4);
    expect(stuck.numbers).toEqual(['1']);
    gate.resolve(undefined);
    await source?.idle();
    expect(stuck.numbers).toEqual(['1', '2', '3', '4']);
    expect(off.batches).toEqual([]);
  });

  it('delivers records as they are prepared', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    const read = new Recorder();
    await begin(stream, [read], async (record) => ({ ...record, userIdentity: { type: 'Service' } })).idle();
    expect(read.batches[0]?.[0]?.userIdentity).toEqual({ type: 'Service' });
  });

  it('is idle only when what an invocation wrote has been delivered as well', async () => {
    const stream = new FakeStream();
    const shard = stream.shard('a');
    shard.records = numbered(1);
    const echo = new Recorder({}, async () => {
      if (shard.records.length < 5) shard.records = numbered(shard.records.length + 1);
      return undefined;
    });
    await begin(stream, [echo]).idle();
    expect(echo.numbers).toEqual(['1', '2', '3', '4', '5']);
  });

  it('is not idle while a batch waits for its retry', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    let attempts = 0;
    const late = new Recorder({ MaximumRetryAttempts: 20 }, async () => {
      attempts += 1;
      if (attempts < 10) throw new Error('not yet');
      return undefined;
    });
    await begin(stream, [late]).idle();
    expect(attempts).toBe(10);
  });

  it('waits for invocations under way when it stops, and begins none', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(3);
    const gate = Promise.withResolvers<undefined>();
    let finished = 0;
    const slow = new Recorder({ BatchSize: 1 }, async () => {
      await gate.promise;
      finished += 1;
      return undefined;
    });
    const { stop } = begin(stream, [slow]);
    await vi.waitUntil(() => slow.batches.length === 1);
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    gate.resolve(undefined);
    await stopped;
    expect(finished).toBe(1);
    expect(slow.batches).toHaveLength(1);
  });

  it('refuses a filter that it does not know, before it begins', () => {
    const Pattern = { eventName: [{ wildcard: '*' }] };
    const read = new Recorder({ FilterCriteria: { Filters: [{ Pattern }] } });
    expect(() => begin(new FakeStream(), [read])).toThrow(
      expect.objectContaining({ code: 'filter.unknown-pattern' }),
    );
  });

  it('fails rather than drop a batch that cannot be kept', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    const bad = new Recorder({ MaximumRetryAttempts: 0 }, async () => {
      throw new Error('bad record');
    });
    source = startEventSource({
      stream,
      functions: [bad],
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

  it('fails at once where there is no such stream', async () => {
    const stream = new FakeStream();
    stream.shard('a');
    stream.failOnce('ResourceNotFoundException');
    await expect(begin(stream, [new Recorder()]).failed).rejects.toMatchObject({
      code: 'stream.unreachable',
    });
  });

  it('fails where nothing answers any more', async () => {
    const settings = { ...loopbackClientSettings(`http://127.0.0.1:${await freePort()}`), maxAttempts: 1 };
    const stream = openStream(new DynamoDBStreamsClient(settings), 'arn:gone');
    await expect(begin(stream, [new Recorder()]).failed).rejects.toMatchObject({
      code: 'stream.unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
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

  it('is read whole beyond ten records, whose sequence numbers are no longer in the order of texts', async () => {
    const read = new Recorder();
    const { idle } = begin(table.stream, [read]);
    await idle();
    const before = read.numbers.length;
    for (let at = 0; at < 30; at += 1) {
      await table.items.send(
        new PutCommand({ TableName: table.name, Item: { PK: `USER#${at}`, SK: 'PROFILE' } }),
      );
      if (at % 10 === 0) await idle();
    }
    await idle();
    expect(read.numbers).toHaveLength(before + 30);
    expect(new Set(read.numbers).size).toBe(before + 30);
  });
});
