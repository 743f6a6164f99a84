import { unitsOfSize } from '../../model/capacity.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Propagation } from './context.ts';
import type { CopyPlan } from './plan/plan-copy.ts';
import type { Tally } from './tally.ts';
import { type PacedOutcome, type PricedWrite, type Requests, unitsIn, writeAtPace } from './write-at-pace.ts';

/** Copies that a page could not write. Each is in one of the lists. */
export interface UnwrittenCopies {
  /** To read again: a condition failed, or one write was not enough. */
  readonly lost: readonly ItemKey[];
  /** DynamoDB could not write them for now. */
  readonly unavailable: readonly ItemKey[];
  /** They cannot be written as they are, or as their root is. */
  readonly refused: readonly RefusedCopy[];
}

export interface RefusedCopy {
  readonly copy: ItemKey;
  readonly code: string;
  readonly reason: string;
}

type PlanOf<Is extends CopyPlan['is']> = Extract<CopyPlan, { is: Is }>;

/**
 * Writes the planned updates, removals and creations, each on its condition.
 * @returns the copies that were not written; `unfinished` if some writes were not sent, because the time was up
 */
export async function writePlans(
  propagation: Propagation,
  plans: readonly CopyPlan[],
): Promise<UnwrittenCopies | 'unfinished'> {
  const { context, message, tally } = propagation;
  const ofKind = <Is extends CopyPlan['is']>(is: Is) =>
    plans.filter((plan): plan is PlanOf<Is> => plan.is === is);
  const updates = ofKind('update');
  const removals = ofKind('remove');
  const creations = ofKind('create');
  countUnwritten(plans, tally);
  const unwritten = [
    ...noted(updates, await update(propagation, updates), tally),
    ...noted(removals, await transact(propagation, removals), tally),
    ...noted(creations, await transact(propagation, creations), tally),
  ];
  if (unwritten.some(({ outcome }) => outcome === 'unsent')) return 'unfinished';
  const lost: ItemKey[] = [];
  const unavailable: ItemKey[] = [];
  const refused = ofKind('refuse').map(refusalOf);
  for (const { key, outcome } of unwritten)
    if (outcome === 'unavailable') unavailable.push(key);
    else if (outcome === 'refused') refused.push(refusedByTable(propagation, key));
    else lost.push(key);
  // The other item may be about to leave: its root may just have left this key. The copy is tried again like a lost one.
  for (const plan of ofKind('taken'))
    if (message.attempts < context.settings.maxAttempts) lost.push(plan.copy);
    else refused.push(refusalOf(plan));
  return { lost, unavailable, refused };
}

function refusalOf({ copy, error }: PlanOf<'refuse' | 'taken'>): RefusedCopy {
  return { copy, code: error.code, reason: error.message };
}

function refusedByTable({ context, message }: Propagation, copy: ItemKey): RefusedCopy {
  const code = context.registry.aggregate(message.rule) === undefined ? 'copy.refused' : 'target.refused';
  return { copy, code, reason: 'DynamoDB refuses this write of this item, whenever it is tried' };
}

function countUnwritten(plans: readonly CopyPlan[], tally: Tally): void {
  for (const { is } of plans)
    if (is === 'unchanged') tally.unchanged += 1;
    else if (is === 'orphan') tally.orphans += 1;
    else if (is === 'foreign' || is === 'taken') tally.foreign += 1;
}

type PlannedWrite = PlanOf<'update' | 'remove' | 'create'>;

interface Unwritten {
  readonly key: ItemKey;
  readonly outcome: Exclude<PacedOutcome, 'written'> | 'partial';
}

/** Counts writes by their outcomes. @returns those that failed, and those of which one write could hold only a part */
function noted(plans: readonly PlannedWrite[], outcomes: readonly PacedOutcome[], tally: Tally) {
  return plans.flatMap((plan, index): Unwritten[] => {
    const { key } = plan.write;
    const outcome = outcomes[index] ?? 'unavailable';
    if (outcome === 'lost' || outcome === 'root') tally.lost += 1;
    if (outcome !== 'written') return [{ key, outcome }];
    if (plan.is === 'remove') tally.removed += 1;
    else tally.written += 1;
    if ('narrowed' in plan && plan.narrowed) tally.narrowed += 1;
    return 'partial' in plan && plan.partial ? [{ key, outcome: 'partial' }] : [];
  });
}

function update(propagation: Propagation, updates: readonly PlanOf<'update'>[]) {
  const { context, message } = propagation;
  const writes = updates.map(({ write, size }) => ({
    write: { ...write, rule: message.rule },
    units: unitsOfSize(size),
  }));
  return inRequests(propagation, writes, {
    maxSize: updates.length,
    send: (some, onSpent) => context.table.update(some, onSpent && { onSpent, isPaced: true }),
  });
}

/** Creations or removals in one transaction. Source: AWS, "TransactWriteItems": 100 actions, and one is the condition on the root. */
const maxInTransaction = 99;

/** One condition on the root for all: they were planned with one read of it. */
function transact(propagation: Propagation, plans: readonly PlanOf<'create' | 'remove'>[]) {
  const { context, message } = propagation;
  const root = { key: message.root, expect: plans[0]?.rootExpect ?? 'absent' };
  const writes = plans.map(({ write }) => ({ write, units: unitsOfSize(write.size, true) }));
  return inRequests(propagation, writes, {
    maxSize: maxInTransaction,
    send: (some, onSpent) => context.table.transact(root, some, onSpent && { onSpent, isPaced: true }),
  });
}

/** Keeps to the pace if it governs these writes. Others go to the table at once, which retries what is throttled. */
async function inRequests<Write>(
  { context, pace }: Propagation,
  writes: readonly PricedWrite<Write>[],
  requests: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  if (writes.length === 0) return [];
  if (pace.governs(writes.length, unitsIn(writes), context.settings.pacedWrites))
    return writeAtPace(context, pace, writes, requests);
  const outcomes = await requests.send(writes.map(({ write }) => write));
  return outcomes.map((outcome) => (outcome === 'throttled' ? 'unavailable' : outcome));
}
