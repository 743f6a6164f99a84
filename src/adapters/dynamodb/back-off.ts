import { setTimeout as delay } from 'node:timers/promises';

/** How long what DynamoDB left undone is tried again before it counts as unavailable. */
export interface BackOff {
  /** Attempts in a row that bring nothing, 1 or more. Default 6. */
  readonly attempts: number;
  /** The longest delay before the second attempt, in milliseconds; it doubles with each. Default 50. */
  readonly firstDelay: number;
  /** No delay is longer, in milliseconds. Default 1,000. */
  readonly maxDelay: number;
}

export const defaultBackOff: BackOff = { attempts: 6, firstDelay: 50, maxDelay: 1000 };

/**
 * Makes attempts until nothing is left, with exponential back-off and full jitter between them. Only attempts that bring
 * nothing are counted: DynamoDB reads 1 MB of a partition for a request, and leaves the rest to the next one.
 * Errors are not caught. Source of the formula: AWS Architecture Blog, "Exponential Backoff And Jitter".
 * @param attempt resolves to how much is left
 * @returns how much is left when it gave up: 0 where all was done
 */
export async function untilNoneLeft(
  backOff: BackOff,
  size: number,
  attempt: () => Promise<number>,
): Promise<number> {
  let left = size;
  for (let idle = 0; idle < backOff.attempts; ) {
    const before = left;
    left = await attempt();
    if (left === 0) return 0;
    idle = left < before ? 0 : idle + 1;
    if (idle < backOff.attempts) await pause(backOff, Math.max(1, idle));
  }
  return left;
}

/** Waits before the next attempt. @param made attempts made so far */
export async function pause(backOff: BackOff, made: number): Promise<void> {
  await delay(Math.random() * Math.min(backOff.maxDelay, backOff.firstDelay * 2 ** (made - 1)));
}
