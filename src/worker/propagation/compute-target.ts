/**
 * A computation writes the totals of one target, in three steps:
 *
 *   1. Read the target.
 *   2. Read all its members, page by page, and add them up.
 *   3. Write what differs, on condition that the target's attributes are still as read in step 1.
 *
 * If the condition fails, all three run again. The write comes back on the stream as a record of the target, which asks for
 * another computation: that check, not the condition, makes totals converge (docs/design.md).
 */

import { type Aggregate, memberIndexes } from '../../model/aggregate.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { PropagationReport } from '../../model/report.ts';
import type { PropagationContext } from './context.ts';
import { planTotals } from './plan/plan-totals.ts';
import { readTotals } from './read-totals.ts';
import { leftBy, settle, type Unfinished } from './settle.ts';
import { Tally } from './tally.ts';

/**
 * Computes one target and reports it.
 * @param message names the aggregate as its rule, and the target as its root
 * @param changedAt when the earliest of the changes was made, in epoch milliseconds, for the report
 * @throws TransientError `queue.refused` if the queue refuses what is left: the record must not be acknowledged
 * @throws FatalError if no item could be processed
 */
export async function computeTarget(
  context: PropagationContext,
  aggregate: Aggregate,
  message: Message,
  changedAt?: number,
): Promise<PropagationReport> {
  const tally = new Tally(message, changedAt);
  const left = await compute(context, aggregate, message, tally).catch((error: unknown) =>
    leftBy(error, message, context),
  );
  await settle(context, left === undefined ? [] : [left], tally);
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

/** @returns what is left to do */
async function compute(
  context: PropagationContext,
  aggregate: Aggregate,
  message: Message,
  tally: Tally,
): Promise<Unfinished | undefined> {
  const { registry, table, settings, memory } = context;
  const reading = { names: registry.table, table, pageLimit: settings.pageLimit, memory };
  for (let round = 1; ; round += 1) {
    // Step 1. A target that is not there gets no item; its own record computes it once it is.
    const target = await table.get(message.root);
    if (target === undefined || !isOfKind(registry.table, aggregate.on, target)) break;
    // Step 2.
    const totals = await readTotals(reading, aggregate, target, context.outOfTime);
    if (totals === undefined) return { is: 'lost', message };
    tally.skipped = totals.skipped.members;
    // Step 3.
    const update = planTotals(registry.table, aggregate, target, totals.computed());
    if (update === undefined) {
      tally.unchanged += 1;
      break;
    }
    const [outcome = 'unavailable'] = await table.update([update]);
    if (outcome === 'unavailable') return { is: 'unavailable', message };
    if (outcome === 'refused') {
      const reason = 'DynamoDB refuses this write of this target, whenever it is tried';
      return { is: 'refused', code: 'target.refused', reason, message };
    }
    if (outcome === 'written') {
      tally.written += 1;
      break;
    }
    tally.lost += 1;
    if (round >= settings.rounds || context.outOfTime()) return { is: 'lost', message };
  }
  return rechecksMembers(aggregate, message) ? { is: 'recheck', message } : undefined;
}

/** Each change of a member that an index finds is rechecked: the index may not have shown it yet. */
function rechecksMembers(aggregate: Aggregate, { cause, recheck }: Message): boolean {
  return cause === 'changed' && recheck !== true && memberIndexes(aggregate).length > 0;
}
