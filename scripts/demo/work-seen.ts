import { isCreation } from '../../src/model/guarded-write.ts';
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
    async query(location, limit, from, whole) {
      count(location.in === 'partition' ? 'queries' : 'index queries');
      const page = await inner.query(location, limit, from, whole);
      if (location.in === 'partition') saw(page.entries);
      return page;
    },
    async update(updates) {
      count('items written', updates.length);
      keys.push(...updates.map(({ key }) => key));
      return inner.update(updates);
    },
    async transact(root, actions) {
      for (const action of actions) count(isCreation(action) ? 'items created' : 'items removed');
      keys.push(...actions.map(({ key }) => key));
      return inner.transact(root, actions);
    },
  };
  return { table, counts: () => ({ ...counts }), keysRead: () => keys };
}
