import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Expiry, expiryOf } from '../../../src/dev/table/expire.ts';
import { table as names } from '../../../src/table.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';
import { type LocalTestTable, startLocalTable } from '../local-table.ts';
import { begin, Recorder } from '../recorder.ts';
import { streamRecord } from '../stream-records.ts';

const mark = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
const seconds = () => Date.now() / 1000;

describe('expiry on the embedded table', () => {
  let table: LocalTestTable;
  let expiry: Expiry;
  let item = 0;
  let key = { PK: '', SK: '' };

  beforeAll(async () => {
    table = await startLocalTable();
  });
  afterAll(() => table.close());
  beforeEach(() => {
    item += 1;
    key = { PK: `ORDER#${item}`, SK: 'METADATA' };
    expiry = expiryOf({ endpoint: table.endpoint, tableName: table.name, names });
  });
  afterEach(() => expiry.stop());

  /** An event source with the expiry, and the removals of the test's item that it has delivered. */
  function reading() {
    const read = new Recorder();
    const source = begin(table.stream, [read], { prepare: expiry.prepare });
    const removals = async () => {
      await source.idle();
      return read.batches
        .flat()
        .filter(({ eventName, dynamodb }) => eventName === 'REMOVE' && dynamodb?.Keys?.PK?.S === key.PK);
    };
    return { source, removals };
  }

  const put = (attributes: Record<string, unknown>, Key = key) =>
    table.items.send(new PutCommand({ TableName: table.name, Item: { ...Key, ...attributes } }));
  const isThere = async (Key = key) =>
    (await table.items.send(new GetCommand({ TableName: table.name, Key }))).Item !== undefined;
  const gone = (Key = key) =>
    vi.waitUntil(async () => !(await isThere(Key)), { timeout: 30_000, interval: 20 });

  it('removes items that expired before it started, although no record announces them', async () => {
    await put({ ExpiresAt: Math.floor(seconds()) - 10 });
    expect(await isThere()).toBe(true);
    await expiry.start();
    await gone();
  });

  it('leaves items that were there before, if only written ones are to expire', async () => {
    const [there, written] = [key, { ...key, SK: 'written' }];
    await put({ ExpiresAt: Math.floor(seconds()) - 10 }, there);
    await expiry.start('written');
    await put({ ExpiresAt: Math.floor(seconds()) - 10 }, written);
    const { dynamodb, ...record } = streamRecord(1);
    const Keys = { PK: { S: written.PK }, SK: { S: written.SK } };
    const NewImage = { ...Keys, ExpiresAt: { N: String(Math.floor(seconds()) - 10) } };
    expiry.prepare({ ...record, dynamodb: { ...dynamodb, Keys, NewImage } });
    await gone(written);
    expect(await isThere(there)).toBe(true);
  });

  it('removes an item at its expiry time, and marks the record', async () => {
    const { source, removals } = reading();
    await expiry.start();
    const at = Math.ceil(seconds()) + 1;
    await put({ ExpiresAt: at });
    await source.idle();
    expect(seconds() < at ? await isThere() : true).toBe(true);
    await gone();
    expect(seconds()).toBeGreaterThanOrEqual(at);
    expect(await removals()).toMatchObject([{ userIdentity: mark }]);
  });

  it('keeps an item whose expiry time was postponed, until the new time', async () => {
    const { source } = reading();
    await expiry.start();
    const first = Math.ceil(seconds()) + 1;
    const marker = { ...key, SK: 'MARKER' };
    await put({ ExpiresAt: first });
    await put({ ExpiresAt: first }, marker);
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
    await gone(marker);
    await expiry.removeDue();
    expect(await isThere()).toBe(true);
  });

  it('does not mark a user’s delete of an item whose time has not passed', async () => {
    const { removals } = reading();
    await expiry.start();
    await put({ ExpiresAt: Math.ceil(seconds()) + 3_600 });
    await table.items.send(new DeleteCommand({ TableName: table.name, Key: key }));
    expect((await removals()).map(({ userIdentity }) => userIdentity)).toEqual([undefined]);
  });

  it('marks only removals of expired items, and keeps existing marks', () => {
    const created = Math.floor(seconds());
    const removed = (ExpiresAt: number, more: Partial<DynamoDBRecord> = {}): DynamoDBRecord => {
      const { dynamodb, ...record } = streamRecord(1);
      const OldImage = { ExpiresAt: { N: String(ExpiresAt) } };
      const times = { ApproximateCreationDateTime: created, OldImage };
      return { ...record, eventName: 'REMOVE', dynamodb: { ...dynamodb, ...times }, ...more };
    };
    for (const expired of [removed(created), removed(created - 1), removed(created + 0.5)])
      expect(expiry.prepare(expired)).toEqual({ ...expired, userIdentity: mark });
    for (const other of [
      removed(created + 1),
      removed(created - 6 * 366 * 86_400),
      removed(created - 1, { eventName: 'MODIFY' }),
      removed(created - 1, { userIdentity: { type: 'Service', principalId: 'other' } }),
    ])
      expect(expiry.prepare(other)).toEqual(other);
  });

  it('ignores times that are not numbers, or more than five years in the past', async () => {
    const [text, last] = [
      { ...key, SK: 'TEXT' },
      { ...key, SK: 'LAST' },
    ];
    await put({ ExpiresAt: Math.floor(seconds()) - 6 * 366 * 86_400 });
    await put({ ExpiresAt: '1' }, text);
    await put({ ExpiresAt: Math.floor(seconds()) - 1 }, last);
    await expiry.start();
    await gone(last);
    expect([await isThere(), await isThere(text)]).toEqual([true, true]);
  });
});

it('an item that is put again while it is removed expires again', async () => {
  const ExpiresAt = { N: String(Math.floor(seconds()) - 1) };
  const { dynamodb, ...rest } = streamRecord(1);
  const insertion = { ...rest, dynamodb: { ...dynamodb, NewImage: { ...dynamodb?.Keys, ExpiresAt } } };
  let deletes = 0;
  const server = await serverOfTest(() => {
    deletes += 1;
    if (deletes === 1) expiry.prepare(insertion);
    return { status: 200, body: '{}' };
  });
  const expiry = expiryOf({ endpoint: server.endpoint, tableName: 'app', names });
  onTestFinished(expiry.stop);
  expiry.prepare(insertion);

  expect([await expiry.removeDue(), await expiry.removeDue(), await expiry.removeDue(), deletes]).toEqual([
    1, 1, 0, 2,
  ]);
});

it('costs nothing while no item expires, however many there are', async () => {
  const expiry = expiryOf({ endpoint: 'http://127.0.0.1:1', tableName: 'app', names });
  onTestFinished(expiry.stop);
  const ExpiresAt = { N: String(Math.floor(seconds()) + 86_400) };
  for (let number = 0; number < 100_000; number += 1) {
    const { dynamodb, ...rest } = streamRecord(number);
    expiry.prepare({ ...rest, dynamodb: { ...dynamodb, NewImage: { ...dynamodb?.Keys, ExpiresAt } } });
  }
  const before = process.cpuUsage();
  for (let look = 0; look < 100; look += 1) await expiry.removeDue();

  expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
});
