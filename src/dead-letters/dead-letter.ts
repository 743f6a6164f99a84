import { type DeadLetter, deadLetterSchema, type Message, messageSchema } from '../model/message.ts';

/**
 * What a dead letter says: what a propagation dead-lettered, with its reason; a message of the fan-out queue that failed on every
 * delivery, as it was; or nothing that can be read.
 */
export type DeadLetterContent =
  | { readonly is: 'dead-lettered'; readonly deadLettered: DeadLetter }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'unreadable' };

/** A dead letter as it was found in the dead-letter queue. */
export interface FoundDeadLetter {
  /** The queue's own name for it, the same at each look: a message's id, a file's name. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds; a message that failed keeps the time when it was first queued. */
  readonly at: number;
  readonly content: DeadLetterContent;
}

/** What stands in the body of a dead letter. Never throws: a body may be anything. */
export function readDeadLetter(body: string): DeadLetterContent {
  const json = parsed(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return { is: 'dead-lettered', deadLettered: deadLettered.data };
  const message = messageSchema.safeParse(json);
  return message.success ? { is: 'message', message: message.data } : { is: 'unreadable' };
}

/** The propagation that a dead letter asks for, or undefined where it asks for none that is known. */
export function messageIn(content: DeadLetterContent): Message | undefined {
  switch (content.is) {
    case 'dead-lettered':
      return content.deadLettered.message;
    case 'message':
      return content.message;
    case 'unreadable':
      return undefined;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What a look into the dead-letter queue has brought. */
export interface Look {
  /** Each dead letter once. */
  readonly deadLetters: readonly FoundDeadLetter[];
  /** About how many more the queue says that it holds: somebody else looks at them, or the look was cut short. */
  readonly unseen: number;
}

export interface LookOptions {
  /** Asked between requests; where it says true, what has been found so far is all. */
  readonly stop?: () => boolean;
  /** Told of how many were found so far, of about how many. */
  readonly onFound?: (found: number, about: number) => void;
}

/**
 * The dead-letter queue as an operator reads it. What was looked at is hidden from others until {@link close}. Methods
 * throw `TransientError` where the queue could not do it for now, and `FatalError` where it never will.
 */
export interface DeadLetterReader {
  look(options?: LookOptions): Promise<Look>;
  /** Takes dead letters of the last look out of the queue, for good. Returns when they are gone. */
  remove(deadLetters: readonly FoundDeadLetter[]): Promise<void>;
  /**
   * Gives back what was looked at and not removed. Never rejects: what cannot be given back comes back by itself.
   * @returns how many dead letters will do so
   */
  close(): Promise<number>;
}
