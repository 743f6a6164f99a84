import { equal } from './attribute-value.ts';
import { attribute, type Item, text } from './item.ts';
import { itemSize } from './item-size.ts';
import type { IndexNames, TableNames } from './table-names.ts';

/** What a write costs, in write units: WCU where capacity is provisioned, WRU on demand. */
export interface WriteUnits {
  readonly table: number;
  /** By the names of the indexes; one that the write leaves alone costs 0. */
  readonly indexes: Readonly<Record<string, number>>;
  readonly total: number;
}

/** In bytes. Source: AWS, "DynamoDB read and write operations". */
const writeUnit = 1024;
const readUnit = 4096;

/**
 * What it costs to make `before` into `after`; undefined means that there is no such item. Every index projects all
 * attributes. A write that changes nothing costs the table what it would cost otherwise, and so does one that loses its
 * condition, which leaves the item as it was: give it twice.
 *
 * - the table: the larger of the two, each started KB a unit, one at least; twice as much in a transaction;
 * - an index: nothing where its entry stays as it is, the larger of the two where only other attributes change, the old
 *   entry and the new one where its key changes, one of them where the item comes or goes. Entries are written after the
 *   transaction and not doubled.
 *
 * Source: AWS, "DynamoDB read and write operations", "Provisioned throughput considerations for Global Secondary
 * Indexes", and "Amazon DynamoDB transactions: how it works", capacity.
 */
export function writeUnits(
  table: TableNames,
  before: Item | undefined,
  after: Item | undefined,
  transactional = false,
): WriteUnits {
  const sizes = [before, after].map((item) => (item === undefined ? 0 : unitsOf(item)));
  const own = Math.max(1, ...sizes) * (transactional ? 2 : 1);
  const indexes = Object.fromEntries(
    Object.values(table.indexes).map((index) => [index.name, entryUnits(index, before, after)]),
  );
  const total = Object.values(indexes).reduce((sum, units) => sum + units, own);
  return { table: own, indexes, total };
}

/**
 * What a read costs, in read units: each started 4 KB is one, or half of one where the read is eventually consistent.
 * A read that finds nothing costs as much as one of up to 4 KB.
 * @param bytes the size of one item; of all items together for a page of a query or a scan, those that a filter drops
 *   and attributes that a projection leaves out included
 */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / readUnit)) * (consistent ? 1 : 0.5);
}

function unitsOf(item: Item): number {
  return Math.max(1, Math.ceil(itemSize(item) / writeUnit));
}

function entryUnits(index: IndexNames, before: Item | undefined, after: Item | undefined): number {
  const old = before !== undefined && isOn(index, before) ? before : undefined;
  const now = after !== undefined && isOn(index, after) ? after : undefined;
  if (old === undefined) return now === undefined ? 0 : unitsOf(now);
  if (now === undefined) return unitsOf(old);
  if (differ(old, now, [index.pk, index.sk])) return unitsOf(old) + unitsOf(now);
  return differ(old, now, [...Object.keys(old), ...Object.keys(now)])
    ? Math.max(unitsOf(old), unitsOf(now))
    : 0;
}

/** An index is sparse: an item that lacks one of its key attributes is not on it. */
function isOn(index: IndexNames, item: Item): boolean {
  return text(attribute(item, index.pk)) !== undefined && text(attribute(item, index.sk)) !== undefined;
}

function differ(old: Item, now: Item, names: readonly string[]): boolean {
  return names.some((name) => !equal(attribute(old, name), attribute(now, name)));
}
