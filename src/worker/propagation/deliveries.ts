import { TransientError } from '../../model/basics/errors.ts';
import { keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type Message, mergeMessages } from '../../model/work/message.ts';
import { earliest } from '../batch/group.ts';
import type { PropagationContext } from './context.ts';
import { propagate } from './propagate.ts';
import { settle } from './settle.ts';

/** `changedAt` is when the earliest change was made, in epoch milliseconds. */
export interface Origin {
  readonly ids: readonly string[];
  readonly changedAt?: number | undefined;
}

export interface Delivery extends Origin {
  readonly message: Message;
}

export function originOfAll(origins: readonly Origin[]): Origin {
  return {
    ids: [...new Set(origins.flatMap(({ ids }) => ids))],
    changedAt: earliest(origins.map(({ changedAt }) => ({ at: changedAt }))),
  };
}

/** All messages of one target of an aggregate are merged: one computation finds what any of them would. */
export function onceEachTarget(
  { aggregate }: Pick<Registry, 'aggregate'>,
  deliveries: readonly Delivery[],
): readonly Delivery[] {
  const byTarget = Map.groupBy(deliveries, (delivery) =>
    aggregate(delivery.message.rule) === undefined
      ? delivery
      : JSON.stringify([
          delivery.message.rule,
          keyText(delivery.message.root),
          delivery.message.copies !== undefined,
        ]),
  );
  return [...byTarget.values()].map((together) => ({
    ...originOfAll(together),
    message: mergeMessages(together.map(({ message }) => message)),
  }));
}

/**
 * Asks once for the whole batch what is paused. While the table cannot say, nothing is begun.
 * @throws FatalError if it never will
 */
export async function withPauses(context: PropagationContext): Promise<PropagationContext> {
  if (context.pauses === undefined) return context;
  try {
    const paused = await context.pauses();
    return { ...context, held: (rule) => (paused.has(rule) ? 'paused' : undefined) };
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    context.telemetry.failed(error);
    return { ...context, held: () => 'unavailable' };
  }
}

/** Unless its rule is paused, or the invocation is about to end: then the queue runs it. */
export async function deliver(
  context: PropagationContext,
  { message, changedAt }: Omit<Delivery, 'ids'>,
): Promise<void> {
  const held = context.held?.(message.rule);
  if (held !== undefined) await settle(context, [{ is: held, message }]);
  else if (context.outOfTime()) await settle(context, [{ is: 'rest', message }]);
  else await propagate(context, message, changedAt);
}
