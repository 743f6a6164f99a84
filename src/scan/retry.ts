import { TransientError } from '../model/errors.ts';
import type { ClockPort } from '../ports.ts';

/** How often something is tried in all, and how long after the first try the second is, in milliseconds. */
const maxTries = 6;
/** The same where nothing listens: nobody has started it, or it is being started again. */
const maxTriesUnreachable = 3;
const firstDelay = 1000;

/**
 * Tries what is unavailable again, each time after twice as long, for about half a minute: a command that runs for hours
 * does not end because of one throttled request. Where nothing listens at the endpoint, for a few seconds.
 * @param stop whether there is no time for that any more
 * @throws TransientError where it remains so
 */
export async function retry<Result>(
  clock: ClockPort,
  work: () => Promise<Result>,
  stop: () => boolean = () => false,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransientError) || tried >= triesFor(error) || stop()) throw error;
      await clock.sleep(firstDelay * 2 ** (tried - 1));
    }
  }
}

function triesFor({ code }: TransientError): number {
  return code === 'aws.unreachable' ? maxTriesUnreachable : maxTries;
}
