import { setTimeout } from 'node:timers/promises';
import { DeleteItemCommand, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import pLimit from 'p-limit';
import { isObject } from '../../model/basics/type-of.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import { isExpired } from '../../model/items/expiry.ts';
import { keyAttributes, keyOf, keyText } from '../../model/items/item.ts';
import { keyParts, type TableNames } from '../../model/items/table-names.ts';
import { nameOf } from '../errors.ts';
import { loopbackClientSettings } from '../loopback.ts';

/** How often to look for items whose time has passed. */
const intervalMs = 100;

/** The identity in the record of an expiry. Source: DynamoDB Developer Guide, "TTL and streams". */
const timeToLive = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

interface ExpiryOptions {
  readonly endpoint: string;
  readonly tableName: string;
  readonly names: Pick<TableNames, 'pk' | 'sk' | 'ttl'>;
}

export type Expiry = ReturnType<typeof expiryOf>;

/** Local servers have no TTL. Each delete is on condition of the TTL as last seen: an item whose TTL has changed survives. */
export function expiryOf({ endpoint, tableName, names }: ExpiryOptions) {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const limit = pLimit(8);
  const stopping = new AbortController();
  const { signal } = stopping;
  /** By the JSON of its keys, each item that has a TTL, with it. */
  const expiring = new Map<string, { readonly time: string }>();
  /** No item expires before, in epoch seconds: a look at all of a large table costs half of the time until the next. */
  let firstAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function scan(): Promise<void> {
    const read = [...keyParts(names).names, names.ttl];
    const placeholders = read.map((name, index) => [`#${index}`, name] as const);
    const pages = paginateScan(
      { client },
      {
        TableName: tableName,
        FilterExpression: `attribute_type(#${read.length - 1}, :number)`,
        ProjectionExpression: placeholders.map(([placeholder]) => placeholder).join(),
        ExpressionAttributeNames: Object.fromEntries(placeholders),
        ExpressionAttributeValues: { ':number': { S: 'N' } },
      },
    );
    for await (const { Items = [] } of pages) for (const item of Items) note(item, item);
  }

  function note(keys: unknown, image: unknown): void {
    const read = readItem(keys);
    const key = read && keyOf(names, read);
    if (key === undefined) return;
    const time = numberIn(image, names.ttl);
    if (time === undefined) expiring.delete(keyText(key));
    else {
      expiring.set(keyText(key), { time });
      firstAt = Math.min(firstAt, Number(time));
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await removeDue();
      await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
    }
  }

  async function removeDue(): Promise<number> {
    const now = Date.now() / 1000;
    if (firstAt > now) return 0;
    const due = [...expiring].filter(([, { time }]) => isExpired(Number(time), now));
    await Promise.all(due.map(([key, one]) => limit(() => remove(key, one))));
    firstAt = Number.POSITIVE_INFINITY;
    for (const { time } of expiring.values()) {
      const at = Number(time);
      // Times of long ago never expire.
      if (at >= now || isExpired(at, now)) firstAt = Math.min(firstAt, at);
    }
    return due.length;
  }

  /** A delete that the server refuses is tried again at the next look. */
  async function remove(key: string, one: { readonly time: string }): Promise<void> {
    const [pk = '', sk = ''] = JSON.parse(key);
    try {
      await client.send(
        new DeleteItemCommand({
          TableName: tableName,
          Key: keyAttributes(names, { pk, sk }),
          ConditionExpression: '#time = :time',
          ExpressionAttributeNames: { '#time': names.ttl },
          ExpressionAttributeValues: { ':time': { N: one.time } },
        }),
      );
    } catch (error) {
      // Otherwise the item is gone, or its TTL has changed: then its record brings the new one.
      if (nameOf(error) !== 'ConditionalCheckFailedException') return;
    }
    // An item that was put again meanwhile is another, even with the same TTL.
    if (expiring.get(key) === one) expiring.delete(key);
  }

  return {
    removeDue,

    /**
     * Removes items as they expire: those that a first scan finds, unless only those that are written from now on are asked for, and
     * those of the stream's records, which may arrive before this call.
     */
    async start(items: 'all' | 'written' = 'all'): Promise<void> {
      if (items === 'all') await scan();
      running = run();
    },

    /**
     * Notes the item's TTL, and gives the record of an expiry the form in which DynamoDB's TTL writes it: a removal of an item whose
     * time had passed. An application's delete between that time and the next look for expired items counts as one, too.
     */
    prepare(record: DynamoDBRecord): DynamoDBRecord {
      const { dynamodb, eventName, userIdentity } = record;
      note(dynamodb?.Keys, dynamodb?.NewImage);
      if (eventName !== 'REMOVE' || userIdentity !== undefined) return record;
      const time = numberIn(dynamodb?.OldImage, names.ttl);
      // The time of a record is rounded down.
      const at = (dynamodb?.ApproximateCreationDateTime ?? 0) + 0.999;
      return time !== undefined && isExpired(Number(time), at)
        ? { ...record, userIdentity: timeToLive }
        : record;
    },

    async stop(): Promise<void> {
      stopping.abort();
      await running;
      client.destroy();
    },
  };
}

function numberIn(image: unknown, name: string): string | undefined {
  const value = isObject(image) ? image[name] : undefined;
  return isObject(value) && typeof value.N === 'string' ? value.N : undefined;
}
