import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEventSource } from '../../../../src/develop/dev/event-source/event-source.ts';
import { openStream } from '../../../../src/develop/dev/event-source/stream-port.ts';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { freePort } from '../../../../src/develop/dev/table/free-port.ts';
import { type LocalTestTable, startLocalTable } from '../local-table.ts';
import { begin, Recorder } from '../recorder.ts';
import { numbered } from '../stream-records.ts';
import { FakeStream } from './fake-stream.ts';

describe('an event source', () => {
  it('gives each function a separate position', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(4);
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Recorder({ BatchSize: 1 }, () => gate.promise);
    const quick = new Recorder({}, undefined, 'Archive');
    const { idle } = begin(stream, [stuck, quick]);
    await vi.waitUntil(() => quick.numbers.length === 4);
    expect(stuck.numbers).toEqual(['1']);
    gate.resolve(undefined);
    await idle();
    expect(stuck.numbers).toEqual(['1', '2', '3', '4']);
  });

  it('delivers records in their prepared form', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    const read = new Recorder();
    const prepare = async (record: DynamoDBRecord) => ({ ...record, userIdentity: { type: 'Service' } });
    await begin(stream, [read], { prepare }).idle();
    expect(read.batches[0]?.[0]?.userIdentity).toEqual({ type: 'Service' });
  });

  it('is idle only after the writes of an invocation have been delivered as well', async () => {
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

  it('waits for running invocations when it stops, and starts no more', async () => {
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

  it('refuses an unsupported filter before it starts', () => {
    const Pattern = { eventName: [{ wildcard: '*' }] };
    const read = new Recorder({ FilterCriteria: { Filters: [{ Pattern }] } });
    expect(() => begin(new FakeStream(), [read])).toThrow(
      expect.objectContaining({ code: 'filter.unknown-pattern' }),
    );
  });

  it('fails instead of dropping a batch that cannot be stored', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    const bad = new Recorder({ MaximumRetryAttempts: 0 }, async () => {
      throw new Error('bad record');
    });
    const source = startEventSource({
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

  it('fails at once without a stream', async () => {
    const stream = new FakeStream();
    stream.shard('a');
    stream.failOnce('ResourceNotFoundException');
    await expect(begin(stream, [new Recorder()]).failed).rejects.toMatchObject({
      code: 'stream.unreachable',
    });
  });

  it('fails if nothing answers any more', async () => {
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

  it('is read completely beyond ten records, whose sequence numbers are not in text order', async () => {
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
