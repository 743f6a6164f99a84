import { isCreation } from '../../src/model/guarded-write.ts';
import type { TablePort } from '../../src/worker/ports.ts';

/** What a table was asked to do, in DynamoDB's terms. */
export interface TableCounts {
  /** Items read one by one: roots, mostly. */
  gets: number;
  /** Batch reads, a hundred keys to each. A batch of a single key is a get. */
  batchReads: number;
  /** Items that reads and queries of the table brought; index entries are not counted. */
  itemsRead: number;
  /** Pages of partitions of the table. */
  queries: number;
  /** Pages of indexes. */
  indexQueries: number;
  /** Updates asked for, whatever became of them: DynamoDB charges a lost condition too. */
  writes: number;
  /** Updates that took place. */
  written: number;
  /** Updates and removals that lost a condition, the copy's or the root's. */
  lost: number;
  /** Calls to remove: one transaction each, or more where the copies are many or large. */
  transactions: number;
  /** Removals that took place. */
  removed: number;
}

/** Mirrors a table and counts what it is asked; `counts` is live. */
export function countingTable(port: TablePort): { readonly port: TablePort; readonly counts: TableCounts } {
  const counts: TableCounts = {
    gets: 0,
    batchReads: 0,
    itemsRead: 0,
    queries: 0,
    indexQueries: 0,
    writes: 0,
    written: 0,
    lost: 0,
    transactions: 0,
    removed: 0,
  };
  const counting: TablePort = {
    async get(key) {
      counts.gets += 1;
      const item = await port.get(key);
      if (item !== undefined) counts.itemsRead += 1;
      return item;
    },
    async getMany(keys) {
      if (keys.length === 1) counts.gets += 1;
      else counts.batchReads += Math.ceil(keys.length / 100);
      const items = await port.getMany(keys);
      counts.itemsRead += items.length;
      return items;
    },
    async query(location, limit, from, whole) {
      if (location.in === 'index') {
        counts.indexQueries += 1;
        return port.query(location, limit, from, whole);
      }
      counts.queries += 1;
      const page = await port.query(location, limit, from);
      counts.itemsRead += page.entries.length;
      return page;
    },
    async update(updates) {
      counts.writes += updates.length;
      const outcomes = await port.update(updates);
      counts.written += outcomes.filter((outcome) => outcome === 'written').length;
      counts.lost += outcomes.filter((outcome) => outcome === 'lost').length;
      return outcomes;
    },
    async transact(root, actions) {
      counts.transactions += 1;
      const outcomes = await port.transact(root, actions);
      const done = outcomes.filter((outcome) => outcome === 'written').length;
      counts[actions.some(isCreation) ? 'written' : 'removed'] += done;
      counts.lost += outcomes.filter((outcome) => outcome === 'lost' || outcome === 'root').length;
      return outcomes;
    },
  };
  return { port: counting, counts };
}
