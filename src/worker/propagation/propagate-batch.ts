import { isInLocation, lists } from '../../model/items/copy-location.ts';
import { type ItemKey, keyText, sameKey } from '../../model/items/item.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import { type Check, matchChanges } from '../../plan/match.ts';
import { isUnlinked } from '../../plan/rule-functions.ts';
import { BatchWork } from '../batch/batch-work.ts';
import { faultAsDeadLetter, groupByItem, type StreamRecord, unreadableAsDeadLetter } from '../batch/group.ts';
import { queueBeats } from '../heartbeat.ts';
import { checkCopies } from './check-copies.ts';
import type { PropagationContext } from './context.ts';
import { type Delivery, deliver, onceEachTarget, originOfAll, withPauses } from './deliveries.ts';
import { settle } from './settle.ts';

/**
 * Groups records by item, matches each group with the rules, then runs what matches, concurrently.
 * @returns the records that failed, with their errors; all others are written, requeued or dead-lettered
 * @throws FatalError if no record could be processed: the whole batch fails
 */
export async function propagateBatch(
  invocation: PropagationContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  // A fan-out that has to wait for its pace waits in the queue: here it would hold up its shard.
  const context = await withPauses({
    ...invocation,
    outOfTime: (ahead = 0) => ahead > 0 || invocation.outOfTime(),
  });
  const { registry } = context;
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const { groups, beats, unreadable } = groupByItem(registry.table, records);
  const matches = groups.flatMap((group) => {
    const matched = work.plan(group.ids, () => matchChanges(registry, group.changes));
    return matched === undefined ? [] : [{ group, ...matched }];
  });
  const propagations = matches.flatMap((one) => one.propagations);
  const checks = matches
    .flatMap(({ group, checks: matched }) => matched.map((check) => ({ ...group, ...check })))
    .filter((check) => !isCovered(check, propagations));
  const deliveries = matches.flatMap(({ group, propagations: matched }) =>
    matched.map((message) => ({ ...group, message })),
  );
  const deadLetter = (ids: readonly string[], letter: DeadLetter) =>
    work.run(ids, () => settle(context, [{ is: 'dead-letter', ...letter }]));
  await Promise.all([
    ...unreadable.map(({ id, parsed }) => deadLetter([id], unreadableAsDeadLetter(parsed))),
    ...onceEachTarget(registry, deliveries).map((delivery) =>
      work.run(delivery.ids, () => deliverNowOrLater(context, delivery)),
    ),
    ...matches.flatMap(({ group, faults }) =>
      faults.map((error) => deadLetter(group.ids, faultAsDeadLetter(group, error))),
    ),
    checkAll(context, checks, work),
    beats && work.run(beats.ids, () => queueBeats(context, beats)),
  ]);
  return work.outcome();
}

/**
 * Whether a propagation of this batch reads the copy and does all that the check would. One over an index may not show the copy
 * yet, and only a check applies `onUnlink`.
 */
export function isCovered({ rule, root, copy, image }: Check, propagations: readonly Message[]): boolean {
  if (rule.located.in === 'index' || isUnlinked(rule, image)) return false;
  const propagation = propagations.find((one) => one.rule === rule.name && sameKey(one.root, root));
  return (
    propagation?.locations?.some((location) =>
      image === undefined ? lists(location, copy) : isInLocation(rule.table, image, location),
    ) === true
  );
}

/** Checks all copies together, so that each root is read once. */
async function checkAll(
  context: PropagationContext,
  checks: Parameters<typeof checkCopies>[1],
  work: BatchWork,
): Promise<void> {
  let deliveries: readonly Delivery[] = [];
  await work.run(originOfAll(checks).ids, async () => {
    deliveries = await checkCopies(context, checks);
  });
  await Promise.all(deliveries.map((delivery) => work.run(delivery.ids, () => deliver(context, delivery))));
}

/** With `every`, at the end of the current period. */
async function deliverNowOrLater(context: PropagationContext, delivery: Delivery): Promise<void> {
  const { message } = delivery;
  const every = context.registry.aggregate(message.rule)?.every;
  // Members are posted to a ledger at once.
  if (every === undefined || message.copies !== undefined) return await deliver(context, delivery);
  const delaySeconds = untilEndOfPeriod(every, message.root, context.clock.now());
  await settle(context, [{ is: 'rest', message, delaySeconds }]);
}

/**
 * All messages of a period of the target come due together, as one computation.
 * @param every in seconds
 * @param now in epoch ms
 */
export function untilEndOfPeriod(every: number, target: ItemKey, now: number): number {
  const offset = [...keyText(target)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % every, 0);
  return every - ((Math.floor(now / 1000) + offset) % every);
}
