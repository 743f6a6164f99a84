import { word } from '../basics/text.ts';
import { attribute, type Item } from './item.ts';
import type { TableNames } from './table-names.ts';

/** TTL leaves items alone whose time passed more than five years ago. Source: DynamoDB Developer Guide, "Using time to live (TTL)". */
const maxAgeSeconds = 5 * 365.25 * 86_400;

/** In epoch seconds. Undefined without a number in the TTL attribute: for DynamoDB, the item has no expiry then. */
export function expiryOf(table: Pick<TableNames, 'ttl'>, item: Item): number | undefined {
  const value = attribute(item, table.ttl);
  return value !== undefined && 'N' in value ? Number(value.N) : undefined;
}

/**
 * What is wrong with the attribute by which the items of a table expire, as a sentence; undefined if it is right, or nothing expires.
 * @param where the table: `table orders`
 */
export function wrongExpiry(
  { ttl }: Pick<TableNames, 'ttl'>,
  where: string,
  expiry: string | undefined,
): string | undefined {
  if (expiry === undefined || expiry === ttl) return undefined;
  return `Expected the items of ${where} to expire by ${ttl}, found ${word(expiry)}: correct the table, or ttl in src/table.ts, or items expire without being archived`;
}

/** Whether DynamoDB deletes an item with this expiry. Both in epoch seconds. */
export function isExpired(expiry: number, at: number): boolean {
  return expiry <= at && !isTooOld(expiry, at);
}

/** Whether DynamoDB leaves an item alone because its time passed too long ago. Both in epoch seconds. */
export function isTooOld(expiry: number, at: number): boolean {
  return expiry <= at - maxAgeSeconds;
}
