import * as z from 'zod';
import { itemKeySchema } from './item.ts';

const location = z.discriminatedUnion('in', [
  z.object({ in: z.literal('partition'), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('index'), index: z.string(), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('key'), pk: z.string(), sk: z.string() }),
]);

export const causes = ['changed', 'deleted', 'expired', 'check', 'repair'] as const;

/** Why a propagation runs. */
export type Cause = (typeof causes)[number];

/** Where an unfinished page of a location starts: the key attributes of the item before it. */
export const cursorSchema = z.record(z.string(), z.string());

/**
 * A propagation in the queue: a rule, a root and a cause. It contains keys, never item content.
 *
 * - `copies` names single copies. Without it, the propagation queries `locations`; without both, it computes the root's
 *   location by the rule.
 * - `locations` are in the order in which the root used them; it has left all but the last.
 * - `cursor` is where the unfinished page of the first location begins.
 * - `recheck` marks the second query of an index; it requests no third.
 * - `attempts` counts deliveries without progress.
 * - `unavailableSince`, in epoch milliseconds, is when the work was first requeued because DynamoDB was unavailable. Progress
 *   clears it.
 */
const currentMessage = z.object({
  rule: z.string(),
  root: itemKeySchema,
  cause: z.enum(causes),
  copies: z.array(itemKeySchema).optional(),
  locations: z.array(location).optional(),
  cursor: cursorSchema.optional(),
  recheck: z.boolean().optional(),
  attempts: z.int().min(0),
  unavailableSince: z.int().min(0).optional(),
});

/** The names of version 0.1. A dead-letter queue keeps messages for 14 days, so both are read. */
const earlierNames: Readonly<Record<string, string>> = {
  places: 'locations',
  settle: 'recheck',
  hops: 'attempts',
};

export const messageSchema = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [earlierNames[name] ?? name, field]),
  );
}, currentMessage);

export type Message = z.output<typeof messageSchema>;

/** The same message with its limits reset, as if it had never been delivered. */
export function untried({ unavailableSince: _, ...message }: Message): Message {
  return { ...message, attempts: 0 };
}

export type Cursor = z.output<typeof cursorSchema>;

/** A dead letter: the reason, and the message or record to look at. It contains keys, never item content. */
export const deadLetterSchema = z.object({
  reason: z.string(),
  code: z.string(),
  message: messageSchema.optional(),
  record: z.string().optional(),
});

export type DeadLetter = z.output<typeof deadLetterSchema>;
