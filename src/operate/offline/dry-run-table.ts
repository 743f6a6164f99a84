import { writeUnits } from '../../model/capacity.ts';
import { changed, type GuardedAction, type GuardedUpdate, isCreation } from '../../model/guarded-write.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { OnSpent, TablePort } from '../../worker/ports.ts';

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
  function stateOf(key: ItemKey): Item | undefined {
    return written.get(keyText(key)) ?? read.get(keyText(key));
  }
  /** Remembers a write, and says what it would cost. */
  function write(key: ItemKey, after: Item | undefined, onSpent?: OnSpent, transactional = false): void {
    const units = writeUnits(table, stateOf(key), after, transactional);
    onSpent?.(units.table, units.total);
    remember(written, keyText(key), after);
  }

  return {
    async get(key, options) {
      const item = await port.get(key, options);
      return (item === undefined ? left(key) : shown(item))[0];
    },
    async getMany(keys, options) {
      const items = await port.getMany(keys, options);
      const found = new Set(items.map((item) => keyText(keyIn(table, item))));
      return [...items.flatMap(shown), ...keys.filter((key) => !found.has(keyText(key))).flatMap(left)];
    },
    async query(location, limit, from, whole) {
      const { entries, ...page } = await port.query(location, limit, from, whole);
      // Entries with keys alone are read as items next.
      return { entries: location.in === 'partition' || whole ? entries.flatMap(shown) : entries, ...page };
    },
    async update(updates, { onSpent } = {}) {
      for (const update of updates) {
        would(update);
        const before = stateOf(update.key);
        if (before !== undefined) write(update.key, changed(before, update.set, update.remove), onSpent);
      }
      return updates.map(() => 'written');
    },
    async transact(root, actions, { onSpent } = {}) {
      const condition = writeUnits(table, stateOf(root.key), undefined, true).table;
      onSpent?.(condition, condition);
      for (const action of actions) {
        would(action);
        const before = stateOf(action.key);
        if (isCreation(action)) write(action.key, action.item, onSpent, true);
        else if (before !== undefined)
          write(action.key, action.clear && changed(before, {}, action.clear), onSpent, true);
      }
      return actions.map(() => 'written');
    },
  };
}
