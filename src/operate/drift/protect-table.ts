import type { GuardedUpdate, WriteOutcome } from '../../model/guarded-write.ts';
import { keyText } from '../../model/item.ts';
import type { TablePort } from '../../worker/ports.ts';
import { type Mapped, unmappedOn } from '../../worker/verify/unmapped-attributes.ts';

/**
 * Why a write was refused: it would remove attributes that no rule names, which an application may have set, or a copy
 * whose root is excluded.
 */
export type Kept = 'unmapped' | 'excluded';

/**
 * A table that refuses every write that a person has to allow. `kept` holds the reasons by the text of the copies' keys,
 * and is live.
 */
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
      queryPartition: (location, limit, from) => port.queryPartition(location, limit, from),
      queryIndex: (location, limit, from) => port.queryIndex(location, limit, from),
      queryIndexEntries: (location, limit, from) => port.queryIndexEntries(location, limit, from),
      create: (root, creations) => port.create(root, creations),
      async remove(root, removals) {
        for (const { key, excluded } of removals) if (excluded) kept.set(keyText(key), 'excluded');
        const allowed = removals.filter(({ excluded }) => !excluded);
        const removed = [...(allowed.length === 0 ? [] : await port.remove(root, allowed))];
        return removals.map(({ excluded }) => (excluded ? 'refused' : (removed.shift() ?? 'unavailable')));
      },
      async update(updates) {
        const refused = updates.map(isRefused);
        const allowed = updates.filter((_, index) => !refused[index]);
        const written = [...(await port.update(allowed))];
        return refused.map((is): WriteOutcome => (is ? 'refused' : (written.shift() ?? 'unavailable')));
      },
    },
  };
}
