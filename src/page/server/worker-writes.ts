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

export class WorkerWrites {
  private readonly byItem = new Map<string, WorkerWrite[]>();
  private readonly table: TableNames;
  private readonly now: () => number;

  constructor(table: TableNames, now: () => number) {
    this.table = table;
    this.now = now;
  }

  /** The worker's table, with its writes noted before they are sent: a record may come back before its outcome does. */
  of(port: TablePort): TablePort {
    return {
      get: (key, options) => port.get(key, options),
      getMany: (keys, options) => port.getMany(keys, options),
      query: (range, limit, from, whole) => port.query(range, limit, from, whole),
      update: (updates, options) => this.remember(updates, ofUpdate, () => port.update(updates, options)),
      transact: (root, actions, options) =>
        this.remember(
          [...actions, ...this.headIn(root, actions)],
          (action) => ofAction(action, root),
          () => port.transact(root, actions, options),
        ),
    };
  }

  /** The head of a ledger is written with its entries. */
  private headIn({ key, expect, put }: RootCondition, actions: readonly GuardedAction[]): GuardedAction[] {
    if (expect !== 'head') return [];
    const sums = Object.entries(addedBy(actions)).map(([name, N]) => [name, { N }]);
    return [
      { key, item: { ...keyAttributes(this.table, key), ...put, ...Object.fromEntries(sums) }, size: 0 },
    ];
  }

  /** Takes the write that made this change; undefined if an application made it. */
  take(key: ItemKey, changed: readonly string[], after: Item | undefined): WorkerWrite | undefined {
    const writes = this.pending(key);
    const at = writes.findIndex(({ names }) =>
      names === undefined
        ? after === undefined
        : changed.length > 0 && changed.every((name) => names.has(name)),
    );
    if (at < 0) return undefined;
    // Those before it will not come back any more.
    this.keep(key, writes.slice(at + 1));
    return writes[at];
  }

  /** Remembers writes while they are made. A write whose outcome is unknown counts as not made. */
  private async remember<Request extends { readonly key: ItemKey }>(
    requests: readonly Request[],
    writeOf: (one: Request) => WorkerWrite,
    write: () => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]> {
    const writes = requests.map((one) => ({ key: one.key, write: writeOf(one) }));
    for (const { key, write } of writes) this.keep(key, [...this.pending(key), write]);
    let outcomes: readonly WriteOutcome[] = [];
    try {
      outcomes = await write();
      return outcomes;
    } finally {
      for (const [at, { key, write }] of writes.entries())
        if (outcomes[at] === 'written' || (at >= outcomes.length && outcomes.includes('written')))
          write.at = this.now();
        else
          this.keep(
            key,
            this.pending(key).filter((one) => one !== write),
          );
    }
  }

  private pending(key: ItemKey): readonly WorkerWrite[] {
    return this.byItem.get(keyText(key)) ?? [];
  }

  private keep(key: ItemKey, writes: WorkerWrite[]): void {
    this.byItem.delete(keyText(key));
    if (writes.length > 0) this.byItem.set(keyText(key), writes);
    const [oldest] = this.byItem.size > maxItems ? this.byItem.keys() : [];
    if (oldest !== undefined) this.byItem.delete(oldest);
  }
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
