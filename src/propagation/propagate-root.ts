/**
 * A propagation updates the copies of one root, page by page, in four steps:
 *
 *   1. Read a page of copies.
 *   2. Read the root.
 *   3. Project the root, compare each copy with the projection, and plan a write for each copy that differs, or that is
 *      missing and the rule creates.
 *   4. Write each copy on condition that it is still as read in step 1, or still missing.
 *
 * If a condition fails, steps 2 to 4 run again for that copy, after it has been read again. The root is always read after
 * the copies: if it came first, a slow worker could write an older value of the root over a newer one.
 *
 * A fan-out that writes much keeps to a pace: pace.ts. If it would have to wait past the end of the invocation, the page is
 * requeued, and read anew.
 *
 * Whatever is not written is either dead-lettered (an invalid copy or root) or requeued (DynamoDB was unavailable, the
 * conditions kept failing, or the time was up). Nothing is dropped.
 */

import type { CopyLocation } from '../model/copy-location.ts';
import { InvalidItemError } from '../model/errors.ts';
import { type Item, type ItemKey, keyIn } from '../model/item.ts';
import { type Message, untried } from '../model/message.ts';
import type { PropagationReport } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import { atTheStart, pagesOf, readNamed } from './copy-pages.ts';
import { Pace } from './pace.ts';
import { type CopiesRead, planCopies } from './plan/plan-copy.ts';
import { appliesTo, locationOf, locationsOf } from './plan/rule-functions.ts';
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
  const pace = new Pace(context.settings.fanOutWriteUnits, context.clock, message);
  await propagatePages(context, rule, message, pace, tally);
  tally.pace = pace.report();
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

async function propagatePages(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  pace: Pace,
  tally: Tally,
): Promise<void> {
  let rest = message;
  try {
    const locations = message.locations ?? (await locate(context, rule, message));
    rest = { ...message, locations };
    let visited = 0;
    // Step 1: pagesOf reads a page each time the loop asks for one.
    for await (const page of pagesOf(context, rule, rest)) {
      const located = { ...message, locations };
      const read = page.stale ? await differing(context, rule, located, page.copies, tally) : page;
      const written = tally.writes();
      const unwritten = await updateCopies(context, rule, located, read, pace, tally);
      rest = { ...rest, ...pace.field() };
      const isFinished = unwritten !== 'unfinished';
      if (isFinished) {
        const size = page.copies.length + page.missing.length;
        await retryCopies(context, { ...rest, locations }, unwritten, size, tally);
        if (page.following === undefined) break;
        rest = { ...untried(rest), ...page.following };
        visited += page.size;
      } else
        rest = { ...(tally.writes() > written ? untried(rest) : rest), cursor: rest.cursor ?? atTheStart };
      if (!isFinished || visited >= context.settings.pageLimit || context.outOfTime()) {
        await requeue(context, rest, pace.debtSeconds(), tally);
        break;
      }
    }
    await recheckLater(context, rule, message);
  } catch (error) {
    await requeueRest(context, rule, message, { ...rest, ...pace.field() }, error, tally);
  }
}

/**
 * The copies of these index entries, read from the table, without those whose entry equals the projection of the root as
 * read after it. Such a copy is right, or a later write made it differ, whose own record leads to its correction.
 */
async function differing(
  context: PropagationContext,
  rule: Rule,
  { root: rootKey, cause, locations = [] }: Message,
  entries: readonly Item[],
  tally: Tally,
): Promise<CopiesRead> {
  if (entries.length === 0) return { copies: [], missing: [] };
  const { table } = context.registry;
  const snapshot = { rootKey, root: await context.table.get(rootKey), cause, locations };
  const plans = planCopies(table, rule, snapshot, { copies: entries, missing: [] });
  const others = entries.filter((_, index) => plans[index]?.is !== 'unchanged');
  tally.unchanged += entries.length - others.length;
  const keys = others.map((entry) => keyIn(table, entry));
  return readNamed(context, rule, keys);
}

/**
 * Updates the copies of one page, and creates those that are missing if the rule does.
 * @returns the copies that could not be written in a few rounds; `unfinished` if some writes were not sent, because the time
 * was up
 */
async function updateCopies(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  page: CopiesRead,
  pace: Pace,
  tally: Tally,
): Promise<UnwrittenCopies | 'unfinished'> {
  const { root: rootKey, cause, locations = [] } = message;
  const unavailable: ItemKey[] = [];
  let pending = page;
  // A list of keys is read from the root in any case: if it is too long, that is an error, whatever copies there are.
  let asksRoot = rule.located.in === 'keys' && message.copies === undefined;
  for (let round = 1; pending.copies.length + pending.missing.length > 0 || asksRoot; round += 1) {
    // Step 2. An item that is its own copy has just been read.
    const root = rule.located.in === 'itself' ? pending.copies[0] : await context.table.get(rootKey);
    // Step 3.
    const snapshot = { rootKey, root, cause, locations };
    const plans = planCopies(context.registry.table, rule, snapshot, pending);
    // Step 4.
    const unwritten = await writePlans(context, message, plans, pace, tally);
    if (unwritten === 'unfinished') return unwritten;
    unavailable.push(...unwritten.unavailable);
    const lost = unwritten.lost;
    asksRoot = false;
    if (round === context.settings.rounds || context.outOfTime()) return { lost, unavailable };
    pending = await readNamed(context, rule, lost);
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
  const { table } = context.registry;
  // A root that the rule does not apply to need not say where its copies would be.
  if (root !== undefined)
    return appliesTo(table, rule, root) ? [locationOf(table, rule, root)] : locationsOf(table, rule, root);
  if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
  const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads`;
  throw new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key: message.root });
}
