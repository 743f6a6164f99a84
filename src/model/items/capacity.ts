import { equal } from './attribute-value.ts';
import { attribute, type Item, partText } from './item.ts';
import { itemSize } from './item-size.ts';
import { type IndexNames, keyParts, type TableNames } from './table-names.ts';

/** The cost of a write, in write units. `indexes` is by index name. */
export interface WriteUnits {
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
  readonly total: number;
}

/** In bytes. Source: AWS, "DynamoDB read and write operations". */
const writeUnit = 1024;
const readUnit = 4096;

/**
 * The cost of replacing `before` with `after`, if every index projects all attributes. A write that changes nothing, or whose
 * condition fails, costs the table as much. A transaction does not double the indexes, which are updated after it.
 * Source: AWS, "DynamoDB read and write operations", "Provisioned throughput considerations for Global Secondary Indexes",
 * "Amazon DynamoDB transactions: how it works".
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
 * In read units; at least one.
 * @param bytes of all items that are read, including what a filter or a projection leaves out
 */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / readUnit)) * (consistent ? 1 : 0.5);
}

/**
 * The cost of a write to the table itself.
 * @param bytes the larger of the item's sizes before and after it
 */
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
  if (differ(old, now, keyParts(index).names)) return unitsOf(old) + unitsOf(now);
  return differ(old, now, [...Object.keys(old), ...Object.keys(now)])
    ? Math.max(unitsOf(old), unitsOf(now))
    : 0;
}

/** Indexes are sparse: an item needs all key attributes. */
function isOn(index: IndexNames, item: Item): boolean {
  return keyParts(index).all.every((part) => partText(part, attribute(item, part.name)) !== undefined);
}

function differ(old: Item, now: Item, names: readonly string[]): boolean {
  return names.some((name) => !equal(attribute(old, name), attribute(now, name)));
}
