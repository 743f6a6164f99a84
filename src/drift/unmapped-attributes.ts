import type { GuardedUpdate, WriteOutcome } from '../model/guarded-write.ts';
import { type ItemKey, keyText } from '../model/item.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import { namedOutputs } from '../model/rule-attributes.ts';
import type { TablePort } from '../ports.ts';

/**
 * Of these attributes of a copy, those that no rule names: they stand in no schema of a rule's root or copy of that kind,
 * and in nothing that such a rule copies, derives, reads or leaves to the copy. A strict mirror removes them where the root
 * lacks them, whether the root has lost them or an application put them on the copy: nothing tells the two apart.
 */
export function unmappedOn(
  { rules }: Pick<Registry, 'rules'>,
  copy: ItemKey,
  attributes: readonly string[],
): readonly string[] {
  const named = rules.filter((rule) => rule.copy.idsOf(copy) !== undefined).map(namesOf);
  return attributes.filter((name) => !named.some((names) => names.has(name)));
}

function namesOf(rule: Rule): ReadonlySet<string> {
  return new Set([
    ...Object.keys(rule.root.attributes.shape),
    ...Object.keys(rule.copy.attributes.shape),
    ...namedOutputs(rule),
    ...rule.reads.root,
    ...rule.reads.copy,
    ...rule.own,
  ]);
}

/**
 * A table that refuses every write which would remove an attribute that no rule names, whoever asks for it: an application
 * may have put it there. `kept` holds the keys of those copies as texts, and is live.
 */
export function protectUnmapped(
  port: TablePort,
  registry: Pick<Registry, 'rules'>,
): { readonly port: TablePort; readonly kept: ReadonlyMap<string, ItemKey> } {
  const kept = new Map<string, ItemKey>();
  function isRefused({ key, remove }: GuardedUpdate): boolean {
    if (unmappedOn(registry, key, remove).length === 0) return false;
    kept.set(keyText(key), key);
    return true;
  }
  return {
    kept,
    port: {
      get: (key) => port.get(key),
      getMany: (keys) => port.getMany(keys),
      queryPartition: (location, limit, from) => port.queryPartition(location, limit, from),
      queryIndex: (location, limit, from) => port.queryIndex(location, limit, from),
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
