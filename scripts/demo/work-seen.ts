import { type Item, type ItemKey, keyOf } from '../../src/model/item.ts';
import { table as names } from '../../src/table.ts';
import type { TablePort } from '../../src/worker/ports.ts';

/**
 * The worker's requests to the table: number of requests and items by operation, and every key read or
 * written.
 */
export interface WorkSeen {
  readonly table: TablePort;
  counts(): Readonly<Record<string, number>>;
  keysRead(): readonly ItemKey[];
}

/** Wraps a table port to count requests and record keys. It does not change any request. */
export function watch(inner: TablePort): WorkSeen {
  const counts: Record<string, number> = {};
  const keys: ItemKey[] = [];
  function count(name: string, by = 1): void {
    counts[name] = (counts[name] ?? 0) + by;
  }
  function saw(items: readonly Item[]): void {
    for (const item of items) {
      const key = keyOf(names, item);
      if (key !== undefined) keys.push(key);
    }
  }
  const table: TablePort = {
    async get(key) {
      count('requests to read keys');
      count('keys read');
      keys.push(key);
      return inner.get(key);
    },
    async getMany(wanted) {
      count('requests to read keys');
      count('keys read', wanted.length);
      keys.push(...wanted);
      return inner.getMany(wanted);
    },
    async queryPartition(location, limit, from) {
      count('queries');
      const page = await inner.queryPartition(location, limit, from);
      saw(page.entries);
      return page;
    },
    async queryIndex(location, limit, from) {
      count('index queries');
      return inner.queryIndex(location, limit, from);
    },
    async queryIndexEntries(location, limit, from) {
      count('index queries');
      return inner.queryIndexEntries(location, limit, from);
    },
    async update(updates) {
      count('items written', updates.length);
      keys.push(...updates.map(({ key }) => key));
      return inner.update(updates);
    },
    async remove(root, removals) {
      count('items removed', removals.length);
      keys.push(...removals.map(({ key }) => key));
      return inner.remove(root, removals);
    },
    async create(root, creations) {
      count('items created', creations.length);
      keys.push(...creations.map(({ key }) => key));
      return inner.create(root, creations);
    },
  };
  return { table, counts: () => ({ ...counts }), keysRead: () => keys };
}
