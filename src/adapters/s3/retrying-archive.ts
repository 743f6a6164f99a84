import pRetry from 'p-retry';
import type { ArchivePort } from '../../archive/ports.ts';
import { TransientError } from '../../model/errors.ts';

/** Retries of an unavailable archive, and the time after the first attempt within which they start. */
const retries = 4;
const maxMilliseconds = 5_000;

export interface RetryingArchiveOptions {
  /** Approximate delay before the first retry, in milliseconds. It doubles with each retry. Default 100. */
  readonly firstBackOff?: number;
  /** Once it is aborted, there are no retries. */
  readonly signal?: AbortSignal;
}

/**
 * An archive that retries while it is unavailable. The SDK's own retries draw on one quota for all requests of a client,
 * and get none of it back for a retry that ends in 404 or 412, which the archive's requests often do: measured with a
 * fifth of them failing, one in ten was given up after its first attempt, and its batch was delivered again.
 */
export function retryingArchive(
  archive: ArchivePort,
  { firstBackOff = 100, signal }: RetryingArchiveOptions = {},
): ArchivePort {
  function retry<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return pRetry(work, {
      retries,
      minTimeout: firstBackOff,
      maxRetryTime: maxMilliseconds,
      randomize: true,
      // If nothing listens, the SDK has already retried for a second.
      shouldRetry: ({ error }) =>
        error instanceof TransientError && error.code !== 'aws.unreachable' && signal?.aborted !== true,
    });
  }
  return {
    head: (objectKey) => retry(() => archive.head(objectKey)),
    put: (objectKey, object, replaces) => retry(() => archive.put(objectKey, object, replaces)),
    erase: (objectKey, upTo) => retry(() => archive.erase(objectKey, upTo)),
  };
}
