import type { Aggregate } from '../../model/aggregate.ts';
import { unlessInvalid } from '../../model/errors.ts';
import type { ItemKey, KeyedItem } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { targetsOf } from '../propagation/plan/aggregate-functions.ts';

/** A target that a member names. Aggregates create none: if it does not exist, the member counts nowhere. */
export interface NamedTarget {
  readonly rule: Aggregate;
  readonly target: ItemKey;
  readonly namedBy: ItemKey;
}

export function targetsNamedIn(
  table: TableNames,
  aggregate: Aggregate,
  { key: namedBy, item }: KeyedItem,
): readonly NamedTarget[] {
  if (!isOfKind(table, aggregate.of, item)) return [];
  const targets = unlessInvalid(
    () => targetsOf(table, aggregate, item),
    () => [],
  );
  return targets.map((target) => ({ rule: aggregate, target, namedBy }));
}
