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
 * A fan-out that writes much keeps to a pace: pace.ts. If it would have to wait past the end of the invocation, or in the stream,
 * the page is requeued, and read anew.
 *
 * Whatever is not written is either dead-lettered (an invalid copy or root) or requeued (DynamoDB was unavailable, the
 * conditions kept failing, or the time was up). Nothing is dropped.
 */

import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import { type Message, untried } from '../../model/message.ts';
import type { PropagationReport } from '../../model/report.ts';
import type { Rule } from '../../model/rule.ts';
import type { PropagationContext } from './context.ts';
import { type NamedCopies, pagesOf, readNamed } from './copy-pages.ts';
import { areLarge } from './item-memory.ts';
import { naming } from './message-parts.ts';
import { Pace } from './pace.ts';
import { type CopiesRead, planCopies } from './plan/plan-copy.ts';
import { appliesTo, locationOf, locationsOf } from './plan/rule-functions.ts';
import { leftBy, settle, type Unfinished } from './settle.ts';
import { Tally } from './tally.ts';
import { type RefusedCopy, type UnwrittenCopies, writePlans } from './write-plans.ts';

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
  const left = await propagatePages(context, rule, message, pace, tally);
  await settle(context, left, tally, pace.field());
  tally.pace = pace.report();
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

/** @returns what is left to do */
async function propagatePages(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  pace: Pace,
  tally: Tally,
): Promise<readonly Unfinished[]> {
  const left: Unfinished[] = [];
  let rest = message;
  try {
    rest = { ...message, locations: message.locations ?? (await locate(context, rule, message)) };
    let visited = 0;
    // Step 1: pagesOf reads a page each time the loop asks for one.
    for await (const page of pagesOf(context, rule, rest)) {
      const read = page.stale
        ? await differing(context, rule, rest, page.copies, tally)
        : { ...page, unread: [] };
      const written = tally.writes();
      const unwritten = await updateCopies(context, rule, rest, read, pace, tally);
      if (unwritten === 'unfinished') {
        if (tally.writes() > written) rest = untried(rest);
        return [...left, { is: 'rest', message: rest, delaySeconds: pace.debtSeconds() }];
      }
      left.push(...leftOf(rest, unwritten, page.copies.length + page.missing.length));
      if (read.unread.length > 0) left.push({ is: 'rest', message: naming(untried(rest), read.unread) });
      if (page.following === undefined)
        return rechecksCopies(rule, rest) ? [...left, { is: 'recheck', message: rest }] : left;
      rest = { ...untried(rest), ...page.following };
      visited += page.size;
      if (visited >= context.settings.pageLimit || context.outOfTime())
        return [...left, { is: 'rest', message: rest, delaySeconds: pace.debtSeconds() }];
    }
    if (context.outOfTime()) left.push({ is: 'rest', message: rest });
  } catch (error) {
    left.push(leftBy(error, rest, context));
  }
  return left;
}

/**
 * Whether a fan-out that has come to its end is rechecked. The index that found its copies may not have shown all of them; and
 * where copies are cleared, one that had nothing to clear may get a write that was planned before the root went: its
 * condition still holds. The delivery that works on the last page asks for the recheck, whichever it is, so the recheck does
 * not overtake the fan-out. A fan-out that is dead-lettered before asks for it when it has been redriven to its end.
 */
function rechecksCopies(rule: Rule, { copies, cause, recheck, locations = [] }: Message): boolean {
  if (copies !== undefined || cause === 'repair' || recheck === true) return false;
  const goes = cause === 'deleted' || locations.length > 1;
  const policy = goes ? rule.onDelete : cause === 'expired' ? rule.onExpire : 'keep';
  return rule.located.in === 'index' || policy === 'clear';
}

/** The copies of a page that are left. If other copies of the page are finished, that is progress. */
function leftOf(
  message: Message,
  { lost, unavailable, refused }: UnwrittenCopies,
  pageSize: number,
): Unfinished[] {
  const again = lost.length + unavailable.length < pageSize ? untried(message) : message;
  const { rule, root, cause, locations } = message;
  const plain = { rule, root, cause, ...(locations && { locations }), attempts: 0 };
  const left: Unfinished[] = [];
  if (lost.length > 0) left.push({ is: 'lost', message: naming(again, lost) });
  if (unavailable.length > 0) left.push({ is: 'unavailable', message: naming(again, unavailable) });
  // Each copy gets its own dead letter, so that one invalid copy does not stop the others.
  for (const { copy, code, reason } of refused)
    left.push({ is: 'refused', code, reason, message: naming(plain, [copy]) });
  return left;
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
): Promise<NamedCopies> {
  if (entries.length === 0) return { copies: [], missing: [], unread: [] };
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
 * was up: the page is read anew, and what is refused in it found again
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
  const refused: RefusedCopy[] = [];
  const unread: ItemKey[] = [];
  let pending: CopiesRead = page;
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
    refused.push(...unwritten.refused);
    const lost = [...unread, ...unwritten.lost];
    asksRoot = false;
    // Large copies are not read again beside their first reading: there is no memory for that.
    const isLast = round === context.settings.rounds || context.outOfTime() || areLarge(pending.copies);
    if (isLast) return { lost, unavailable, refused };
    const again = await readNamed(context, rule, unwritten.lost);
    unread.push(...again.unread);
    pending = again;
  }
  return { lost: unread, unavailable, refused };
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
