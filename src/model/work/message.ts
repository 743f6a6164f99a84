import * as z from 'zod/mini';
import { copyLocationSchema, distinctKeys } from '../items/copy-location.ts';
import { itemKeySchema } from '../items/item.ts';

export const causes = ['changed', 'deleted', 'expired', 'check', 'repair'] as const;

export type Cause = (typeof causes)[number];

const count = z.int().check(z.gte(0));

/** The key attributes of the item before an unfinished page. */
export const cursorSchema = z.record(z.string(), z.string());

/**
 * A propagation in the queue. It contains keys, never item content. For a computation, the rule is an aggregate and the root
 * its target.
 * - `copies` names single copies, or members of a ledger's target. Without it, the propagation queries `locations`; without both, it asks the rule for them.
 * - `locations` are in the order in which the root used them; it has left all but the last.
 * - `at` is the position of the location that is not finished, and `cursor` where its unfinished page begins.
 * - `recheck` marks the second look at a root's copies; it requests no third.
 * - `attempts` counts deliveries without progress.
 * - `pace`: write units a second, and when what was written is paid for, in epoch milliseconds.
 * - `unavailableSince`, in epoch milliseconds. Progress clears it.
 */
export const messageSchema = z.object({
  rule: z.string(),
  root: itemKeySchema,
  cause: z.enum(causes),
  copies: z.optional(z.array(itemKeySchema)),
  locations: z.optional(z.array(copyLocationSchema)),
  at: z.optional(count),
  cursor: z.optional(cursorSchema),
  recheck: z.optional(z.boolean()),
  attempts: count,
  unavailableSince: z.optional(count),
  pace: z.catch(z.optional(z.object({ unitsPerSecond: z.int().check(z.gte(1)), paidAt: count })), undefined),
});

export type Message = z.output<typeof messageSchema>;

/**
 * One message for several of the same target: a change asks for a recheck. The limits of the youngest hold, so that nothing is given
 * up because older work waits with it.
 */
export function mergeMessages(messages: readonly Message[]): Message {
  const [first] = messages;
  if (first === undefined) throw new Error('Expected at least one message to merge, got none');
  if (messages.length === 1) return first;
  const looks = messages.filter(({ recheck }) => recheck !== true);
  const { unavailableSince: _, ...message } =
    looks.find(({ cause }) => cause === 'changed') ?? looks[0] ?? first;
  const since = messages.map(({ unavailableSince }) => unavailableSince ?? Number.POSITIVE_INFINITY);
  const youngest = Math.max(...since);
  const copies = distinctKeys(messages.flatMap((one) => one.copies ?? []));
  return {
    ...message,
    ...(copies.length > 0 && { copies: [...copies] }),
    attempts: Math.min(...messages.map(({ attempts }) => attempts)),
    ...(Number.isFinite(youngest) && { unavailableSince: youngest }),
  };
}

/** With its limits reset, as if it had never been delivered. */
export function untried({ unavailableSince: _, ...message }: Message): Message {
  return { ...message, attempts: 0 };
}

export type Cursor = z.output<typeof cursorSchema>;

/** Keys, never item content. `about`: a function of the rule fails on this item, so that nothing tells which message to send. */
export const deadLetterSchema = z.object({
  reason: z.string(),
  code: z.string(),
  message: z.optional(messageSchema),
  about: z.optional(z.object({ rule: z.optional(z.string()), key: itemKeySchema })),
  record: z.optional(z.string()),
});

export type DeadLetter = z.output<typeof deadLetterSchema>;

/** The rule and the key that a dead letter is about, if they are known. */
export function subjectOf({ message, about }: DeadLetter): DeadLetter['about'] {
  return message === undefined ? about : { rule: message.rule, key: message.root };
}
