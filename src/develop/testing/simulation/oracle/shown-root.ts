import type { Item } from '../../../../model/item.ts';
import { sameValue } from '../../table-model/same-value.ts';
import type { Relation } from './relation.ts';

export function changedNames(before: Item, after: Item): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameValue(before[name], after[name]),
  );
}

/**
 * Whether the copy, which was `before`, shows exactly this root as `after`. What is to go may still be there where the
 * write did not touch it: no condition can say that a copy has no attribute but those that were read.
 */
export function shows(relation: Relation, root: Item, before: Item, after: Item): boolean {
  if (relation.locations(root, before) !== true) return false;
  const wanted = relation.wanted(root, before);
  if (wanted === undefined) return false;
  return [...wanted].every(([name, value]) => {
    if (sameValue(after[name], value)) return true;
    return value === undefined && before !== after && sameValue(before[name], after[name]);
  });
}

/** Whether a copy, so far as a propagation that had read `written` looks at it, might have seemed to show this root. */
export function seemed(relation: Relation, root: Item, written: Item, before: Item): boolean {
  if (relation.locations(root, before) !== true) return false;
  const wanted = relation.wanted(root, before);
  if (wanted === undefined) return false;
  return [...wanted].every(
    ([name, value]) => sameValue(before[name], value) || (value === undefined && written[name] === undefined),
  );
}

/** Whether all that a write changed is what this root says. */
export function showsPart(relation: Relation, root: Item, before: Item, after: Item): boolean {
  const wanted = relation.locations(root, before) === true ? relation.wanted(root, before) : undefined;
  return (
    wanted !== undefined &&
    changedNames(before, after).every((name) => wanted.has(name) && sameValue(after[name], wanted.get(name)))
  );
}
