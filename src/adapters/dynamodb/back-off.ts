import { setTimeout as delay } from 'node:timers/promises';

/** How long what DynamoDB left undone is tried again before it counts as unavailable. */
export interface BackOff {
  /** Attempts in all, 1 or more. Default 6. */
  readonly attempts: number;
  /** The longest delay before the second attempt, in milliseconds; it doubles with each. Default 50. */
  readonly firstDelay: number;
  /** No delay is longer, in milliseconds. Default 1,000. */
  readonly longestDelay: number;
}

export const defaultBackOff: BackOff = { attempts: 6, firstDelay: 50, longestDelay: 1000 };

/**
 * Makes attempts until one says that it is done, with exponential back-off and full jitter between them.
 * Errors are not caught. Source of the formula: AWS Architecture Blog, "Exponential Backoff And Jitter".
 * @returns whether it was done within the attempts
 */
export async function untilDone(backOff: BackOff, attempt: () => Promise<boolean>): Promise<boolean> {
  for (let made = 1; ; made += 1) {
    if (await attempt()) return true;
    if (made >= backOff.attempts) return false;
    await pause(backOff, made);
  }
}

/** Waits before the next attempt. @param made attempts made so far */
export async function pause(backOff: BackOff, made: number): Promise<void> {
  await delay(Math.random() * Math.min(backOff.longestDelay, backOff.firstDelay * 2 ** (made - 1)));
}
