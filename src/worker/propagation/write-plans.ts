import { unitsOfSize } from '../../model/capacity.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { PropagationContext } from './context.ts';
import type { Pace } from './pace.ts';
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

/**
 * Writes the planned updates, removals and creations, each on its condition.
 * @returns the copies that were not written; `unfinished` if some writes were not sent, because the time was up
 */
export async function writePlans(
  context: PropagationContext,
  message: Message,
  plans: readonly CopyPlan[],
  pace: Pace,
  tally: Tally,
): Promise<UnwrittenCopies | 'unfinished'> {
  const work = byAction(plans, tally);
  const lost: ItemKey[] = [];
  const unavailable: ItemKey[] = [];
  let unsent = 0;
  for (const { key, outcome } of await write(context, message, work, pace, tally)) {
    if (outcome === 'unsent') unsent += 1;
    else if (outcome === 'unavailable') unavailable.push(key);
    else if (outcome === 'refused')
      work.refused.push({
        copy: key,
        code: 'copy.refused',
        reason: 'DynamoDB refuses this write of this copy, whenever it is tried',
      });
    else lost.push(key);
  }
  // The other item may be about to leave: its root may just have left this key. The copy is tried again like a lost one.
  for (const { copy, error } of work.taken)
    if (message.attempts < context.settings.maxAttempts) lost.push(copy);
    else work.refused.push({ copy, code: error.code, reason: error.message });
  return unsent > 0 ? 'unfinished' : { lost, unavailable, refused: work.refused };
}

type Update = Extract<CopyPlan, { is: 'update' }>;
type Removal = Extract<CopyPlan, { is: 'remove' }>;
type Creation = Extract<CopyPlan, { is: 'create' }>;

interface Work {
  readonly updates: Update[];
  readonly removals: Removal[];
  readonly creations: Creation[];
  /** Copies that cannot be created, because another item has their key. */
  readonly taken: Extract<CopyPlan, { is: 'taken' }>[];
  readonly refused: RefusedCopy[];
}

function byAction(plans: readonly CopyPlan[], tally: Tally): Work {
  const work: Work = {
    updates: [],
    removals: [],
    creations: [],
    taken: [],
    refused: [],
  };
  for (const plan of plans) {
    switch (plan.is) {
      case 'foreign':
        tally.foreign += 1;
        break;
      case 'orphan':
        tally.orphans += 1;
        break;
      case 'unchanged':
        tally.unchanged += 1;
        break;
      case 'update':
        work.updates.push(plan);
        break;
      case 'remove':
        work.removals.push(plan);
        break;
      case 'create':
        work.creations.push(plan);
        break;
      case 'taken':
        tally.foreign += 1;
        work.taken.push(plan);
        break;
      case 'refuse':
        work.refused.push({ copy: plan.copy, code: plan.error.code, reason: plan.error.message });
        break;
      default:
        plan satisfies never;
    }
  }
  return work;
}

/** Creations or removals in one transaction. Source: AWS, "TransactWriteItems": 100 actions, and one is the condition on the root. */
const maxInTransaction = 99;

interface UnfinishedWrite {
  readonly key: ItemKey;
  readonly outcome: Exclude<PacedOutcome, 'written'> | 'partial';
}

/** @returns the writes that failed, and those of which one write could hold only a part */
async function write(
  context: PropagationContext,
  { rule, root }: Message,
  { updates, removals, creations }: Work,
  pace: Pace,
  tally: Tally,
): Promise<UnfinishedWrite[]> {
  const unfinished: UnfinishedWrite[] = [];
  /** @returns whether it was written, at least in part */
  function noted({ key }: { readonly key: ItemKey }, outcome: PacedOutcome = 'unavailable', partial = false) {
    if (outcome === 'lost' || outcome === 'root') tally.lost += 1;
    if (outcome !== 'written') unfinished.push({ key, outcome });
    else if (partial) unfinished.push({ key, outcome: 'partial' });
    return outcome === 'written';
  }
  const updated = await inRequests(
    context,
    pace,
    updates.map(({ update, size }) => ({
      write: { ...update, rule },
      units: unitsOfSize(size),
    })),
    {
      maxSize: updates.length,
      send: (some, onSpent) => context.table.update(some, onSpent && { onSpent, isPaced: true }),
    },
  );
  updates.forEach(({ update, partial, narrowed }, index) => {
    if (!noted(update, updated[index], partial)) return;
    tally.written += 1;
    if (narrowed) tally.narrowed += 1;
  });
  // One condition on the root for all removals, and one for all creations: each were planned with one read of it.
  const rootExpect = removals[0]?.rootExpect ?? 'absent';
  const removed = await inRequests(
    context,
    pace,
    removals.map(({ removal }) => ({ write: removal, units: unitsOfSize(removal.size, true) })),
    {
      maxSize: maxInTransaction,
      send: (some, onSpent) =>
        context.table.transact(
          { key: root, expect: rootExpect },
          some,
          onSpent && { onSpent, isPaced: true },
        ),
    },
  );
  removals.forEach(({ removal, partial }, index) => {
    if (noted(removal, removed[index], partial)) tally.removed += 1;
  });
  const expect = creations[0]?.rootExpect ?? 'absent';
  const created = await inRequests(
    context,
    pace,
    creations.map(({ creation }) => ({ write: creation, units: unitsOfSize(creation.size, true) })),
    {
      maxSize: maxInTransaction,
      send: (some, onSpent) =>
        context.table.transact({ key: root, expect }, some, onSpent && { onSpent, isPaced: true }),
    },
  );
  creations.forEach(({ creation, narrowed }, index) => {
    if (!noted(creation, created[index])) return;
    tally.written += 1;
    if (narrowed) tally.narrowed += 1;
  });
  return unfinished;
}

/** Keeps to the pace if it governs these writes. Others go to the table at once, which retries what is throttled. */
async function inRequests<Write>(
  context: PropagationContext,
  pace: Pace,
  writes: readonly PricedWrite<Write>[],
  requests: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  if (writes.length === 0) return [];
  if (pace.governs(writes.length, unitsIn(writes), context.settings.pacedWrites))
    return writeAtPace(context, pace, writes, requests);
  const outcomes = await requests.send(writes.map(({ write }) => write));
  return outcomes.map((outcome) => (outcome === 'throttled' ? 'unavailable' : outcome));
}
