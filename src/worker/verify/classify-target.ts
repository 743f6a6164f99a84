import { InvalidItemError } from '../../model/basics/errors.ts';
import { type Item, type ItemKey, type KeyedItem, sameKey, withKey } from '../../model/items/item.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import { type Member, planEntry } from '../../plan/plan-entry.ts';
import { differencesFrom, type Projection } from '../../plan/projection.ts';
import { readTotals } from '../propagation/computation.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import { Memory } from '../propagation/item-memory.ts';
import { type CopyClassification, drifted, faultOf } from './drift.ts';

/** Members that are read together. */
const settings = { pageLimit: 500 };

/** How a target compares with its members, and what they say it should have: empty if that is unknown. */
export interface TargetClassification {
  readonly classification: CopyClassification;
  readonly computed: Item;
}

/**
 * Compares a target with its members, which are read now, strongly consistent. Wrong totals are `derived` drift; right ones
 * of a target with members that were skipped are `invalid`, and the reason names the first of those members.
 */
export async function classifyTarget(
  table: QueriedTable,
  aggregate: BoundAggregate,
  target: KeyedItem,
): Promise<TargetClassification> {
  const { key } = target;
  const about = { rule: aggregate.name, copy: key, root: key };
  let values: Projection = new Map();
  let skipped: InvalidItemError | undefined;
  try {
    const totals = await readTotals(
      { registry: aggregate, table, settings, memory: new Memory() },
      aggregate,
      target,
    );
    values = totals?.on() ?? values;
    skipped = totals?.skipped.why;
  } catch (error) {
    if (!(error instanceof InvalidItemError)) throw error;
    return { classification: drifted('invalid', about, faultOf(error)), computed: {} };
  }
  const differing = differencesFrom(values, target.item);
  const there = Object.fromEntries(
    [...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (differing.length === 0) {
    const fault = skipped && faultOf(withKey(aggregate.table, skipped));
    return { classification: fault ? drifted('invalid', about, fault) : { is: 'right' }, computed: there };
  }
  const attributes = differing.toSorted();
  return { classification: drifted('derived', about, { attributes }), computed: there };
}

/** Compares the entry of a member for a target with the member, which was read after it. */
export function classifyEntry(
  aggregate: BoundAggregate,
  target: ItemKey,
  member: Member,
): CopyClassification {
  const about = { rule: aggregate.name, copy: member.key };
  const plan = planEntry(aggregate, target, member);
  if (plan.is === 'unchanged') return { is: 'right' };
  if (plan.is === 'post') return drifted('derived', { ...about, root: target }, { isOfEntry: true });
  const root = sameKey(target, member.key) ? undefined : target;
  return drifted('invalid', { ...about, root }, faultOf(plan.error));
}
