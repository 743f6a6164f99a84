import type { Expectation, GuardedRemoval, GuardedUpdate, WriteOutcome } from '../model/guarded-write.ts';
import type { ItemKey } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import type { PropagationContext } from './context.ts';
import type { CopyPlan } from './plan/plan-copy.ts';
import { deadLetter, type UnwrittenCopies } from './requeue.ts';
import type { Tally } from './tally.ts';

/**
 * Writes the planned updates and removals, each on its condition, and dead-letters the copies that cannot be written.
 * @returns the copies to read again, because a condition failed or one write was not enough, and those that DynamoDB
 * could not write for now
 */
export async function writePlans(
  context: PropagationContext,
  message: Message,
  plans: readonly CopyPlan[],
  tally: Tally,
): Promise<UnwrittenCopies> {
  const work = byAction(plans, tally);
  const lost: ItemKey[] = [];
  const unavailable: ItemKey[] = [];
  for (const { key, outcome } of await write(context, message, work, tally)) {
    if (outcome === 'unavailable') unavailable.push(key);
    else if (outcome === 'refused')
      work.refused.push({
        copy: key,
        code: 'copy.refused',
        reason: 'DynamoDB refuses this write of this copy, whenever it is tried',
      });
    else lost.push(key);
  }
  await deadLetterRefused(context, message, work.refused, tally);
  return { lost, unavailable };
}

type Update = Extract<CopyPlan, { is: 'update' }>;
type Removal = Extract<CopyPlan, { is: 'remove' }>;

interface Work {
  readonly updates: Update[];
  readonly removals: Removal[];
  /** The condition on the root. It is the same for all removals, because they were planned with one read of the root. */
  rootExpect: 'absent' | Expectation;
  readonly refused: { readonly copy: ItemKey; readonly code: string; readonly reason: string }[];
}

function byAction(plans: readonly CopyPlan[], tally: Tally): Work {
  const work: Work = { updates: [], removals: [], rootExpect: 'absent', refused: [] };
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
        work.rootExpect = plan.rootExpect;
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

interface UnfinishedWrite {
  readonly key: ItemKey;
  readonly outcome: Exclude<WriteOutcome, 'written'> | 'partial';
}

/** @returns the writes that failed, and those of which one write could hold only a part */
async function write(
  context: PropagationContext,
  { rule, root }: Message,
  { updates, removals, rootExpect }: Work,
  tally: Tally,
): Promise<UnfinishedWrite[]> {
  const unfinished: UnfinishedWrite[] = [];
  function noteFailure({ key }: GuardedUpdate | GuardedRemoval, outcome: WriteOutcome): void {
    if (outcome === 'written') return;
    if (outcome === 'lost' || outcome === 'root') tally.lost += 1;
    unfinished.push({ key, outcome });
  }
  const updated =
    updates.length === 0
      ? []
      : await context.table.update(updates.map(({ update }) => ({ ...update, rule })));
  updates.forEach(({ update, partial, narrowed }, index) => {
    const outcome = updated[index] ?? 'unavailable';
    noteFailure(update, outcome);
    if (outcome !== 'written') return;
    tally.written += 1;
    if (narrowed) tally.narrowed += 1;
    if (partial) unfinished.push({ key: update.key, outcome: 'partial' });
  });
  const removed =
    removals.length === 0
      ? []
      : await context.table.remove(
          { key: root, expect: rootExpect },
          removals.map(({ removal }) => removal),
        );
  removals.forEach(({ removal, partial }, index) => {
    const outcome = removed[index] ?? 'unavailable';
    noteFailure(removal, outcome);
    if (outcome !== 'written') return;
    tally.removed += 1;
    if (partial) unfinished.push({ key: removal.key, outcome: 'partial' });
  });
  return unfinished;
}

/** Each copy gets its own dead letter, so that one invalid copy does not stop the others. */
async function deadLetterRefused(
  context: PropagationContext,
  message: Message,
  refused: Work['refused'],
  tally: Tally,
): Promise<void> {
  const { rule, root, cause, locations } = message;
  for (const { copy, code, reason } of refused)
    await deadLetter(
      context,
      {
        code,
        reason,
        message: { rule, root, cause, ...(locations && { locations }), copies: [copy], attempts: 0 },
      },
      tally,
    );
}
