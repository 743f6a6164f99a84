import { equal } from './attribute-value.ts';
import { attribute, type Item, text } from './item.ts';
import { itemSize } from './item-size.ts';
import type { IndexNames, TableNames } from './table-names.ts';

/** The cost of a write, in write units: WCU with provisioned capacity, WRU on demand. */
export interface WriteUnits {
  readonly table: number;
  /** The cost by index name. An index that the write does not change costs 0. */
  readonly indexes: Readonly<Record<string, number>>;
  readonly total: number;
}

/** In bytes. Source: AWS, "DynamoDB read and write operations". */
const writeUnit = 1024;
const readUnit = 4096;

/**
 * The cost of replacing `before` with `after`; undefined means no item. Every index is assumed to project all attributes.
 * For a write that changes nothing, or whose condition fails, pass the same item twice: the table charges for it too.
 *
 * - Table: one unit per started KB of the larger item, at least one; twice as much in a transaction.
 * - Index: nothing if its entry does not change; the larger entry if only other attributes change; both entries if the
 *   entry's key changes; one entry if it is added or removed. A transaction does not double these, because DynamoDB
 *   updates indexes after it.
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
 * The cost of a read: one read unit per started 4 KB, or half a unit if the read is eventually consistent. A read that
 * finds nothing costs as much as one of up to 4 KB.
 * @param bytes the size of the item, or of all items on a page of a query or scan, including items that a filter drops
 *   and attributes that a projection leaves out
 */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / readUnit)) * (consistent ? 1 : 0.5);
}

/** The cost of a write to the table itself. @param bytes the larger of the item's sizes before and after it */
export function unitsOfSize(bytes: number, transactional = false): number {
  return Math.max(1, Math.ceil(bytes / writeUnit)) * (transactional ? 2 : 1);
}

function unitsOf(item: Item): number {
  return unitsOfSize(itemSize(item));
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

/** Whether the index contains the item. Indexes are sparse: an item needs both key attributes. */
function isOn(index: IndexNames, item: Item): boolean {
  return text(attribute(item, index.pk)) !== undefined && text(attribute(item, index.sk)) !== undefined;
}

function differ(old: Item, now: Item, names: readonly string[]): boolean {
  return names.some((name) => !equal(attribute(old, name), attribute(now, name)));
}
