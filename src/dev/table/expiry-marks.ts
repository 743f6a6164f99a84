import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { isRecord } from '../is-record.ts';

/** An item's expiry attribute, read as DynamoDB's TTL reads it. */
export interface ExpiryTime {
  /** Epoch seconds. */
  readonly seconds: number;
  /** The number as it is in the item. */
  readonly text: string;
}

/**
 * The time at which TTL may remove an item; undefined where the attribute is missing or no number.
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
 * Whether TTL would remove an item at a time: its own has passed, and not by more than five years.
 * Source: DynamoDB Developer Guide, "Using time to live (TTL)".
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

/** Who removed an item, in the record of an expiry. Source: DynamoDB Developer Guide, "TTL and streams". */
const timeToLive = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

/**
 * Tells expiries apart from users' deletes, and marks their records as TTL does.
 *
 * A removal of ours is known by its item's key and by the image that the delete returned. A REMOVE from before this
 * process could have removed anything counts as an expiry if the time of its old image had passed by then. What has
 * been decided of a record stays, whoever reads it next.
 */
export class ExpiryMarks {
  readonly #attribute: string;
  readonly #since: number;
  readonly #decided = new Map<string, boolean>();
  readonly #removed = new Map<string, string[]>();

  /** @param since when this process started to expire items, in epoch seconds */
  constructor(attribute: string, since: number) {
    this.#attribute = attribute;
    this.#since = since;
  }

  /** @param image what stood there, in the form in which records have it */
  removed(key: string, image: unknown): void {
    const images = this.#removed.get(key) ?? [];
    images.push(digest(image));
    this.#removed.set(key, images);
  }

  marked(record: DynamoDBRecord, key: string): DynamoDBRecord {
    const number = record.dynamodb?.SequenceNumber ?? '';
    const isExpiry = this.#decided.get(number) ?? (this.#claim(record, key) || this.#wasExpired(record));
    this.#decided.set(number, isExpiry);
    return isExpiry ? { ...record, userIdentity: timeToLive } : record;
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
    // Rounded down to the second: of the second in which this process began, nothing can be said.
    if (created === undefined || created + 1 > this.#since) return false;
    const time = expiryTime(dynamodb?.OldImage, this.#attribute);
    return time !== undefined && isExpired(time, created);
  }
}

/** The same for images that differ in the order of attributes or of a set's members only. */
function digest(image: unknown): string {
  const text = JSON.stringify(image ?? {}, (name, value: unknown) => {
    if (Array.isArray(value)) return ['SS', 'NS', 'BS'].includes(name) ? [...value].sort() : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(text).digest('base64');
}
