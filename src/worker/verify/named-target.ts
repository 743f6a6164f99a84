import type { Aggregate } from '../../model/aggregate.ts';
import { unlessInvalid } from '../../model/errors.ts';
import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { targetsOf } from '../propagation/plan/aggregate-functions.ts';

/** A target that a member names. Aggregates create none: if it does not exist, the member counts nowhere. */
export interface NamedTarget {
  readonly rule: Aggregate;
  readonly target: ItemKey;
  readonly namedBy: ItemKey;
}

export function targetsNamedIn(table: TableNames, aggregate: Aggregate, item: Item): readonly NamedTarget[] {
  if (!isOfKind(table, aggregate.of, item)) return [];
  const namedBy = keyIn(table, item);
  const targets = unlessInvalid(
    () => targetsOf(table, aggregate, item),
    () => [],
  );
  return targets.map((target) => ({ rule: aggregate, target, namedBy }));
}
