import type { FoundDeadLetter } from './dead-letter.ts';

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
