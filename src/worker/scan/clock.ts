import { TransientError } from '../../model/errors.ts';
import type { ClockPort } from '../ports.ts';

const maxTries = 6;
/** A server that does not accept connections has not been started, or is restarting: waiting for long does not help. */
const maxTriesUnreachable = 3;
/** In milliseconds, before the second try. */
const firstDelay = 1000;

/**
 * For about half a minute: one throttled request must not end a command that runs for hours. @param stop asked after each
 * failure
 */
export async function retry<Result>(
  clock: Pick<ClockPort, 'sleep'>,
  work: () => Promise<Result>,
  stop?: () => boolean,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransientError) || tried >= triesFor(error) || stop?.()) throw error;
      await clock.sleep(firstDelay * 2 ** (tried - 1));
    }
  }
}

function triesFor({ code }: TransientError): number {
  return code === 'aws.unreachable' ? maxTriesUnreachable : maxTries;
}
