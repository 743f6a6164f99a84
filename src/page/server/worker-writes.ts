import { type Item, type ItemKey, keyAttributes, keyText } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { targetNamed } from '../../model/rules/ledger.ts';
import {
  addedBy,
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
  type WriteOutcome,
  type WrittenFor,
} from '../../model/work/guarded-write.ts';
import type { TablePort } from '../../worker/ports.ts';

/** A write of the worker that has not come back on the stream yet. Names of attributes, no values. */
export interface WorkerWrite {
  /** Undefined if no message asked for it. */
  readonly writtenFor: WrittenFor | undefined;
  /** Known in a transaction. */
  readonly root?: ItemKey;
  /** The attributes that it writes; undefined if it deletes the item. */
  readonly names: ReadonlySet<string> | undefined;
  /** When DynamoDB has made it, in epoch milliseconds; undefined while its outcome is awaited. */
  at?: number;
}

/** Items with pending writes that are remembered: a filter may keep a record from the worker, so some never come back. */
const maxItems = 10_000;

export function workerWrites(table: TableNames, now: () => number) {
  const byItem = new Map<string, WorkerWrite[]>();

  /** The head of a ledger is written with its entries. */
  function headIn({ key, expect, put }: RootCondition, actions: readonly GuardedAction[]): GuardedAction[] {
    if (expect !== 'head') return [];
    const sums = Object.entries(addedBy(actions)).map(([name, N]) => [name, { N }]);
    return [{ key, item: { ...keyAttributes(table, key), ...put, ...Object.fromEntries(sums) }, size: 0 }];
  }

  /** Remembers writes while they are made. A write whose outcome is unknown counts as not made. */
  async function remember<Request extends { readonly key: ItemKey }>(
    requests: readonly Request[],
    writeOf: (one: Request) => WorkerWrite,
    write: () => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]> {
    const writes = requests.map((one) => ({ key: one.key, write: writeOf(one) }));
    for (const one of writes) keep(one.key, [...pending(one.key), one.write]);
    let outcomes: readonly WriteOutcome[] = [];
    try {
      outcomes = await write();
      return outcomes;
    } finally {
      for (const [at, { key, write: made }] of writes.entries())
        if (outcomes[at] === 'written' || (at >= outcomes.length && outcomes.includes('written')))
          made.at = now();
        else
          keep(
            key,
            pending(key).filter((one) => one !== made),
          );
    }
  }

  const pending = (key: ItemKey): readonly WorkerWrite[] => byItem.get(keyText(key)) ?? [];

  function keep(key: ItemKey, writes: WorkerWrite[]): void {
    byItem.delete(keyText(key));
    if (writes.length > 0) byItem.set(keyText(key), writes);
    const [oldest] = byItem.size > maxItems ? byItem.keys() : [];
    if (oldest !== undefined) byItem.delete(oldest);
  }

  return {
    /** The worker's table, with its writes noted before they are sent: a record may come back before its outcome does. */
    of(port: TablePort): TablePort {
      return {
        get: (key, options) => port.get(key, options),
        getMany: (keys, options) => port.getMany(keys, options),
        query: (range, limit, from, whole) => port.query(range, limit, from, whole),
        update: (updates, options) => remember(updates, ofUpdate, () => port.update(updates, options)),
        transact: (root, actions, options) =>
          remember(
            [...actions, ...headIn(root, actions)],
            (action) => ofAction(action, root),
            () => port.transact(root, actions, options),
          ),
      };
    },

    /** Takes the write that made this change; undefined if an application made it. */
    take(key: ItemKey, changed: readonly string[], after: Item | undefined): WorkerWrite | undefined {
      const writes = pending(key);
      const at = writes.findIndex(({ names }) =>
        names === undefined
          ? after === undefined
          : changed.length > 0 && changed.every((name) => names.has(name)),
      );
      if (at < 0) return undefined;
      // Those before it will not come back any more.
      keep(key, writes.slice(at + 1));
      return writes[at];
    },
  };
}

function ofUpdate({ writtenFor, set, remove }: GuardedUpdate): WorkerWrite {
  return { writtenFor, names: new Set([...Object.keys(set), ...remove]) };
}

function ofAction(action: GuardedAction, { key, put: head, writtenFor }: RootCondition): WorkerWrite {
  const root = targetNamed(head ?? {}) ?? key;
  const { clear, put } = isCreation(action) ? { clear: [], put: action.item } : action;
  const isDeletion = clear === undefined && put === undefined;
  return {
    writtenFor,
    root,
    names: isDeletion ? undefined : new Set([...(clear ?? []), ...Object.keys(put ?? {})]),
  };
}
