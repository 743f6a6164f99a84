import type { GuardedAction, GuardedUpdate, WriteOutcome } from '../../../model/guarded-write.ts';
import type { ItemKey } from '../../../model/item.ts';
import type { OnSpent, TablePort } from '../../../worker/ports.ts';

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

/** The worker's table, with its requests and read units counted, and its writes told. */
export function observedTable(port: TablePort, used: Used, observer: WriteObserver): TablePort {
  const hasRead: OnSpent = (_, units) => {
    used.requests += 1;
    used.readUnits += units;
  };
  const hasWritten = () => {
    used.requests += 1;
  };
  return {
    get: (key) => port.get(key, { onSpent: hasRead }),
    getMany: (keys, options) => port.getMany(keys, { ...options, onSpent: hasRead }),
    async query(...asked) {
      const page = await port.query(...asked);
      hasRead(0, page.units ?? 0);
      return page;
    },
    update: (updates) =>
      told(
        updates.map((update) => observer.updating(update)),
        () => port.update(updates, { onSpent: hasWritten }),
      ),
    transact: (root, actions) =>
      told(
        actions.map((action) => observer.transacting(action, root.key)),
        () => port.transact(root, actions, { onSpent: hasWritten }),
      ),
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
