import { keyText } from '../../model/items/item.ts';
import {
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type WriteOutcome,
} from '../../model/work/guarded-write.ts';
import type { TablePort } from '../../worker/ports.ts';
import { type Mapped, unmappedOn } from '../../worker/verify/unmapped-attributes.ts';

/** A refused write would remove attributes that no rule names, or a copy whose root is excluded. */
export type Kept = 'unmapped' | 'excluded';

/** Refuses every write that a person has to allow. `kept`, which is live, has the reasons by the text of the copies' keys. */
export function protectTable(
  port: TablePort,
  registry: Mapped,
): { readonly port: TablePort; readonly kept: ReadonlyMap<string, Kept> } {
  const kept = new Map<string, Kept>();
  function isRefused({ key, remove }: GuardedUpdate): boolean {
    if (unmappedOn(registry, key, remove).length === 0) return false;
    kept.set(keyText(key), 'unmapped');
    return true;
  }
  return {
    kept,
    port: {
      get: (key) => port.get(key),
      getMany: (keys) => port.getMany(keys),
      query: (...asked) => port.query(...asked),
      async transact(root, actions) {
        const isExcluded = (action: GuardedAction) => !isCreation(action) && action.excluded === true;
        for (const action of actions) if (isExcluded(action)) kept.set(keyText(action.key), 'excluded');
        const allowed = actions.filter((action) => !isExcluded(action));
        return outcomesOf(actions.map(isExcluded), await port.transact(root, allowed));
      },
      async update(updates) {
        const refused = updates.map(isRefused);
        const allowed = updates.filter((_, index) => !refused[index]);
        return outcomesOf(refused, await port.update(allowed));
      },
    },
  };
}

/** @param made the outcomes of the writes that are not refused */
function outcomesOf(refused: readonly boolean[], made: readonly WriteOutcome[]): readonly WriteOutcome[] {
  const left = [...made];
  return refused.map((is) => (is ? 'refused' : (left.shift() ?? 'unavailable')));
}
