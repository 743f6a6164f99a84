import { readUnits } from '../../../model/capacity.ts';
import type { GuardedAction, GuardedUpdate, WriteOutcome } from '../../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../../model/item.ts';
import { itemSize } from '../../../model/item-size.ts';
import type { TablePort } from '../../../worker/ports.ts';

/** What the worker's requests to the table have used so far. */
export interface Used {
  requests: number;
  readUnits: number;
}

/** Hears of each write before it is sent, because its record may come back before its outcome does. */
export interface WriteObserver {
  /** @returns to be called with whether DynamoDB has made the write */
  updating(update: GuardedUpdate): (isWritten: boolean) => void;
  transacting(action: GuardedAction, root: ItemKey): (isWritten: boolean) => void;
}

/** Of the table's adapter: keys of a batch read and statements of a batch. */
const batch = { keys: 100, statements: 25 };

/** An index shows keys alone: the size of the entries that are paid for is assumed, in bytes. */
const assumedEntry = 1024;

/** The worker's table, with its requests and read units counted, and its writes told. */
export function observedTable(port: TablePort, used: Used, observer: WriteObserver): TablePort {
  const read = (requests: number, units: number) => {
    used.requests += requests;
    used.readUnits += units;
  };
  return {
    async get(key) {
      const item = await port.get(key);
      read(1, readUnits(item === undefined ? 0 : itemSize(item), true));
      return item;
    },
    async getMany(keys) {
      const items = await port.getMany(keys);
      const missing = keys.length - items.length;
      read(
        Math.ceil(keys.length / batch.keys),
        missing + items.reduce((sum, one) => sum + readUnits(itemSize(one), true), 0),
      );
      return items;
    },
    async query(location, limit, from, whole = false) {
      const page = await port.query(location, limit, from, whole);
      const isKeys = location.in === 'index' && !whole;
      const bytes = isKeys ? page.entries.length * assumedEntry : bytesOf(page.entries);
      read(1, readUnits(bytes, location.in === 'partition'));
      return page;
    },
    async update(updates) {
      used.requests += Math.ceil(updates.length / batch.statements);
      return await told(
        updates.map((update) => observer.updating(update)),
        () => port.update(updates),
      );
    },
    async transact(root, actions) {
      used.requests += 1;
      return await told(
        actions.map((action) => observer.transacting(action, root.key)),
        () => port.transact(root, actions),
      );
    },
  };
}

/** Writes, and tells the outcomes. A write whose outcome is unknown counts as not made. */
async function told(
  tell: readonly ((isWritten: boolean) => void)[],
  write: () => Promise<readonly WriteOutcome[]>,
): Promise<readonly WriteOutcome[]> {
  let outcomes: readonly WriteOutcome[] = [];
  try {
    outcomes = await write();
    return outcomes;
  } finally {
    for (const [at, one] of tell.entries()) one(outcomes[at] === 'written');
  }
}

function bytesOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemSize(item), 0);
}
