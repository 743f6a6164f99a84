import { type DeadLetter, deadLetterSchema, type Message, messageSchema } from '../../model/message.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import type { StoredBatch } from './failed-batch.ts';

/**
 * What failed and was set aside: what the worker dead-lettered, with a reason; a fan-out message that failed on every
 * delivery; a batch of stream records that Lambda gave up; or an unreadable body.
 */
export type DeadLetterContent =
  | { readonly is: 'dead-lettered'; readonly deadLettered: DeadLetter }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'batch'; readonly batch: StoredBatch }
  | { readonly is: 'unreadable' };

/** A dead letter in the queue, or a batch in a failure bucket. */
export interface FoundDeadLetter {
  /** The queue's id for it, the same at each look: a message id, a file name or an object key. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds. For a failed message, when it was first queued. */
  readonly at: number;
  readonly content: DeadLetterContent;
}

/** Parses the body of a dead letter. Never throws: a body may be anything. */
export function readDeadLetter(body: string): DeadLetterContent {
  const json = jsonOrUndefined(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return { is: 'dead-lettered', deadLettered: deadLettered.data };
  const message = messageSchema.safeParse(json);
  return message.success ? { is: 'message', message: message.data } : { is: 'unreadable' };
}

/** The message that a dead letter asks to propagate; undefined if it has none. */
export function messageIn(content: DeadLetterContent): Message | undefined {
  switch (content.is) {
    case 'dead-lettered':
      return content.deadLettered.message;
    case 'message':
      return content.message;
    case 'batch':
    case 'unreadable':
      return undefined;
  }
}

/** The result of a look into the dead-letter queue. */
export interface Look {
  /** Each dead letter once. */
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
