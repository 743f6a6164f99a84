import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { type DeadLetter, deadLetterSchema, messageSchema } from '../../model/work/message.ts';
import type { StoredBatch } from './failed-batch.ts';

/** A dead letter in the queue, or a batch of stream records that Lambda gave up, in a failure bucket. */
export interface FoundDeadLetter extends DeadLetter {
  /** The queue's id for it, the same at each look: a message id, a file name or an object key. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds. For a failed message, when it was first queued. */
  readonly at: number;
  readonly batch?: StoredBatch;
}

/** What the worker dead-lettered, or a fan-out message that failed on every delivery. A body may be anything. */
export function readDeadLetter(body: string): DeadLetter {
  const json = jsonOrUndefined(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return deadLettered.data;
  const message = messageSchema.safeParse(json);
  if (message.success)
    return {
      code: 'message.failed',
      reason: 'Failed on every delivery: see the log of FanOut',
      message: message.data,
    };
  return {
    code: 'dead-letter.unreadable',
    reason: 'The body is neither a dead letter nor a message: it can only be dropped',
  };
}

export interface Look {
  readonly deadLetters: readonly FoundDeadLetter[];
  /** About how many more the queue holds: hidden by another reader, or not read because the look was stopped. */
  readonly unseen: number;
}

export interface LookOptions {
  /** Then the look returns what it has found so far. */
  readonly stop?: () => boolean;
  readonly onFound?: (found: number, about: number) => void;
}

/** Dead letters that were looked at are hidden from others until {@link close}. Throws as the table's port does. */
export interface DeadLetterReader {
  look(options?: LookOptions): Promise<Look>;
  remove(deadLetters: readonly FoundDeadLetter[]): Promise<void>;
  /**
   * Makes the others visible again. Never rejects.
   * @returns how many only the queue itself makes visible, after a while
   */
  close(): Promise<number>;
}
