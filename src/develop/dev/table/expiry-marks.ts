import type { DynamoDBRecord } from 'aws-lambda';
import { digest } from '../digest.ts';
import { isRecord } from '../is-record.ts';

/** An item's TTL attribute, parsed as DynamoDB parses it. */
export interface ExpiryTime {
  /** Epoch seconds. */
  readonly seconds: number;
  /** The number as it is in the item. */
  readonly text: string;
}

/**
 * The time at which TTL may remove an item. Undefined if the attribute is missing or not a number.
 * @param image an item as attribute values
 */
export function expiryTime(image: unknown, attribute: string): ExpiryTime | undefined {
  const value = isRecord(image) ? image[attribute] : undefined;
  const text = isRecord(value) ? value.N : undefined;
  if (typeof text !== 'string') return undefined;
  const seconds = Number(text);
  return Number.isFinite(seconds) ? { seconds, text } : undefined;
}

/**
 * Whether TTL would remove an item at this time: its TTL has passed, but not by more than five years. Source:
 * DynamoDB Developer Guide, "Using time to live (TTL)".
 * @param at epoch seconds
 */
export function isExpired({ seconds }: ExpiryTime, at: number): boolean {
  return seconds <= at && seconds >= fiveYearsBefore(at);
}

function fiveYearsBefore(at: number): number {
  const date = new Date(at * 1000);
  date.setUTCFullYear(date.getUTCFullYear() - 5);
  return date.getTime() / 1000;
}

/** The identity in the record of an expiry. Source: DynamoDB Developer Guide, "TTL and streams". */
const timeToLive = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

/**
 * Distinguishes expiries from users' deletes, and marks their records as TTL does. A removal by this process
 * is recognized by the item's key and the image that the delete returned. A REMOVE from before this process
 * could remove anything counts as an expiry if the TTL in its old image had passed at that time. The decision
 * for a record is kept until every reader has got it, so that all get the same.
 */
export class ExpiryMarks {
  readonly #attribute: string;
  readonly #since: number;
  readonly #readers: number;
  readonly #decided = new Map<string, { readonly isExpiry: boolean; readers: number }>();
  readonly #removed = new Map<string, string[]>();

  /**
   * @param since when this process started to expire items, in epoch seconds
   * @param readers how many readers of the stream ask about each record, each of them once
   */
  constructor(attribute: string, since: number, readers: number) {
    this.#attribute = attribute;
    this.#since = since;
    this.#readers = readers;
  }

  /** @param image the removed item, in the format of records */
  removed(key: string, image: unknown): void {
    const images = this.#removed.get(key) ?? [];
    images.push(digest(image));
    this.#removed.set(key, images);
  }

  marked(record: DynamoDBRecord, key: string): DynamoDBRecord {
    const number = record.dynamodb?.SequenceNumber ?? '';
    const decided = this.#decided.get(number) ?? this.#decide(record, key);
    decided.readers -= 1;
    if (decided.readers > 0) this.#decided.set(number, decided);
    else this.#decided.delete(number);
    return decided.isExpiry ? { ...record, userIdentity: timeToLive } : record;
  }

  #decide(record: DynamoDBRecord, key: string) {
    return { isExpiry: this.#claim(record, key) || this.#wasExpired(record), readers: this.#readers };
  }

  #claim(record: DynamoDBRecord, key: string): boolean {
    const images = this.#removed.get(key) ?? [];
    const at = images.indexOf(digest(record.dynamodb?.OldImage));
    if (at < 0) return false;
    images.splice(at, 1);
    if (images.length === 0) this.#removed.delete(key);
    return true;
  }

  #wasExpired({ dynamodb }: DynamoDBRecord): boolean {
    const created = dynamodb?.ApproximateCreationDateTime;
    // Record times are rounded down, so a record from the second in which this process started is ambiguous.
    if (created === undefined || created + 1 > this.#since) return false;
    const time = expiryTime(dynamodb?.OldImage, this.#attribute);
    return time !== undefined && isExpired(time, created);
  }
}
