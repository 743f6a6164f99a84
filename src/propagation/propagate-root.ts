/**
 * A propagation brings the copies of one root up to date. Its states, for each page of copies:
 *
 *   located ──page read──> pending ──root read──> decided ──> done: unchanged, orphan, foreign, written
 *                             ^                     │ ├─────> dead-lettered: a copy that cannot be brought up to date
 *                             │                     │ └─────> the queue: throttled, or a few rounds were not enough
 *                             └── copy read again ──┘ condition lost
 *
 * The page is read first and the root after it, never before: so a copy never goes back to an older value of its root.
 */

import type { CopyLocation } from '../model/copy-location.ts';
import { DenormError, InvalidItemError, TransientError } from '../model/errors.ts';
import { type Message, untried } from '../model/message.ts';
import type { PropagationReport } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import { pagesOf } from './copy-pages.ts';
import { locationOf } from './plan/rule-functions.ts';
import { deadLetter, requeue, requeueLater, requeueWhenAvailable } from './requeue.ts';
import { Tally } from './tally.ts';
import { type LeftOver, updateCopies } from './update-copies.ts';

/**
 * Runs one propagation. What cannot be done now is handed to the queue, what cannot be done at all is dead-lettered; the report says
 * how much of which.
 * @param changedAt when the change was made, in epoch milliseconds, for the report
 * @throws TransientError `queue.refused` where the queue refuses as well: nothing may be acknowledged
 * @throws FatalError where no item could be worked on
 */
export async function propagateRoot(
  context: PropagationContext,
  message: Message,
  changedAt?: number,
): Promise<PropagationReport> {
  const tally = new Tally(message, changedAt);
  const rule = context.registry.rule(message.rule);
  if (rule === undefined)
    await deadLetter(
      context,
      { code: 'rule.unknown', reason: `No enabled rule is called ${message.rule}`, message },
      tally,
    );
  else await propagate(context, rule, message, tally);
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

async function propagate(
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
    for await (const page of pagesOf(context, rule, rest)) {
      const left = await updateCopies(context, rule, { ...message, locations }, page.copies, tally);
      await retryCopies(context, { ...rest, locations }, left, page.copies.length, tally);
      if (page.following === undefined) break;
      rest = { ...untried(rest), ...page.following };
      visited += page.size;
      if (visited < context.settings.pageLimit && !context.outOfTime()) continue;
      await requeue(context, rest, tally);
      break;
    }
    await recheckLater(context, rule, message);
  } catch (error) {
    await handOnRest(context, rule, message, rest, error, tally);
  }
}

/** A propagation without places asks the root itself where its copies stand. A root that is gone places none. */
async function locate(context: PropagationContext, rule: Rule, message: Message): Promise<CopyLocation[]> {
  if (message.copies !== undefined) return [];
  const root = await context.table.get(message.root);
  if (root !== undefined) return [locationOf(context.registry.table, rule, root)];
  if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
  const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads`;
  throw new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key: message.root });
}

/** Requeues the copies of a page that were left over, by why they were. Where others of their page were not, that is an advance. */
async function retryCopies(
  context: PropagationContext,
  message: Message,
  { lost, unavailable }: LeftOver,
  pageSize: number,
  tally: Tally,
): Promise<void> {
  const { cursor: _, ...named } = message;
  const again = lost.length + unavailable.length < pageSize ? untried(named) : named;
  if (lost.length > 0) await requeueLater(context, { ...again, copies: [...lost] }, tally);
  if (unavailable.length > 0)
    await requeueWhenAvailable(context, { ...again, copies: [...unavailable] }, tally);
}

/** Asks for a second look at an index, once in a fan-out: copies written just before the first may not have been on it. */
async function recheckLater(context: PropagationContext, rule: Rule, message: Message): Promise<void> {
  const { rule: name, root, cause, locations } = message;
  const first = message.copies === undefined && message.cursor === undefined && message.recheck !== true;
  if (rule.located.in !== 'index' || !first || cause === 'repair') return;
  await context.queue.send(
    [{ rule: name, root, cause, ...(locations && { locations }), recheck: true, attempts: 0 }],
    context.settings.recheckDelaySeconds,
  );
}

/** Hands on what an error left undone: what can be retried to the queue, what only a person can mend to the dead letters. */
async function handOnRest(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  rest: Message,
  error: unknown,
  tally: Tally,
): Promise<void> {
  if (error instanceof InvalidItemError) {
    await deadLetter(context, { code: error.code, reason: error.message, message: rest }, tally);
    return;
  }
  if (!(error instanceof TransientError) || isQueueRefusal(error)) throw error;
  context.telemetry.failed(error);
  if (rest.cursor !== message.cursor) await recheckLater(context, rule, message);
  await requeueWhenAvailable(context, rest, tally);
}

function isQueueRefusal(error: unknown): boolean {
  return error instanceof DenormError && error.code === 'queue.refused';
}
