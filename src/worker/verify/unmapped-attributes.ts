import type { ItemKey } from '../../model/items/item.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { namedOutputs } from '../../model/rules/rule-attributes.ts';

export type Mapped = Pick<Registry, 'rules'> & Partial<Pick<Registry, 'aggregates'>>;

/**
 * Returns the attributes that no rule for this kind of copy names: in a schema of root or copy, or in what it copies,
 * derives, reads or leaves to the copy. A strict mirror removes such attributes if the root lacks them. Nothing tells
 * whether the root has lost them or an application has set them on the copy.
 */
export function unmappedOn(
  { rules, aggregates = [] }: Mapped,
  copy: ItemKey,
  attributes: readonly string[],
): readonly string[] {
  const named = [
    ...rules.filter((rule) => rule.copy.idsOf(copy) !== undefined).map(namesOf),
    ...aggregates.filter(({ on }) => on.idsOf(copy) !== undefined).map(namesOfTarget),
  ];
  return attributes.filter((name) => !named.some((names) => names.has(name)));
}

function namesOf(rule: BoundRule): ReadonlySet<string> {
  return new Set([
    ...Object.keys(rule.root.attributes.shape),
    ...Object.keys(rule.copy.attributes.shape),
    ...namedOutputs(rule),
    ...rule.reads.root,
    ...rule.reads.copy,
    ...rule.own,
  ]);
}

function namesOfTarget({ on, computes, reads }: BoundAggregate): ReadonlySet<string> {
  return new Set([...Object.keys(on.attributes.shape), ...Object.keys(computes), ...reads.target]);
}
