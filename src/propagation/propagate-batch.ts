import { BatchWork } from '../batch/batch-work.ts';
import {
  earliest,
  type Group,
  groupByItem,
  type StreamRecord,
  unreadableAsDeadLetter,
} from '../batch/group.ts';
import { isInLocation } from '../model/copy-location.ts';
import { sameKey } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import { checkCopies, type PropagationOfChecks } from './check-copies.ts';
import type { PropagationContext } from './context.ts';
import { type Check, matchRules, type Propagation } from './plan/match.ts';
import { propagateRoot } from './propagate-root.ts';
import { deadLetter, requeue } from './requeue.ts';

/**
 * Works on a batch of stream records: grouped by item, each group once however many its records, the groups side by side.
 * @returns the records whose work was neither done nor handed on nor dead-lettered, with why; all others may be acknowledged
 * @throws FatalError where no record could be worked on: the whole batch fails, and nothing of it is acknowledged
 */
export async function propagateBatch(
  context: PropagationContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const { groups, unreadable } = groupByItem(records);
  const matches = groups.flatMap((group) => {
    const matched = work.plan(group.ids, () => matchRules(context.registry, group.changes));
    return matched === undefined ? [] : [{ group, ...matched }];
  });
  const propagations = matches.flatMap(({ group, propagations: matched }) =>
    matched.map((propagation) => ({ ...propagation, group })),
  );
  const checks = matches.flatMap(({ group, checks: asked }) => asked.map((one) => ({ ...one, group })));
  await Promise.all([
    ...unreadable.map(({ id, says }) =>
      work.run([id], () => deadLetter(context, unreadableAsDeadLetter(says))),
    ),
    ...propagations.map((propagation) =>
      work.run(propagation.group.ids, () =>
        propagateOrRequeue(context, messageFor(propagation), propagation.group.changedAt),
      ),
    ),
    checkAll(
      context,
      checks.filter((one) => !isCovered(context, one, propagations)),
      work,
    ),
  ]);
  return work.outcome();
}

type Asked = Check & { readonly group: Group };

/**
 * Whether a propagation of this batch reads the copy anyway: its root matches, and the copy stands where that propagation looks, strongly
 * consistent. An index may not show the copy yet; so may a place that the root's record does not know of.
 */
export function isCovered(
  context: Pick<PropagationContext, 'registry'>,
  { rule, root, image }: Check,
  propagations: readonly Propagation[],
): boolean {
  if (rule.located.in === 'index') return false;
  const propagation = propagations.find((one) => one.rule === rule && sameKey(one.root, root));
  return (
    propagation?.locations?.some((location) => isInLocation(context.registry.table, image, location)) === true
  );
}

/** Checks the copies of the whole batch together, so that each root is read once, and runs the propagations that they call for. */
async function checkAll(
  context: PropagationContext,
  checks: readonly Asked[],
  work: BatchWork,
): Promise<void> {
  let called: readonly PropagationOfChecks<Asked>[] = [];
  await work.run(idsOf(checks), async () => {
    called = await checkCopies(context, checks);
  });
  await Promise.all(
    called.map(({ message, asked }) =>
      work.run(idsOf(asked), () =>
        propagateOrRequeue(context, message, earliest(asked.flatMap(({ group }) => group.changes))),
      ),
    ),
  );
}

/** An invocation that is about to end begins nothing: the queue runs the propagation. */
async function propagateOrRequeue(
  context: PropagationContext,
  message: Message,
  changedAt: number | undefined,
): Promise<void> {
  if (context.outOfTime()) await requeue(context, message);
  else await propagateRoot(context, message, changedAt);
}

/** The propagation that a match asks for. */
export function messageFor({ rule, root, cause, locations }: Propagation): Message {
  return { rule: rule.name, root, cause, ...(locations && { locations: [...locations] }), attempts: 0 };
}

function idsOf(asked: readonly Asked[]): string[] {
  return [...new Set(asked.flatMap(({ group }) => group.ids))];
}
