import { isRecord } from '../is-record.ts';

/** An item's expiry attribute, read as DynamoDB's TTL reads it. */
export interface ExpiryTime {
  /** Epoch seconds. */
  readonly seconds: number;
  /** The number as it stands in the item. */
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
