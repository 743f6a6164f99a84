import { type Item, type ItemKey, keyAttributes, keyText } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
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
export interface WorkerWrite<Cause> {
  /** Undefined if no message asked for it. */
  readonly writtenFor: WrittenFor | undefined;
  /** What asked for it when it was sent: what has come since did not. */
  readonly cause: Cause | undefined;
  /** The attributes that it writes; undefined if it deletes the item. */
  readonly names: ReadonlySet<string> | undefined;
  /** When it was sent and when it had ended, in steps: a record may come before its outcome does. */
  readonly sent: number;
  ended?: number;
  /** When DynamoDB has made it, in epoch milliseconds; undefined while its outcome is awaited. */
  at?: number;
}

type Write = Pick<WorkerWrite<unknown>, 'writtenFor' | 'names'> & { readonly key: ItemKey };

/** Items with pending writes that are remembered: a filter may keep a record from the worker, so some never come back. */
const maxItems = 10_000;

export interface WorkerWritesOptions<Cause> {
  readonly table: TableNames;
  /** Gives the time in epoch milliseconds. */
  readonly now: () => number;
  /** What asks for a write of this item now. */
  readonly causeOf: (key: ItemKey, writtenFor: WrittenFor) => Cause | undefined;
}

export function workerWrites<Cause>({ table, now, causeOf }: WorkerWritesOptions<Cause>) {
  const byItem = new Map<string, WorkerWrite<Cause>[]>();
  let steps = 0;

  /** The head of a ledger is written with its entries. */
  function headIn({ key, expect, put }: RootCondition, actions: readonly GuardedAction[]): GuardedAction[] {
    if (expect !== 'head') return [];
    const sums = Object.entries(addedBy(actions)).map(([name, N]) => [name, { N }]);
    return [{ key, item: { ...keyAttributes(table, key), ...put, ...Object.fromEntries(sums) }, size: 0 }];
  }

  /** Remembers writes while they are made. A write whose outcome is unknown counts as not made. */
  async function remember(
    requests: readonly Write[],
    write: () => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]> {
    const writes = requests.map(({ key, writtenFor, names }) => {
      steps += 1;
      const cause = writtenFor && causeOf(key, writtenFor);
      const sent: WorkerWrite<Cause> = { writtenFor, names, cause, sent: steps };
      return { key, write: sent };
    });
    for (const one of writes) keep(one.key, [...pending(one.key), one.write]);
    let outcomes: readonly WriteOutcome[] = [];
    try {
      outcomes = await write();
      return outcomes;
    } finally {
      steps += 1;
      for (const [at, { key, write: made }] of writes.entries())
        if (outcomes[at] === 'written' || (at >= outcomes.length && outcomes.includes('written')))
          Object.assign(made, { at: now(), ended: steps });
        else
          keep(
            key,
            pending(key).filter((one) => one !== made),
          );
    }
  }

  const pending = (key: ItemKey): readonly WorkerWrite<Cause>[] => byItem.get(keyText(key)) ?? [];

  function keep(key: ItemKey, writes: WorkerWrite<Cause>[]): void {
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
        update: (updates, options) => remember(updates.map(ofUpdate), () => port.update(updates, options)),
        transact: (root, actions, options) =>
          remember(
            [...actions, ...headIn(root, actions)].map((action) => ofAction(action, root)),
            () => port.transact(root, actions, options),
          ),
      };
    },

    /** Takes the write that made this change; undefined if an application made it. */
    take(key: ItemKey, changed: readonly string[], after: Item | undefined): WorkerWrite<Cause> | undefined {
      const writes = pending(key);
      const at = writes.findIndex(({ names }) =>
        names === undefined
          ? after === undefined
          : changed.length > 0 && changed.every((name) => names.has(name)),
      );
      const taken = writes[at];
      if (taken === undefined) return undefined;
      // Those that had ended when it was sent will not come back any more. Others may yet: two rules may write an item at once.
      const mayCome = ({ ended = Number.POSITIVE_INFINITY }: WorkerWrite<Cause>) => ended > taken.sent;
      keep(
        key,
        writes.filter((one) => one !== taken && mayCome(one)),
      );
      return taken;
    },
  };
}

function ofUpdate({ key, writtenFor, set, remove }: GuardedUpdate): Write {
  return { key, writtenFor, names: new Set([...Object.keys(set), ...remove]) };
}

function ofAction(action: GuardedAction, { writtenFor }: RootCondition): Write {
  const { clear, put } = isCreation(action) ? { clear: [], put: action.item } : action;
  const isDeletion = clear === undefined && put === undefined;
  const names = isDeletion ? undefined : new Set([...(clear ?? []), ...Object.keys(put ?? {})]);
  return { key: action.key, writtenFor, names };
}
