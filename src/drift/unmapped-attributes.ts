import type { GuardedUpdate, WriteOutcome } from '../model/guarded-write.ts';
import { type ItemKey, keyText } from '../model/item.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import { namedOutputs } from '../model/rule-attributes.ts';
import type { TablePort } from '../ports.ts';

/**
 * Returns the attributes that no rule for this kind of copy names: in a schema of root or copy, or in what it copies,
 * derives, reads or leaves to the copy. A strict mirror removes such attributes if the root lacks them. Nothing tells
 * whether the root has lost them or an application has set them on the copy.
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
 * A table that refuses every write that would remove an attribute without a rule, because an application may have set
 * it. `kept` holds the keys of those copies by key text, and is live.
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
