import { type WriteUnits, writeUnits } from '../../model/items/capacity.ts';
import {
  byKey,
  type Item,
  type ItemKey,
  type KeyedItem,
  keyAttributes,
  keyText,
} from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import {
  changed,
  type GuardedAction,
  type GuardedUpdate,
  headAfter,
  isCreation,
  type RootCondition,
  remainderOf,
} from '../../model/work/guarded-write.ts';
import { transactionsOf } from '../../worker/adapters/dynamodb/transact-items.ts';
import type { OnSpent, TablePort, TableReads } from '../../worker/ports.ts';

export interface WouldWrite {
  readonly does: 'write';
  readonly write: GuardedUpdate | GuardedAction;
  /** Of the transaction that creates or removes a copy. */
  readonly root?: RootCondition;
  /** Undefined if the write creates the item. */
  readonly before: Item | undefined;
  /** Undefined if the write removes the item. */
  readonly after: Item | undefined;
  readonly writeUnits: WriteUnits;
}

/** What a run would be charged for: a write, or the condition on the root, once for each transaction. */
export type WouldSpend =
  | WouldWrite
  | { readonly does: 'condition'; readonly key: ItemKey; readonly writeUnits: WriteUnits };

/** The number of read items that are remembered: those of a few pages, which are written next. */
const maxRead = 2000;

/**
 * A table for a dry run. Reads go to the real table. Writes are only reported, in order, and remembered; later reads see them,
 * so that work in several steps is counted correctly.
 * @param maxWritten the number of written items that are remembered. A run over a large table needs few: most propagations read
 * what they wrote at once or not again
 */
export function overlaidTable(
  port: TableReads,
  table: TableNames,
  would: (spend: WouldSpend) => void,
  maxWritten = Number.POSITIVE_INFINITY,
): TablePort {
  const written = new Map<string, Item | undefined>();
  const read = new Map<string, Item>();

  /** As the run would have left it. */
  function shown({ key, item }: KeyedItem): KeyedItem[] {
    const text = keyText(key);
    if (written.has(text)) return left(key, text);
    remember(read, text, item, maxRead);
    return [{ key, item }];
  }
  function left(key: ItemKey, text = keyText(key)): KeyedItem[] {
    const item = written.get(text);
    return item === undefined ? [] : [{ key, item }];
  }
  /** The present states of items, of which most were read before. */
  async function statesOf(keys: readonly ItemKey[]): Promise<ReadonlyMap<string, Item | undefined>> {
    const states = new Map<string, Item | undefined>();
    const unknown: ItemKey[] = [];
    for (const key of keys) {
      const text = keyText(key);
      if (written.has(text)) states.set(text, written.get(text));
      else if (read.has(text)) states.set(text, read.get(text));
      else unknown.push(key);
    }
    if (unknown.length > 0)
      for (const { key, item } of await port.getMany(unknown)) states.set(keyText(key), item);
    return states;
  }
  function spend(spent: WouldSpend, onSpent: OnSpent | undefined): void {
    would(spent);
    onSpent?.(spent.writeUnits.table, spent.writeUnits.total);
  }
  function write(one: Omit<WouldWrite, 'does' | 'writeUnits'>, onSpent: OnSpent | undefined): void {
    const { before, after, root } = one;
    const units = writeUnits(table, before, after, root !== undefined);
    spend({ does: 'write', ...one, writeUnits: units }, onSpent);
    remember(written, keyText(one.write.key), after, maxWritten);
  }

  return {
    async get(key, options) {
      const found = await port.get(key, options);
      return (found === undefined ? left(key) : shown(found))[0];
    },
    async getMany(keys, options) {
      const items = await port.getMany(keys, options);
      const found = byKey(items);
      const others = keys.filter((key) => found(key) === undefined);
      return [...items.flatMap(shown), ...others.flatMap((key) => left(key))];
    },
    async query(location, limit, from, whole) {
      const { entries, ...page } = await port.query(location, limit, from, whole);
      // Entries with keys alone are read as items next.
      return { entries: location.in === 'partition' || whole ? entries.flatMap(shown) : entries, ...page };
    },
    async update(updates, { onSpent } = {}) {
      const states = await statesOf(updates.map(({ key }) => key));
      return updates.map((update) => {
        const before = states.get(keyText(update.key));
        if (before === undefined) return 'lost';
        write({ write: update, before, after: changed(before, update.set, update.remove) }, onSpent);
        return 'written';
      });
    },
    async transact(root, actions, { onSpent } = {}) {
      const removed = actions.filter((action) => !isCreation(action));
      const states = await statesOf([root, ...removed].map(({ key }) => key));
      let there =
        root.expect === 'absent' || root.expect === 'none' ? undefined : states.get(keyText(root.key));
      const condition = { does: 'condition', key: root.key } as const;
      const lost = new Set<GuardedAction>();
      for (const transaction of transactionsOf(actions)) {
        if (root.expect === 'head') {
          const bare = { ...keyAttributes(table, root.key), ...root.put };
          const after = headAfter(there, bare, transaction);
          write(
            { write: { key: root.key, set: after, remove: [], expect: {} }, root, before: there, after },
            onSpent,
          );
          there = after;
        } else if (root.expect !== 'none')
          spend({ ...condition, writeUnits: writeUnits(table, there, there, true) }, onSpent);
        for (const action of transaction) {
          const before = states.get(keyText(action.key));
          if (isCreation(action))
            write({ write: action, root, before: undefined, after: action.item }, onSpent);
          else if (before === undefined) lost.add(action);
          else {
            write({ write: action, root, before, after: remainderOf(before, action) }, onSpent);
          }
        }
      }
      return actions.map((action) => (lost.has(action) ? 'lost' : 'written'));
    },
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
