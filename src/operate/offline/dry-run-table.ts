import { changed, type GuardedAction, type GuardedUpdate, isCreation } from '../../model/guarded-write.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../worker/ports.ts';

/** Called with each write that the run would make, in order. */
export type WouldWrite = (write: GuardedUpdate | GuardedAction) => void;

/** The number of written items that are remembered. */
const maxRemembered = 2000;

/**
 * A table for a dry run. Reads go to the real table. Writes are only reported and remembered; later reads see them,
 * so that work in several steps is counted correctly. Only the last two thousand written items are remembered, so
 * that a run over a large table needs little memory: most propagations read what they wrote at once or not again.
 */
export function overlaidTable(port: TablePort, table: TableNames, would: WouldWrite): TablePort {
  const written = new Map<string, Item | undefined>();
  const read = new Map<string, Item>();

  function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
    map.delete(key);
    map.set(key, value);
    for (const oldest of map.keys()) {
      if (map.size <= maxRemembered) break;
      map.delete(oldest);
    }
  }
  function shown(item: Item): Item[] {
    const key = keyIn(table, item);
    const text = keyText(key);
    if (written.has(text)) return left(key);
    remember(read, text, item);
    return [item];
  }
  /** An item as the run would have left it. */
  function left(key: ItemKey): Item[] {
    const item = written.get(keyText(key));
    return item === undefined ? [] : [item];
  }
  function write(key: ItemKey, item: (before: Item) => Item | undefined): void {
    const text = keyText(key);
    const before = written.get(text) ?? read.get(text);
    if (before !== undefined) remember(written, text, item(before));
  }

  return {
    async get(key) {
      const item = await port.get(key);
      return (item === undefined ? left(key) : shown(item))[0];
    },
    async getMany(keys) {
      const items = await port.getMany(keys);
      const found = new Set(items.map((item) => keyText(keyIn(table, item))));
      return [...items.flatMap(shown), ...keys.filter((key) => !found.has(keyText(key))).flatMap(left)];
    },
    async query(location, limit, from, whole) {
      const { entries, next } = await port.query(location, limit, from, whole);
      // Entries with keys alone are read as items next.
      return { entries: location.in === 'partition' || whole ? entries.flatMap(shown) : entries, next };
    },
    async update(updates) {
      for (const update of updates) {
        would(update);
        write(update.key, (before) => changed(before, update.set, update.remove));
      }
      return updates.map(() => 'written');
    },
    async transact(_, actions) {
      for (const action of actions) {
        would(action);
        if (isCreation(action)) remember(written, keyText(action.key), action.item);
        else
          write(action.key, (before) =>
            action.clear === undefined ? undefined : changed(before, {}, action.clear),
          );
      }
      return actions.map(() => 'written');
    },
  };
}
