import type { GuardedUpdate, WriteOutcome } from '../model/guarded-write.ts';
import { type ItemKey, keyText } from '../model/item.ts';
import type { Registry } from '../model/registry.ts';
import { unnamedOn } from './unmapped-attributes.ts';
import type { TablePort } from '../ports.ts';

/**
 * A table that refuses every write which would remove an attribute that no rule names, whoever asks for it: an application
 * may have put it there. `kept` holds the keys of those copies as texts, and is live.
 */
export function keepUnnamed(
  port: TablePort,
  registry: Pick<Registry, 'rules'>,
): { readonly port: TablePort; readonly kept: ReadonlyMap<string, ItemKey> } {
  const kept = new Map<string, ItemKey>();
  function isRefused({ key, remove }: GuardedUpdate): boolean {
    if (unnamedOn(registry, key, remove).length === 0) return false;
    kept.set(keyText(key), key);
    return true;
  }
  return {
    kept,
    port: {
      get: (key) => port.get(key),
      getMany: (keys) => port.getMany(keys),
      queryPartition: (place, limit, from) => port.queryPartition(place, limit, from),
      queryIndex: (place, limit, from) => port.queryIndex(place, limit, from),
      remove: (root, removals) => port.remove(root, removals),
      async update(updates) {
        const refused = updates.map(isRefused);
        const allowed = updates.filter((_, index) => !refused[index]);
        const written = [...(await port.update(allowed))];
        return refused.map((is): WriteOutcome => (is ? 'refused' : (written.shift() ?? 'unavailable')));
      },
    },
  };
}
