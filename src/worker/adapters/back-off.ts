import { setTimeout as delay } from 'node:timers/promises';

export interface BackOff {
  /** Consecutive ones without progress, 1 or more. */
  readonly attempts: number;
  /** The longest delay before the second attempt, in milliseconds; it doubles with each. */
  readonly firstDelay: number;
  /** In milliseconds. */
  readonly maxDelay: number;
  /** When aborted, a delay ends at once, and nothing is retried. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws the error of the last attempt */
export async function retryWhile<Result>(
  isPassing: (error: unknown) => boolean,
  backOff: BackOff,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= backOff.attempts || backOff.signal?.aborted || !isPassing(error)) throw error;
      await pause(backOff, attempt);
      if (backOff.signal?.aborted) throw error;
    }
  }
}

/**
 * Only attempts without progress count: DynamoDB reads 1 MB of a partition per request, and leaves the rest to the next one.
 * @param attempt resolves to the number left @returns the number left when it gave up, or 0
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

/** Exponential back-off with full jitter. Source: AWS Architecture Blog, "Exponential Backoff And Jitter". */
export async function pause({ firstDelay, maxDelay, signal }: BackOff, made: number): Promise<void> {
  const longest = Math.min(maxDelay, firstDelay * 2 ** (made - 1));
  await delay(Math.random() * longest, undefined, { signal }).catch(() => {});
}
