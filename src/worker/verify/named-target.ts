import { unlessInvalid } from '../../model/basics/errors.ts';
import type { ItemKey, KeyedItem } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import { targetsOf } from '../../plan/aggregate-functions.ts';

/** A target that a member names. Aggregates create none: if it does not exist, the member counts nowhere. */
export interface NamedTarget {
  readonly rule: BoundAggregate;
  readonly target: ItemKey;
  readonly namedBy: ItemKey;
}

export function targetsNamedIn(
  aggregate: BoundAggregate,
  { key: namedBy, item }: KeyedItem,
): readonly NamedTarget[] {
  if (!isOfKind(aggregate.of, item)) return [];
  const targets = unlessInvalid(
    () => targetsOf(aggregate, item),
    () => [],
  );
  return targets.map((target) => ({ rule: aggregate, target, namedBy }));
}
