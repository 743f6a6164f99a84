import { unitsOfSize } from '../../model/items/capacity.ts';
import type { ItemKey } from '../../model/items/item.ts';
import { headOf, namesOfLedger } from '../../model/rules/ledger.ts';
import type { RootCondition } from '../../model/work/guarded-write.ts';
import type { ItemPlan, Propagation } from './context.ts';
import { type PacedOutcome, writeAll } from './pace.ts';
import { mayHeal } from './settle.ts';

/** `lost`: to be read again; `refused`: it cannot be written as it is, or as its root is; `unsent`: the time was up. */
export type Unwritten =
  | { readonly is: 'lost' | 'unavailable' | 'unsent'; readonly key: ItemKey }
  | { readonly is: 'refused'; readonly key: ItemKey; readonly code: string; readonly reason: string };

type PlanOf<Is extends ItemPlan['is']> = Extract<ItemPlan, { is: Is }>;

/**
 * Each on its condition.
 * @returns the items that were not written
 */
export async function writePlans(
  propagation: Propagation,
  plans: readonly ItemPlan[],
): Promise<readonly Unwritten[]> {
  const { context, message, tally } = propagation;
  const ofKind = <Is extends ItemPlan['is']>(is: Is) =>
    plans.filter((plan): plan is PlanOf<Is> => plan.is === is);
  const updates = ofKind('update');
  const removes = ofKind('remove');
  const creations = ofKind('create');
  tally.unchanged += ofKind('unchanged').length;
  tally.orphans += ofKind('orphan').length;
  tally.foreign += ofKind('foreign').length + ofKind('taken').length;
  const unwritten = [
    ...unwrittenOf(propagation, updates, await update(propagation, updates)),
    ...unwrittenOf(propagation, removes, await onRoot(propagation, removes)),
    ...unwrittenOf(propagation, creations, await onRoot(propagation, creations)),
    ...(await postAll(propagation, ofKind('post'))),
  ];
  const waits = message.attempts < context.settings.maxAttempts;
  const refused = [...ofKind('refuse'), ...ofKind('taken')].map((plan) => {
    // The other item may be about to leave: its root may just have left this key. The copy is tried again like a lost one.
    const isLost = plan.is === 'taken' ? waits : mayHeal(context, message, plan.error);
    return isLost ? { is: 'lost' as const, key: plan.copy } : refusal(plan);
  });
  const later = ofKind('later').map(({ copy: key }) => ({ is: 'lost', key }) as const);
  return [...unwritten, ...refused, ...later];
}

function refusal({ copy: key, error }: PlanOf<'refuse' | 'taken'>): Unwritten {
  return { is: 'refused', key, code: error.code, reason: error.message };
}

type PlannedWrite = PlanOf<'update' | 'remove' | 'create' | 'post'>;

/** A write that could hold only a part of the changes leaves its item to be read again. */
function unwrittenOf(
  propagation: Propagation,
  plans: readonly PlannedWrite[],
  outcomes: readonly PacedOutcome[],
): readonly Unwritten[] {
  return plans.flatMap((plan, index) => unwrittenAfter(propagation, plan, outcomes[index] ?? 'unavailable'));
}

function unwrittenAfter(
  { context, message, tally }: Propagation,
  plan: PlannedWrite,
  outcome: PacedOutcome,
): Unwritten[] {
  const { key } = plan.write;
  switch (outcome) {
    case 'unsent':
    case 'unavailable':
      return [{ is: outcome, key }];
    case 'refused': {
      const isCopy = context.registry.aggregate(message.rule) === undefined;
      const reason = 'DynamoDB refuses this write of this item, whenever it is tried';
      return [{ is: 'refused', key, code: isCopy ? 'copy.refused' : 'target.refused', reason }];
    }
    case 'lost':
    case 'root':
      tally.lost += 1;
      return [{ is: 'lost', key }];
    case 'written':
      if (plan.is === 'remove') tally.removed += 1;
      else tally.written += 1;
      if ('narrowed' in plan && plan.narrowed) tally.narrowed += 1;
      return 'partial' in plan && plan.partial ? [{ is: 'lost', key }] : [];
  }
}

function update(propagation: Propagation, updates: readonly PlanOf<'update'>[]) {
  const { context, message } = propagation;
  const writes = updates.map(({ write, size }) => ({
    write: { ...write, writtenFor: message },
    units: unitsOfSize(size),
  }));
  return writeAll(propagation, writes, {
    maxWrites: updates.length,
    send: (some, onSpent) => context.table.update(some, onSpent && { onSpent, isPaced: true }),
  });
}

/** One head after the other, and its transactions too: two that add to one head at the same time conflict. */
async function postAll(propagation: Propagation, plans: readonly PlanOf<'post'>[]) {
  const unwritten: Unwritten[] = [];
  for (const [pk, some] of Map.groupBy(plans, ({ write }) => write.key.pk)) {
    const put = namesOfLedger(propagation.message.root);
    const head = { key: headOf({ pk }), expect: 'head', put } as const;
    unwritten.push(...unwrittenOf(propagation, some, await transact(propagation, head, some)));
  }
  return unwritten;
}

/** One condition on the root for all: they were planned with one read of it. */
function onRoot(propagation: Propagation, plans: readonly PlanOf<'create' | 'remove'>[]) {
  const root = { key: propagation.message.root, expect: plans[0]?.rootExpect ?? 'absent' };
  return transact(propagation, root, plans);
}

/** Source: AWS, "TransactWriteItems": 100 actions, and one is the condition on the root, or adds to the head. */
const maxInTransaction = 99;

function transact(
  propagation: Propagation,
  root: RootCondition,
  plans: readonly PlanOf<'create' | 'remove' | 'post'>[],
) {
  const { context, message } = propagation;
  const condition = { ...root, writtenFor: message };
  const writes = plans.map(({ write }) => ({ write, units: unitsOfSize(write.size, true) }));
  return writeAll(propagation, writes, {
    maxWrites: maxInTransaction,
    send: (some, onSpent) => context.table.transact(condition, some, onSpent && { onSpent, isPaced: true }),
  });
}
