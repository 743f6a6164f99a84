import { InvalidItemError } from '../../model/basics/errors.ts';
import { type Item, type ItemKey, sameKey, withKey } from '../../model/items/item.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import type { CopyPlan } from '../../plan/plan-copy.ts';
import { type Member, planEntry } from '../../plan/plan-entry.ts';
import { planTarget } from '../../plan/plan-target.ts';
import { differencesFrom } from '../../plan/projection.ts';
import type { Totals } from '../../plan/totals.ts';
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
 * Compares a target, or what is at the key of one that the aggregate makes, with its members, which are read now, strongly
 * consistent. Wrong totals are `derived` drift; right ones of a target with members that were skipped are `invalid`, and the reason
 * names the first of those members.
 * @param item undefined if there is none
 */
export async function classifyTarget(
  table: QueriedTable,
  aggregate: BoundAggregate,
  key: ItemKey,
  item: Item | undefined,
): Promise<TargetClassification> {
  const about = { rule: aggregate.name, copy: key, root: key };
  try {
    const reading = { registry: aggregate, table, settings, memory: new Memory() };
    const totals = await readTotals(reading, aggregate, key, item);
    if (totals === undefined) return { classification: { is: 'right' }, computed: {} };
    const values = totals.on();
    const there = [...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return {
      classification: classificationOf(totals, planTarget(totals, key, item), about, item),
      computed: totals.isEmpty ? {} : Object.fromEntries(there),
    };
  } catch (error) {
    if (!(error instanceof InvalidItemError)) throw error;
    return { classification: drifted('invalid', about, faultOf(error)), computed: {} };
  }
}

function classificationOf(
  totals: Totals,
  plan: CopyPlan,
  about: Parameters<typeof drifted>[1],
  item: Item = {},
): CopyClassification {
  switch (plan.is) {
    case 'create':
      return drifted('missing', about);
    case 'remove':
      return drifted('empty', about);
    case 'taken':
    case 'refuse':
    case 'later':
      return drifted('invalid', about, faultOf(plan.error));
    case 'update':
      return drifted('derived', about, { attributes: differencesFrom(totals.on(), item).toSorted() });
    case 'unchanged':
    case 'foreign':
    case 'orphan': {
      const { why } = totals.skipped;
      return why ? drifted('invalid', about, faultOf(withKey(totals.rule.table, why))) : { is: 'right' };
    }
  }
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
