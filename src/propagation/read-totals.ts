import type { Aggregate } from '../model/aggregate.ts';
import { type Item, withKey } from '../model/item.ts';
import type { Cursor } from '../model/message.ts';
import type { TableNames } from '../model/table-names.ts';
import { unlessInvalid } from '../model/unless-invalid.ts';
import { type QueriedTable, readQueried } from './copy-pages.ts';
import { Totals } from './plan/totals.ts';

interface Reading {
  readonly names: TableNames;
  readonly table: QueriedTable;
  /** Members that are read together, and held at once. */
  readonly pageLimit: number;
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
      const { items, next } = await readQueried(reading.table, location, reading.pageLimit, from);
      unlessInvalid(
        () => {
          for (const item of items) totals.add(item, location);
        },
        (error) => {
          throw error.concerns === 'member' ? withKey(reading.names, error) : error;
        },
      );
      from = next;
      if (from !== undefined && stop()) return undefined;
    } while (from !== undefined);
  }
  return totals;
}
