import { type DeadLetter, deadLetterSchema, messageSchema } from '../../model/message.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import type { StoredBatch } from './failed-batch.ts';

/** A dead letter in the queue, or a batch of stream records that Lambda gave up, in a failure bucket. */
export interface FoundDeadLetter extends DeadLetter {
  /** The queue's id for it, the same at each look: a message id, a file name or an object key. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds. For a failed message, when it was first queued. */
  readonly at: number;
  readonly batch?: StoredBatch;
}

/**
 * Parses the body of a dead letter: what the worker dead-lettered, or a fan-out message that failed on every delivery. Never
 * throws: a body may be anything.
 */
export function readDeadLetter(body: string): DeadLetter {
  const json = jsonOrUndefined(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return deadLettered.data;
  const message = messageSchema.safeParse(json);
  if (message.success)
    return {
      ...{ code: 'message.failed', reason: 'Failed on every delivery: see the log of FanOut' },
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
  /** Asked between requests. If it returns true, the look returns what it has found so far. */
  readonly stop?: () => boolean;
  /** Called with the number found so far and the approximate total. */
  readonly onFound?: (found: number, about: number) => void;
}

/**
 * The dead-letter queue as an operator reads it. Dead letters that were looked at are hidden from others until {@link
 * close}. Methods throw `TransientError` if the queue is unavailable, and `FatalError` if a retry cannot help.
 */
export interface DeadLetterReader {
  look(options?: LookOptions): Promise<Look>;
  /** Deletes dead letters of the last look permanently. */
  remove(deadLetters: readonly FoundDeadLetter[]): Promise<void>;
  /**
   * Makes the remaining dead letters visible again. Never rejects: the queue itself makes them visible after a while.
   * @returns how many dead letters become visible only then
   */
  close(): Promise<number>;
}
