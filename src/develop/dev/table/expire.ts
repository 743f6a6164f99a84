import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import pLimit from 'p-limit';
import { nameOf } from '../errors.ts';
import { lambdaImage } from '../event-source/lambda-record.ts';
import { isRecord } from '../is-record.ts';
import { loopbackClientSettings } from '../loopback.ts';
import { ExpiryMarks, type ExpiryTime, expiryTime, isExpired } from './expiry-marks.ts';

/** The maximum delay of a timer, in milliseconds. */
const maxTimer = 2 ** 31 - 1;

/** Delay before a refused delete is retried, in milliseconds. */
const retryDelay = 1_000;

export interface ExpiryOptions {
  /** A local DynamoDB. */
  readonly endpoint: string;
  readonly tableName: string;
  /** The table's key attributes, both strings. */
  readonly keyAttributes: readonly string[];
  /** The TTL attribute, in epoch seconds. */
  readonly attribute: string;
  /** How many functions read the stream. Each prepares each record once. */
  readonly readers: number;
  /**
   * Whether another process may have expired items of this table before. Then expiry starts at the next full
   * second: record times are rounded to seconds, and earlier removals are recognized only by the TTL of their
   * items.
   */
  readonly afterAnother?: boolean;
  /** Called for each delete that the server refused. The delete is retried. */
  readonly onError?: (error: unknown) => void;
}

interface ScheduledDelete {
  readonly key: Readonly<Record<string, string>>;
  readonly time: ExpiryTime;
}

/**
 * Removes expired items, because local servers have no TTL. Use {@link onRecordFetched} and {@link prepare}
 * in the event source. Each version of an item with a TTL gets its own scheduled delete, conditional on that
 * TTL, so that an item whose TTL has changed survives.
 */
export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #client: DynamoDBClient;
  readonly #marks: ExpiryMarks;
  /** When this process starts to expire items, in epoch seconds. */
  readonly #since: number;
  readonly #scheduled = new Map<string, ScheduledDelete>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #limit = pLimit(8);
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in epoch milliseconds. */
  #next = Number.POSITIVE_INFINITY;
  #state: 'waiting' | 'started' | 'stopped' = 'waiting';

  constructor(options: ExpiryOptions) {
    this.#options = options;
    this.#client = new DynamoDBClient(loopbackClientSettings(options.endpoint));
    const now = Date.now() / 1000;
    this.#since = options.afterAnother === true ? Math.ceil(now) : now;
    this.#marks = new ExpiryMarks(options.attribute, this.#since, options.readers);
  }

  /** Scans the table once, then removes items as they expire. Records may arrive before this call. */
  async start(): Promise<void> {
    const { tableName, keyAttributes, attribute } = this.#options;
    const names = [...keyAttributes, attribute];
    const pages = paginateScan(
      { client: this.#client },
      {
        TableName: tableName,
        FilterExpression: `attribute_type(#n${names.length - 1}, :number)`,
        ProjectionExpression: names.map((_, at) => `#n${at}`).join(),
        ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
        ExpressionAttributeValues: { ':number': { S: 'N' } },
      },
    );
    for await (const { Items = [] } of pages) for (const item of Items) this.#schedule(item);
    await pause(Math.max(0, this.#since * 1000 - Date.now()));
    if (this.#state === 'stopped') return;
    this.#state = 'started';
    this.#setTimer(this.#earliest());
  }

  /** Starts no further delete, and waits for those in flight. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    await Promise.all(this.#underWay.values());
    this.#client.destroy();
  }

  /** Updates the scheduled deletes. Duplicate and late records do no harm. */
  readonly onRecordFetched = ({ dynamodb }: DynamoDBRecord): void => {
    const before = expiryTime(dynamodb?.OldImage, this.#options.attribute);
    const after = expiryTime(dynamodb?.NewImage, this.#options.attribute);
    const key = this.#keyOf(dynamodb?.Keys);
    if (key === undefined || before?.text === after?.text) return;
    if (before !== undefined) this.#scheduled.delete(scheduledDeleteName({ key, time: before }));
    if (after === undefined) return;
    this.#schedule({ ...dynamodb?.NewImage, ...dynamodb?.Keys });
    this.#setTimer(after.seconds * 1000);
  };

  /**
   * Converts the record of an expiry to the form in which DynamoDB's TTL writes it. Other records are
   * unchanged.
   */
  readonly prepare = async (record: DynamoDBRecord): Promise<DynamoDBRecord> => {
    const key = this.#keyOf(record.dynamodb?.Keys);
    if (record.eventName !== 'REMOVE' || record.userIdentity !== undefined || key === undefined)
      return record;
    const name = JSON.stringify(key);
    // The record may arrive before the response to the delete that caused it.
    await this.#underWay.get(name);
    return this.#marks.marked(record, name);
  };

  #schedule(item: unknown): void {
    const key = this.#keyOf(item);
    const time = expiryTime(item, this.#options.attribute);
    if (key === undefined || time === undefined) return;
    const scheduledDelete = { key, time };
    this.#scheduled.set(scheduledDeleteName(scheduledDelete), scheduledDelete);
  }

  #keyOf(image: unknown): ScheduledDelete['key'] | undefined {
    const parts = this.#options.keyAttributes.map((name) => [name, textOf(image, name)] as const);
    const texts = parts.filter((part): part is readonly [string, string] => part[1] !== undefined);
    return texts.length === parts.length ? Object.fromEntries(texts) : undefined;
  }

  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { time } of this.#scheduled.values()) earliest = Math.min(earliest, time.seconds * 1000);
    return earliest;
  }

  /** @param at epoch milliseconds; a later time than the one already set changes nothing */
  #setTimer(at: number): void {
    if (this.#state !== 'started' || this.#underWay.size > 0 || at >= this.#next) return;
    clearTimeout(this.#timer);
    this.#next = at;
    const wait = Math.min(maxTimer, Math.max(0, at - Date.now()));
    this.#timer = setTimeout(() => this.#deleteDue(), wait);
  }

  async #deleteDue(): Promise<void> {
    const now = Date.now() / 1000;
    const due = [...this.#scheduled].filter(([, { time }]) => time.seconds <= now);
    const kept = due.map(([name, scheduledDelete]) => {
      const keeping = this.#limit(() => this.#keep(name, scheduledDelete, now));
      const key = JSON.stringify(scheduledDelete.key);
      this.#underWay.set(key, Promise.all([this.#underWay.get(key), keeping]));
      return keeping;
    });
    const allKept = (await Promise.all(kept)).every(Boolean);
    this.#underWay.clear();
    this.#next = Number.POSITIVE_INFINITY;
    this.#setTimer(Math.max(this.#earliest(), allKept ? 0 : Date.now() + retryDelay));
  }

  /** @returns whether the scheduled delete is finished */
  async #keep(name: string, scheduledDelete: ScheduledDelete, now: number): Promise<boolean> {
    try {
      if (isExpired(scheduledDelete.time, now) && this.#state === 'started')
        await this.#remove(scheduledDelete);
      // An item that was put again meanwhile has a scheduled delete of its own.
      if (this.#scheduled.get(name) === scheduledDelete) this.#scheduled.delete(name);
      return true;
    } catch (error) {
      this.#options.onError?.(error);
      return false;
    }
  }

  async #remove({ key, time }: ScheduledDelete): Promise<void> {
    const keyValues = Object.entries(key).map(([name, text]): [string, AttributeValue] => [
      name,
      { S: text },
    ]);
    try {
      const { Attributes } = await this.#client.send(
        new DeleteItemCommand({
          TableName: this.#options.tableName,
          Key: Object.fromEntries(keyValues),
          ConditionExpression: '#time = :time',
          ExpressionAttributeNames: { '#time': this.#options.attribute },
          ExpressionAttributeValues: { ':time': { N: time.text } },
          ReturnValues: 'ALL_OLD',
        }),
      );
      if (Attributes !== undefined) this.#marks.removed(JSON.stringify(key), lambdaImage(Attributes));
    } catch (error) {
      // The item is gone, or its TTL has changed.
      if (nameOf(error) !== 'ConditionalCheckFailedException') throw error;
    }
  }
}

function scheduledDeleteName({ key, time }: ScheduledDelete): string {
  return JSON.stringify([key, time.text]);
}

function textOf(image: unknown, name: string): string | undefined {
  const value = isRecord(image) ? image[name] : undefined;
  return isRecord(value) && typeof value.S === 'string' ? value.S : undefined;
}
