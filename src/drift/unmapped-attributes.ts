import type { ItemKey } from '../model/item.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import { namedOutputs } from '../model/rule-attributes.ts';

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
