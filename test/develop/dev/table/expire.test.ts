import { once } from 'node:events';
import { createServer } from 'node:http';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EventSource, startEventSource } from '../../../../src/develop/dev/event-source/event-source.ts';
import { Expiry } from '../../../../src/develop/dev/table/expire.ts';
import { type LocalTestTable, startLocalTable } from '../local-table.ts';
import { mappingSettings, streamRecord } from '../stream-records.ts';

const mark = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
const seconds = () => Date.now() / 1000;

describe('expiry on the embedded table', () => {
  let table: LocalTestTable;
  let expiry: Expiry;
  let source: EventSource;
  let records: DynamoDBRecord[];
  let item = 0;
  let key = { PK: '', SK: '' };

  beforeAll(async () => {
    table = await startLocalTable();
  });
  afterAll(() => table.close());
  beforeEach(() => {
    item += 1;
    key = { PK: `ORDER#${item}`, SK: 'METADATA' };
    records = [];
    expiry = new Expiry({
      endpoint: table.endpoint,
      tableName: table.name,
      keyAttributes: ['PK', 'SK'],
      attribute: 'ExpiresAt',
      readers: 2,
    });
    const functions = ['Propagate', 'Archive'].map((name) => ({
      name,
      settings: mappingSettings(),
      invoke: async ({ Records }: { Records: DynamoDBRecord[] }) => {
        records.push(...Records);
        return undefined;
      },
    }));
    source = startEventSource({
      stream: table.stream,
      functions,
      onFailure: async () => {},
      prepare: expiry.prepare,
      onRecordFetched: expiry.onRecordFetched,
    });
  });
  afterEach(async () => {
    await source.stop();
    await expiry.stop();
  });

  const put = (attributes: Record<string, unknown>) =>
    table.items.send(new PutCommand({ TableName: table.name, Item: { ...key, ...attributes } }));
  const remove = () => table.items.send(new DeleteCommand({ TableName: table.name, Key: key }));
  const stands = async () =>
    (await table.items.send(new GetCommand({ TableName: table.name, Key: key }))).Item !== undefined;
  const gone = () => vi.waitUntil(async () => !(await stands()), { timeout: 5_000, interval: 20 });
  const removals = async () => {
    await source.idle();
    return records.filter(
      ({ eventName, dynamodb }) => eventName === 'REMOVE' && dynamodb?.Keys?.PK?.S === key.PK,
    );
  };

  it('removes items that expired before it started, although no record announces them', async () => {
    await source.stop();
    await put({ ExpiresAt: Math.floor(seconds()) - 10 });
    expect(await stands()).toBe(true);
    await expiry.start();
    await gone();
  });

  it('removes an item at its expiry time, and marks the record for each function', async () => {
    await expiry.start();
    const at = Math.ceil(seconds()) + 1;
    await put({ ExpiresAt: at, Tags: new Set(['b', 'a']), Binary: Buffer.from('x') });
    await source.idle();
    expect(seconds() < at ? await stands() : true).toBe(true);
    await gone();
    expect(seconds()).toBeGreaterThanOrEqual(at);
    const removed = await removals();
    expect(removed).toHaveLength(2);
    for (const record of removed) expect(record.userIdentity).toEqual(mark);
  });

  it('keeps an item whose expiry time was postponed, until the new time', async () => {
    await expiry.start();
    const first = Math.ceil(seconds()) + 1;
    await put({ ExpiresAt: first });
    await source.idle();
    // Nothing reads the stream now: only the condition of the delete can save the item.
    await source.stop();
    await table.items.send(
      new UpdateCommand({
        TableName: table.name,
        Key: key,
        UpdateExpression: 'SET ExpiresAt = :at',
        ExpressionAttributeValues: { ':at': first + 3600 },
      }),
    );
    const marker = { PK: `${key.PK}-marker`, SK: 'METADATA' };
    await table.items.send(new PutCommand({ TableName: table.name, Item: { ...marker, ExpiresAt: first } }));
    expiry.onRecordFetched(expiring(marker, first));
    await vi.waitUntil(
      async () => !(await table.items.send(new GetCommand({ TableName: table.name, Key: marker }))).Item,
      { timeout: 5_000, interval: 20 },
    );
    expect(await stands()).toBe(true);
  });

  it('never marks a user’s delete, not even of an expired item', async () => {
    await put({ ExpiresAt: Math.floor(seconds()) - 10 });
    await remove();
    await expiry.start();
    for (const record of await removals()) expect(record).not.toHaveProperty('userIdentity');
    expect(await removals()).toHaveLength(2);
  });

  it('attributes a removal in its first second to a previous process that was killed', async () => {
    const created = Math.floor(seconds());
    const successor = new Expiry({
      endpoint: table.endpoint,
      tableName: table.name,
      keyAttributes: ['PK', 'SK'],
      attribute: 'ExpiresAt',
      readers: 2,
      afterAnother: true,
    });
    const record = streamRecord(1_000_001);
    const OldImage = { ...record.dynamodb?.Keys, ExpiresAt: { N: String(created - 1) } };
    const dynamodb = { ...record.dynamodb, ApproximateCreationDateTime: created, OldImage };

    expect(await successor.prepare({ ...record, eventName: 'REMOVE', dynamodb })).toHaveProperty(
      'userIdentity',
      mark,
    );
    await successor.stop();
  });

  it('tells its own removal from a user’s removal of the same item with the same content', async () => {
    await expiry.start();
    const at = Math.ceil(seconds()) + 1;
    await put({ ExpiresAt: at });
    await remove();
    await source.idle();
    await put({ ExpiresAt: at });
    await gone();
    const marks = (await removals()).map(({ userIdentity }) => userIdentity);
    expect(marks).toHaveLength(4);
    expect(marks.filter((identity) => identity === undefined)).toHaveLength(2);
  });

  it('marks only removals, and keeps existing marks', async () => {
    const created = Math.floor(seconds()) - 3_600;
    const image = { ExpiresAt: { N: String(created - 1) } };
    const record = streamRecord(1_000_000);
    const dynamodb = { ...record.dynamodb, ApproximateCreationDateTime: created, OldImage: image };
    const modified: DynamoDBRecord = { ...record, eventName: 'MODIFY', dynamodb };
    const removed: DynamoDBRecord = { ...record, eventName: 'REMOVE', dynamodb };
    const replicated: DynamoDBRecord = {
      ...removed,
      userIdentity: { type: 'Service', principalId: 'other' },
    };
    expect(await expiry.prepare(modified)).toEqual(modified);
    expect(await expiry.prepare(replicated)).toEqual(replicated);
    expect(await expiry.prepare(removed)).toEqual({ ...removed, userIdentity: mark });
  });

  it('ignores times that are not numbers, or more than five years in the past', async () => {
    await put({ ExpiresAt: Math.floor(seconds()) - 6 * 366 * 86_400 });
    await expiry.start();
    const kept = { ...key };
    key = { PK: `${key.PK}-text`, SK: 'METADATA' };
    await put({ ExpiresAt: '1' });
    const text = { ...key };
    key = { PK: `${key.PK}-last`, SK: 'METADATA' };
    await put({ ExpiresAt: Math.floor(seconds()) - 1 });
    await gone();
    for (const Key of [kept, text])
      expect((await table.items.send(new GetCommand({ TableName: table.name, Key }))).Item).toBeDefined();
  });
});

describe('a removal whose answer is late', () => {
  it('is marked even if its record arrives first', async () => {
    const { expiry, answer, removal } = await expiringOne();
    const prepared = expiry.prepare(removal);
    answer();
    expect((await prepared).userIdentity).toEqual(mark);
  });

  it('does not cancel the expiry of an item that was put again with the same expiry time', async () => {
    const { expiry, answer, removal, insertion, deletes } = await expiringOne();
    expiry.onRecordFetched(removal);
    expiry.onRecordFetched(insertion);
    answer();
    await vi.waitUntil(() => deletes() === 2, { timeout: 5_000, interval: 20 });
  });
});

/** A server with one expired item. It holds back its answers to deletes, one of which it has received, until `answer` is called. */
async function expiringOne() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const item = { PK: { S: 'a' }, SK: { S: 'b' }, ExpiresAt: { N: String(Math.floor(seconds()) - 1) } };
  let deletes = 0;
  const server = createServer(async (request, response) => {
    request.resume();
    const isScan = String(request.headers['x-amz-target']).endsWith('.Scan');
    if (!isScan) {
      deletes += 1;
      asked.resolve();
      await answered.promise;
    }
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(isScan ? { Items: [item] } : { Attributes: item }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const expiry = new Expiry({
    endpoint: `http://127.0.0.1:${port}`,
    tableName: 'app',
    keyAttributes: ['PK', 'SK'],
    attribute: 'ExpiresAt',
    readers: 2,
  });
  onTestFinished(async () => {
    await expiry.stop();
    server.close();
  });
  await expiry.start();
  await asked.promise;
  const record = streamRecord(1);
  const Keys = { PK: item.PK, SK: item.SK };
  const removal: DynamoDBRecord = {
    ...record,
    eventName: 'REMOVE',
    dynamodb: { ...record.dynamodb, Keys, OldImage: item },
  };
  const insertion = { ...record, dynamodb: { ...record.dynamodb, Keys, NewImage: item } };
  return { expiry, answer: answered.resolve, removal, insertion, deletes: () => deletes };
}

function expiring(key: { PK: string; SK: string }, at: number): DynamoDBRecord {
  const record = streamRecord(1);
  const Keys = { PK: { S: key.PK }, SK: { S: key.SK } };
  return {
    ...record,
    dynamodb: { ...record.dynamodb, Keys, NewImage: { ...Keys, ExpiresAt: { N: String(at) } } },
  };
}
