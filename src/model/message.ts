import * as z from 'zod';

const key = z.object({ pk: z.string(), sk: z.string() });

const location = z.discriminatedUnion('in', [
  z.object({ in: z.literal('partition'), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('index'), index: z.string(), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('key'), pk: z.string(), sk: z.string() }),
]);

export const causes = ['changed', 'deleted', 'expired', 'check', 'repair'] as const;

/** Why a propagation is taken. */
export type Cause = (typeof causes)[number];

/** The position in a place where an unfinished page starts: the key attributes after which it begins. */
export const cursorSchema = z.record(z.string(), z.string());

/**
 * A turn to take, as it travels through the queue: a rule, a root and a cause. Keys only, never item content.
 *
 * - `copies` names copies one by one; without it, `places` are looked through, and without either the root is asked;
 * - `places` are in the order in which the root came to them: it stood at the last, and has left the others;
 * - `cursor` is where the unfinished page of the first place begins;
 * - `settle` marks the second look at an index; such a propagation asks for no other;
 * - `attempts` counts deliveries that lost their conditions throughout;
 * - `unavailableSince`, in epoch milliseconds, is when this work was first requeued because DynamoDB could not do it for
 *   now; it goes with the first advance.
 */
const currentMessage = z.object({
  rule: z.string(),
  root: key,
  cause: z.enum(causes),
  copies: z.array(key).optional(),
  locations: z.array(location).optional(),
  cursor: cursorSchema.optional(),
  recheck: z.boolean().optional(),
  attempts: z.int().min(0),
  unavailableSince: z.int().min(0).optional(),
});

/** What fields were called before version 0.2. A queue keeps messages for up to 14 days, so both names are understood. */
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

/** The same work as if it had never been tried: what bounds its attempts begins anew. */
export function untried({ unavailableSince: _, ...message }: Message): Message {
  return { ...message, attempts: 0 };
}

export type Cursor = z.output<typeof cursorSchema>;

/** Something that waits in the dead-letter queue for a person, with the reason. Keys only. */
export const deadLetterSchema = z.object({
  reason: z.string(),
  code: z.string(),
  message: messageSchema.optional(),
  record: z.string().optional(),
});

export type DeadLetter = z.output<typeof deadLetterSchema>;
