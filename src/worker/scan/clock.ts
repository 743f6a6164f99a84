import { TransientError } from '../../model/errors.ts';
import type { ClockPort } from '../ports.ts';

/** How long an outage may last, in milliseconds: most end within minutes, and one must not end a command that runs for hours. */
export const maxOutage = 5 * 60_000;

/** A server that has never accepted a connection has not been started, or has another address: waiting for long does not help. */
const maxTriesUnreachable = 3;
/** In milliseconds, before the second try; it doubles with each. */
const firstDelay = 1000;
const maxDelay = 15_000;

export type Retry = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Repeats what fails for now, until it has failed for five minutes. Requests to one service share an outage: the first that
 * succeeds ends it, and after five minutes none is repeated. @param stop asked after each failure
 */
export function retrying(clock: ClockPort, stop?: () => boolean): Retry {
  let hasAnswered = false;
  let outageSince: number | undefined;
  return async (work) => {
    let since: number | undefined;
    for (let tried = 1; ; tried += 1) {
      try {
        const result = await work();
        hasAnswered = true;
        outageSince = undefined;
        return result;
      } catch (error) {
        if (!(error instanceof TransientError) || stop?.()) throw error;
        since ??= clock.now();
        outageSince ??= since;
        const isUnknown = error.code === 'aws.unreachable' && !hasAnswered;
        if (isUnknown && tried >= maxTriesUnreachable) throw error;
        if (clock.now() - Math.min(since, outageSince) >= maxOutage) throw error;
        await clock.sleep(Math.min(maxDelay, firstDelay * 2 ** (tried - 1)));
      }
    }
  };
}

export function retry<Result>(
  clock: ClockPort,
  work: () => Promise<Result>,
  stop?: () => boolean,
): Promise<Result> {
  return retrying(clock, stop)(work);
}
