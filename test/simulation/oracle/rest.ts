import { type ItemKey, keyText } from '../../../src/domain/item.ts';
import type { Parked } from '../../../src/domain/message.ts';
import type { ModelTable } from '../../model/model-table.ts';
import { sameValue } from '../../model/same-value.ts';
import type { Judge } from './judge.ts';
import { pkOf, type Relation, skOf } from './relation.ts';

/** A copy that is not what it should be. */
export interface Drift {
  readonly relation: Relation;
  readonly root: ItemKey;
  readonly copy: ItemKey;
  readonly what: string;
  /** Whether it should be gone, or cleared. */
  readonly removed: boolean;
}

/** A copy that cannot be what it should be as long as it, or its root, is as it is. */
export type Stuck = Omit<Drift, 'what' | 'removed'>;

/** The copies that are not what their roots say, duties that were not met, and copies that only a person can mend. */
export function driftOf(table: ModelTable, judge: Judge): { drift: Drift[]; stuck: Stuck[] } {
  const drift: Drift[] = [];
  const stuck: Stuck[] = [];
  for (const item of table.items()) {
    const relation = judge.relationOf(item);
    const root = relation?.rootOf(item);
    if (relation === undefined || root === undefined) continue;
    const copy = { pk: pkOf(item), sk: skOf(item) };
    const at = { relation, root, copy };
    const present = table.read(root);
    const duty = judge.duties.of(copy);
    if (duty !== undefined) {
      const kept = duty.policy === 'delete' || Object.keys(item).some((name) => relation.writes(name));
      const unsaid = present !== undefined && relation.places(present, item) === undefined;
      if (unsaid) stuck.push(at);
      else if (kept)
        drift.push({ ...at, what: 'a copy stays as it was though its root went', removed: true });
      continue;
    }
    if (present === undefined) continue;
    if (relation.places(present, item) !== true) continue;
    const wanted = relation.wanted(present, item);
    if (wanted === undefined) stuck.push(at);
    else if ([...wanted].some(([name, value]) => !sameValue(item[name], value)))
      drift.push({ ...at, what: 'a copy is not what its root says', removed: false });
  }
  return { drift, stuck };
}

/** Whether one of these names what is stuck. */
export function isParked(parked: readonly Parked[], { relation, root }: Stuck): boolean {
  return parked.some(
    ({ message }) =>
      message !== undefined && message.rule === relation.rule && keyText(message.root) === keyText(root),
  );
}
