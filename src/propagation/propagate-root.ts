/**
 * A propagation updates the copies of one root, page by page, in four steps:
 *
 *   1. Read a page of copies.
 *   2. Read the root.
 *   3. Project the root, compare each copy with the projection, and plan a write for each copy that differs.
 *   4. Write each copy on condition that it is still as read in step 1.
 *
 * If a condition fails, steps 2 to 4 run again for that copy, after it has been read again. The root is always read after
 * the copies: if it came first, a slow worker could write an older value of the root over a newer one.
 *
 * Whatever is not written is either dead-lettered (an invalid copy or root) or requeued (DynamoDB was unavailable, the
 * conditions kept failing, or the time was up). Nothing is dropped.
 */

import type { CopyLocation } from '../model/copy-location.ts';
import { InvalidItemError } from '../model/errors.ts';
import type { Item, ItemKey } from '../model/item.ts';
import { type Message, untried } from '../model/message.ts';
import type { PropagationReport } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import { pagesOf } from './copy-pages.ts';
import { planCopies } from './plan/plan-copy.ts';
import { locationOf } from './plan/rule-functions.ts';
import { recheckLater, requeue, requeueRest, retryCopies, type UnwrittenCopies } from './requeue.ts';
import { Tally } from './tally.ts';
import { writePlans } from './write-plans.ts';

/**
 * Runs one propagation and reports it.
 * @param rule the rule that the message names
 * @param changedAt when the root or copy changed, in epoch milliseconds, for the report
 * @throws TransientError `queue.refused` if the queue refuses what is left: the record must not be acknowledged
 * @throws FatalError if no item could be processed
 */
export async function propagateRoot(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  changedAt?: number,
): Promise<PropagationReport> {
  const tally = new Tally(message, changedAt);
  await propagatePages(context, rule, message, tally);
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

async function propagatePages(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  tally: Tally,
): Promise<void> {
  let rest = message;
  try {
    const locations = message.locations ?? (await locate(context, rule, message));
    rest = { ...message, locations };
    let visited = 0;
    // Step 1: pagesOf reads a page each time the loop asks for one.
    for await (const page of pagesOf(context, rule, rest)) {
      const unwritten = await updateCopies(context, rule, { ...message, locations }, page.copies, tally);
      await retryCopies(context, { ...rest, locations }, unwritten, page.copies.length, tally);
      if (page.following === undefined) break;
      rest = { ...untried(rest), ...page.following };
      visited += page.size;
      if (visited >= context.settings.pageLimit || context.outOfTime()) {
        await requeue(context, rest, tally);
        break;
      }
    }
    await recheckLater(context, rule, message);
  } catch (error) {
    await requeueRest(context, rule, message, rest, error, tally);
  }
}

/**
 * Updates the copies of one page.
 * @returns the copies that could not be written in a few rounds
 */
async function updateCopies(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  copies: readonly Item[],
  tally: Tally,
): Promise<UnwrittenCopies> {
  const { root: rootKey, cause, locations = [] } = message;
  const unavailable: ItemKey[] = [];
  let pending = copies;
  for (let round = 1; pending.length > 0; round += 1) {
    // Step 2. An item that is its own copy has just been read.
    const root = rule.located.in === 'itself' ? pending[0] : await context.table.get(rootKey);
    // Step 3.
    const snapshot = { rootKey, root, cause, locations };
    const plans = planCopies(context.registry.table, rule, snapshot, pending);
    // Step 4.
    const unwritten = await writePlans(context, message, plans, tally);
    unavailable.push(...unwritten.unavailable);
    const lost = unwritten.lost;
    if (lost.length === 0) break;
    if (round === context.settings.rounds || context.outOfTime()) return { lost, unavailable };
    pending = await context.table.getMany(lost);
  }
  return { lost: [], unavailable };
}

/**
 * The locations of a message that names none: where the root, as it is now, places its copies.
 * @throws InvalidItemError if the root was removed, because then only its last image could have said
 */
async function locate(context: PropagationContext, rule: Rule, message: Message): Promise<CopyLocation[]> {
  if (message.copies !== undefined) return [];
  const root = await context.table.get(message.root);
  if (root !== undefined) return [locationOf(context.registry.table, rule, root)];
  if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
  const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads`;
  throw new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key: message.root });
}
