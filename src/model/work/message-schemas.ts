import * as z from 'zod/mini';
import { copyLocationSchema } from '../items/copy-location-schema.ts';
import { itemKeySchema } from '../items/item.ts';

export const causes = ['changed', 'deleted', 'expired', 'check', 'repair'] as const;

const count = z.int().check(z.gte(0));

/** Another one counts as none. `z.catch` would say so in fewer words, and bring 6 kB of zod that nothing uses. */
const paceSchema = z.object({ unitsPerSecond: z.int().check(z.gte(1)), paidAt: count });

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
 * - `beat`, in epoch seconds: a heartbeat, which only has to arrive.
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
  beat: z.optional(count),
  pace: z.optional(
    z.pipe(
      z.unknown(),
      z.transform((value) => paceSchema.safeParse(value).data),
    ),
  ),
});

/** Keys, never item content. `about`: a function of the rule fails on this item, so that nothing tells which message to send. */
export const deadLetterSchema = z.object({
  reason: z.string(),
  code: z.string(),
  message: z.optional(messageSchema),
  about: z.optional(z.object({ rule: z.optional(z.string()), key: itemKeySchema })),
  record: z.optional(z.string()),
});
