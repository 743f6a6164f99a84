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

export interface ExpiryOptions {
  readonly endpoint: string;
  readonly tableName: string;
  readonly names: Pick<TableNames, 'pk' | 'sk' | 'ttl'>;
}

type Expiring = { readonly time: string };

/** Local servers have no TTL. Each delete is on condition of the TTL as last seen: an item whose TTL has changed survives. */
export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #client: DynamoDBClient;
  readonly #limit = pLimit(8);
  readonly #stop = new AbortController();
  /** By the JSON of its keys, each item that has a TTL, with it. */
  readonly #expiring = new Map<string, Expiring>();
  #running: Promise<void> | undefined;

  constructor(options: ExpiryOptions) {
    this.#options = options;
    this.#client = new DynamoDBClient(loopbackClientSettings(options.endpoint));
  }

  /**
   * Removes items as they expire: those that a first scan finds, unless only those that are written from now on are asked for, and
   * those of the stream's records, which may arrive before this call.
   */
  async start(items: 'all' | 'written' = 'all'): Promise<void> {
    if (items === 'all') await this.#scan();
    this.#running = this.#run();
  }

  async #scan(): Promise<void> {
    const names = [...keyParts(this.#options.names).names, this.#options.names.ttl];
    const placeholders = names.map((name, index) => [`#${index}`, name] as const);
    const pages = paginateScan(
      { client: this.#client },
      {
        TableName: this.#options.tableName,
        FilterExpression: `attribute_type(#${names.length - 1}, :number)`,
        ProjectionExpression: placeholders.map(([placeholder]) => placeholder).join(),
        ExpressionAttributeNames: Object.fromEntries(placeholders),
        ExpressionAttributeValues: { ':number': { S: 'N' } },
      },
    );
    for await (const { Items = [] } of pages) for (const item of Items) this.#note(item, item);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#client.destroy();
  }

  /**
   * Notes the item's TTL, and gives the record of an expiry the form in which DynamoDB's TTL writes it: a removal of an item whose
   * time had passed. An application's delete between that time and the next look for expired items counts as one, too.
   */
  readonly prepare = (record: DynamoDBRecord): DynamoDBRecord => {
    const { dynamodb, eventName, userIdentity } = record;
    this.#note(dynamodb?.Keys, dynamodb?.NewImage);
    if (eventName !== 'REMOVE' || userIdentity !== undefined) return record;
    const time = numberIn(dynamodb?.OldImage, this.#options.names.ttl);
    // The time of a record is rounded down.
    const at = (dynamodb?.ApproximateCreationDateTime ?? 0) + 0.999;
    return time !== undefined && isExpired(Number(time), at)
      ? { ...record, userIdentity: timeToLive }
      : record;
  };

  async removeDue(): Promise<number> {
    const due = [...this.#expiring].filter(([, { time }]) => isExpired(Number(time), Date.now() / 1000));
    await Promise.all(due.map(([key, expiring]) => this.#limit(() => this.#remove(key, expiring))));
    return due.length;
  }

  #note(keys: unknown, image: unknown): void {
    const { names } = this.#options;
    const read = readItem(keys);
    const key = read && keyOf(names, read);
    if (key === undefined) return;
    const time = numberIn(image, names.ttl);
    if (time === undefined) this.#expiring.delete(keyText(key));
    else this.#expiring.set(keyText(key), { time });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.removeDue();
      await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
    }
  }

  /** A delete that the server refuses is tried again at the next look. */
  async #remove(key: string, expiring: Expiring): Promise<void> {
    const { tableName, names } = this.#options;
    const [pk = '', sk = ''] = JSON.parse(key);
    try {
      await this.#client.send(
        new DeleteItemCommand({
          TableName: tableName,
          Key: keyAttributes(names, { pk, sk }),
          ConditionExpression: '#time = :time',
          ExpressionAttributeNames: { '#time': names.ttl },
          ExpressionAttributeValues: { ':time': { N: expiring.time } },
        }),
      );
    } catch (error) {
      // Otherwise the item is gone, or its TTL has changed: then its record brings the new one.
      if (nameOf(error) !== 'ConditionalCheckFailedException') return;
    }
    // An item that was put again meanwhile is another, even with the same TTL.
    if (this.#expiring.get(key) === expiring) this.#expiring.delete(key);
  }
}

function numberIn(image: unknown, name: string): string | undefined {
  const value = isObject(image) ? image[name] : undefined;
  return isObject(value) && typeof value.N === 'string' ? value.N : undefined;
}
