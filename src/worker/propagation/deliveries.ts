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

/** Unless the invocation is about to end: then the queue runs it. */
export async function deliver(
  context: PropagationContext,
  { message, changedAt }: Omit<Delivery, 'ids'>,
): Promise<void> {
  if (context.outOfTime()) await settle(context, [{ is: 'rest', message }]);
  else await propagate(context, message, changedAt);
}
