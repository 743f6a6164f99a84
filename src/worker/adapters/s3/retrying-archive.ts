import { TransientError } from '../../../model/errors.ts';
import type { ArchivePort } from '../../archive/ports.ts';
import { retryWhile } from '../back-off.ts';

/** Maximum number of attempts while the archive is unavailable, and the time limit for starting them. */
const attempts = 5;
const maxMilliseconds = 5_000;

export interface RetryingArchiveOptions {
  /** The maximum delay before the first retry, in milliseconds. It doubles with each retry. Default 200. */
  readonly firstBackOff?: number;
  /** No retries start after this signal is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * An archive that retries while it is unavailable. The SDK's own retries draw on one quota for all requests
 * of a client, and a retry that ends in 404 or 412, as is common here, returns nothing to the quota. In a
 * measurement with a fifth of the requests failing, one in ten was given up after its first attempt, and its
 * batch was delivered again.
 */
export function retryingArchive(
  archive: ArchivePort,
  { firstBackOff = 200, signal }: RetryingArchiveOptions = {},
): ArchivePort {
  function retry<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const started = performance.now();
    // If nothing listens, the SDK has already retried for a second.
    const isPassing = (error: unknown) =>
      error instanceof TransientError &&
      error.code !== 'aws.unreachable' &&
      performance.now() - started < maxMilliseconds;
    return retryWhile(isPassing, { attempts, firstDelay: firstBackOff, maxDelay: 2_000, signal }, work);
  }
  return {
    head: (objectKey) => retry(() => archive.head(objectKey)),
    put: (objectKey, object, replaces) => retry(() => archive.put(objectKey, object, replaces)),
    erase: (objectKey, upTo) => retry(() => archive.erase(objectKey, upTo)),
  };
}
