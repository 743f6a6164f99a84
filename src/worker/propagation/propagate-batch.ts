import { isInLocation, lists } from '../../model/copy-location.ts';
import { sameKey, withKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import { BatchWork } from '../batch/batch-work.ts';
import {
  earliest,
  type Group,
  groupByItem,
  type StreamRecord,
  unreadableAsDeadLetter,
} from '../batch/group.ts';
import { checkCopies, type PropagationOfChecks } from './check-copies.ts';
import { computeBatch } from './compute-batch.ts';
import type { PropagationContext } from './context.ts';
import { takeMessage } from './fan-out-batch.ts';
import { type Check, matchRules, type Propagation } from './plan/match.ts';
import { matchAggregates } from './plan/match-aggregates.ts';
import { settle } from './settle.ts';

/**
 * Processes a batch of stream records: groups them by item, matches each group with the rules, then runs the propagations,
 * checks and computations that match, concurrently.
 * @returns the records that failed, with their errors; all others are written, requeued or dead-lettered
 * @throws FatalError if no record could be processed: the whole batch fails
 */
export async function propagateBatch(
  invocation: PropagationContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  // A fan-out that has to wait for its pace waits in the queue: here it would hold up its shard.
  const context = { ...invocation, outOfTime: (ahead = 0) => ahead > 0 || invocation.outOfTime() };
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const { groups, unreadable } = groupByItem(records);
  const matches = groups.flatMap((group) => {
    const matched = work.plan(group.ids, () => {
      const { computations, refused } = matchAggregates(context.registry, group.changes);
      const rules = matchRules(context.registry, group.changes);
      return { ...rules, computations, refused: [...rules.refused, ...refused] };
    });
    return matched === undefined ? [] : [{ group, ...matched }];
  });
  const propagations = matches.flatMap(({ group, propagations: matched }) =>
    matched.map((propagation) => ({ ...propagation, group })),
  );
  const checks = matches.flatMap(({ group, checks: matched }) => matched.map((one) => ({ ...one, group })));
  const computations = matches.flatMap(({ group, computations: matched }) =>
    matched.map((computation) => ({ ...computation, group })),
  );
  await Promise.all([
    ...unreadable.map(({ id, says }) =>
      work.run([id], () => settle(context, [{ is: 'refused', ...unreadableAsDeadLetter(says) }])),
    ),
    ...propagations.map((propagation) =>
      work.run(propagation.group.ids, () =>
        takeMessage(context, messageFor(propagation), propagation.group.changedAt),
      ),
    ),
    ...matches.flatMap(({ group, refused }) =>
      refused.map((error) => {
        const { code, message: reason } = withKey(context.registry.table, error);
        return work.run(group.ids, () =>
          settle(context, [{ is: 'refused', code, reason, ...recordOf(group) }]),
        );
      }),
    ),
    checkAll(
      context,
      checks.filter((one) => !isCovered(context, one, propagations)),
      work,
    ),
    computeBatch(context, computations, work),
  ]);
  return work.outcome();
}

/** The last record of a group, as a dead letter names it. */
function recordOf({ ids }: Group): { readonly record?: string } {
  const record = ids.at(-1);
  return record === undefined ? {} : { record };
}

type GroupedCheck = Check & { readonly group: Group };

/**
 * Whether a propagation of this batch reads the copy anyway, strongly consistent. A propagation over an index does not
 * count, because the index may not show the copy yet.
 */
export function isCovered(
  context: Pick<PropagationContext, 'registry'>,
  { rule, root, copy, image }: Check,
  propagations: readonly Propagation[],
): boolean {
  if (rule.located.in === 'index') return false;
  const propagation = propagations.find((one) => one.rule === rule && sameKey(one.root, root));
  return (
    propagation?.locations?.some((location) =>
      image === undefined ? lists(location, copy) : isInLocation(context.registry.table, image, location),
    ) === true
  );
}

/** Checks the copies of the whole batch together, so that each root is read once, and propagates to those that differ. */
async function checkAll(
  context: PropagationContext,
  checks: readonly GroupedCheck[],
  work: BatchWork,
): Promise<void> {
  let propagations: readonly PropagationOfChecks<GroupedCheck>[] = [];
  await work.run(idsOf(checks), async () => {
    propagations = await checkCopies(context, checks);
  });
  await Promise.all(
    propagations.map(({ message, checks: differing }) =>
      work.run(idsOf(differing), () =>
        takeMessage(context, message, earliest(differing.flatMap(({ group }) => group.changes))),
      ),
    ),
  );
}

/** The message of a propagation. */
export function messageFor({ rule, root, cause, locations }: Propagation): Message {
  return { rule: rule.name, root, cause, ...(locations && { locations: [...locations] }), attempts: 0 };
}

function idsOf(checks: readonly GroupedCheck[]): string[] {
  return [...new Set(checks.flatMap(({ group }) => group.ids))];
}
