import { TransientError } from '../model/basics/errors.ts';
import type { ClockPort } from './ports.ts';

export interface BackOff {
  readonly clock: ClockPort;
  /** Consecutive ones without progress, 1 or more. */
  readonly attempts: number;
  /** The longest delay before the second attempt; it doubles with each. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /**
   * The part of a delay that is waited, 0 to 1. Default: a random one, so that clients that failed together do not come back together.
   * Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
   */
  readonly jitter?: () => number;
  /** When aborted, a delay ends at once, and nothing is retried. */
  readonly signal?: AbortSignal | undefined;
}

export interface RetryOptions extends BackOff {
  /**
   * Asked after each failure.
   * @param attempt 1 for the first
   */
  readonly isRetried: (error: unknown, attempt: number) => boolean;
  /** Called before the delay. What it throws ends the retry. */
  readonly onRetry?: (() => void) | undefined;
}

/** @throws the error of the last attempt */
export async function retry<Result>(options: RetryOptions, work: () => Promise<Result>): Promise<Result> {
  const { attempts, signal, isRetried, onRetry } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || signal?.aborted || !isRetried(error, attempt)) throw error;
      onRetry?.();
      await pause(options, attempt);
      if (signal?.aborted) throw error;
    }
  }
}

/**
 * Repeats work of many parts. Only attempts without progress count: DynamoDB reads 1 MB of a partition per request, and leaves the
 * rest to the next one.
 * @param attempt resolves to the number left
 * @returns the number left when it gave up, or 0
 */
export async function untilNoneLeft(
  backOff: BackOff,
  size: number,
  attempt: () => Promise<number>,
): Promise<number> {
  let remaining = size;
  for (let idle = 0; idle < backOff.attempts; ) {
    const before = remaining;
    remaining = await attempt();
    if (remaining === 0) return 0;
    idle = remaining < before ? 0 : idle + 1;
    if (idle < backOff.attempts) await pause(backOff, Math.max(1, idle));
  }
  return remaining;
}

async function pause(backOff: BackOff, attempt: number): Promise<void> {
  const { clock, firstDelayMs, maxDelayMs, jitter = Math.random, signal } = backOff;
  await clock.sleep(jitter() * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)), signal);
}

/** How long an outage may last: most end within minutes, and one must not end a command that runs for hours. */
export const maxOutageMs = 5 * 60_000;

/** A server that has never accepted a connection has not been started, or has another address: waiting for long does not help. */
const maxAttemptsUnreachable = 3;

export type Retry = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Repeats what fails for now, until it has failed for five minutes. Requests to one service share an outage: the first that
 * succeeds ends it, and after five minutes none is repeated.
 * @param stop asked after each failure
 */
export function retryingOutages(
  clock: ClockPort,
  { stop, onRetry }: { readonly stop?: () => boolean } & Pick<RetryOptions, 'onRetry'> = {},
): Retry {
  let hasAnswered = false;
  let outageSince: number | undefined;
  const delays = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 1000, maxDelayMs: 15_000 };
  return (work) => {
    let since: number | undefined;
    const isRetried = (error: unknown, attempt: number) => {
      if (!(error instanceof TransientError) || stop?.()) return false;
      since ??= clock.now();
      outageSince ??= since;
      const isUnknown = error.code === 'aws.unreachable' && !hasAnswered;
      if (isUnknown && attempt >= maxAttemptsUnreachable) return false;
      return clock.now() - Math.min(since, outageSince) < maxOutageMs;
    };
    return retry({ clock, ...delays, jitter: () => 1, isRetried, onRetry }, async () => {
      const result = await work();
      hasAnswered = true;
      outageSince = undefined;
      return result;
    });
  };
}

/** The same for a request that shares no outage with others. */
export function retryOutage<Result>(clock: ClockPort, work: () => Promise<Result>): Promise<Result> {
  return retryingOutages(clock)(work);
}
