import type { Aggregate } from '../../model/aggregate.ts';
import { type ItemKey, keyText } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { BatchWork } from '../batch/batch-work.ts';
import { earliest, type Group } from '../batch/group.ts';
import type { PropagationContext } from './context.ts';
import { takeMessage } from './fan-out-batch.ts';
import type { Computation } from './plan/match-aggregates.ts';
import { settle } from './settle.ts';

/** A computation that a group of records asks for. */
export type GroupedComputation = Computation & { readonly group: Group };

/**
 * Computes the targets that the records of a batch ask for, each once for all of them. A target of an aggregate with `every`
 * is left to the queue, until the end of the current period.
 */
export async function computeBatch(
  context: PropagationContext,
  computations: readonly GroupedComputation[],
  work: BatchWork,
): Promise<void> {
  await Promise.all(
    onceEachTarget(computations).map(async ({ aggregate, message, asked }) => {
      const ids = [...new Set(asked.flatMap(({ group }) => group.ids))];
      const changedAt = earliest(asked.flatMap(({ group }) => group.changes));
      await work.run(ids, () => computeOrQueue(context, aggregate, message, changedAt));
    }),
  );
}

/** One message for all computations of a target. */
export function onceEachTarget<Asked extends Computation>(
  computations: readonly Asked[],
): readonly { readonly aggregate: Aggregate; readonly message: Message; readonly asked: readonly Asked[] }[] {
  const byTarget = Map.groupBy(computations, ({ aggregate, target }) =>
    JSON.stringify([aggregate.name, keyText(target)]),
  );
  return [...byTarget.values()].flatMap((asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    const { aggregate, target } = first;
    const cause = asked.some((one) => one.cause === 'changed') ? 'changed' : 'check';
    return [{ aggregate, message: { rule: aggregate.name, root: target, cause, attempts: 0 }, asked }];
  });
}

async function computeOrQueue(
  context: PropagationContext,
  aggregate: Aggregate,
  message: Message,
  changedAt: number | undefined,
): Promise<void> {
  if (aggregate.every === undefined) return await takeMessage(context, message, changedAt);
  const delaySeconds = untilEndOfPeriod(aggregate.every, message.root, context.clock.now());
  await settle(context, [{ is: 'rest', message, delaySeconds }]);
}

/**
 * Seconds until the end of a target's current period. All messages of a period come due together, so that those that are
 * received together are one computation; nothing remembers them. Each target has periods of its own, by its key.
 * @param every the length of a period in seconds
 * @param now in epoch milliseconds
 */
export function untilEndOfPeriod(every: number, target: ItemKey, now: number): number {
  const offset = [...keyText(target)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % every, 0);
  return every - ((Math.floor(now / 1000) + offset) % every);
}
