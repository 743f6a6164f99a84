import { attribute, type Item } from './item.ts';
import type { TableNames } from './table-names.ts';

/** TTL leaves items alone whose time passed more than five years ago. Source: DynamoDB Developer Guide, "Using time to live (TTL)". */
const maxAgeSeconds = 5 * 365.25 * 86_400;

/** In epoch seconds. Undefined without a number in the TTL attribute: for DynamoDB, the item has no expiry then. */
export function expiryOf(table: Pick<TableNames, 'ttl'>, item: Item): number | undefined {
  const value = attribute(item, table.ttl);
  return value !== undefined && 'N' in value ? Number(value.N) : undefined;
}

/** Whether DynamoDB deletes an item with this expiry. Both in epoch seconds. */
export function isExpired(expiry: number, at: number): boolean {
  return expiry <= at && !isTooOld(expiry, at);
}

/** Whether DynamoDB leaves an item alone because its time passed too long ago. Both in epoch seconds. */
export function isTooOld(expiry: number, at: number): boolean {
  return expiry <= at - maxAgeSeconds;
}
