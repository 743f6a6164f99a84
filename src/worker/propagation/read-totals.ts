import type { Aggregate } from '../../model/aggregate.ts';
import type { QueriedLocation } from '../../model/copy-location.ts';
import { type Item, type ItemKey, keysIn, withKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { type QueriedTable, readKeys } from './copy-pages.ts';
import { holding, type Memory, mostBytes, queryBytes } from './item-memory.ts';
import { Totals } from './plan/totals.ts';

interface Reading {
  readonly names: TableNames;
  readonly table: QueriedTable;
  /** Members that are read together, and held at once. */
  readonly pageLimit: number;
  readonly memory?: Memory | undefined;
}

/**
 * Reads all members of a target, strongly consistent, and adds them up.
 * @param stop asked between two pages
 * @returns the totals; undefined if it was stopped before the last member
 * @throws InvalidItemError if target or members are not as the aggregate expects them; its message names the member, of
 * which a target may have thousands
 */
export async function readTotals(
  reading: Reading,
  aggregate: Aggregate,
  target: Item,
  stop: () => boolean = () => false,
): Promise<Totals | undefined> {
  const totals = new Totals(reading.names, aggregate, target);
  for (const location of totals.locations) {
    let from: Cursor | undefined;
    do {
      from = await readPage(reading, location, from, (items) =>
        unlessInvalid(
          () => {
            for (const item of items) totals.add(item, location);
          },
          (error) => {
            throw error.concerns === 'member' ? withKey(reading.names, error) : error;
          },
        ),
      );
      if (from !== undefined && stop()) return undefined;
    } while (from !== undefined);
  }
  return totals;
}

/** Reads a page of members, in parts if they are large. @returns where the next page begins */
async function readPage(
  { names, table, pageLimit, memory }: Reading,
  location: QueriedLocation,
  from: Cursor | undefined,
  add: (items: readonly Item[]) => void,
): Promise<Cursor | undefined> {
  if (location.in === 'partition')
    return await holding(memory, queryBytes, async () => {
      const { entries, next } = await table.query(location, pageLimit, from);
      add(entries);
      return next;
    });
  const { entries, next } = await table.query(location, pageLimit, from);
  for (let left: readonly ItemKey[] = keysIn(names, entries); left.length > 0; ) {
    const keys = left;
    left = await holding(memory, mostBytes(keys.length), async () => {
      const { copies, unread } = await readKeys({ table, memory }, keys);
      add(copies);
      return unread;
    });
  }
  return next;
}
