import pRetry from 'p-retry';
import type { ArchivePort } from '../../archive/ports.ts';
import { TransientError } from '../../model/errors.ts';

/** How often what is unavailable is tried again, and within how many milliseconds of the first try. */
const retries = 4;
const longest = 5_000;

export interface InsistentArchiveOptions {
  /** About how long it waits before it tries again, in milliseconds; twice as long each time after. Default 100. */
  readonly firstBackOff?: number;
  /** Once it is aborted, nothing is tried again. */
  readonly signal?: AbortSignal;
}

/**
 * An archive that tries again what is unavailable. The SDK's own retries draw on one quota for all requests of a client,
 * and get none of it back for a retry that ends in 404 or 412, which the archive's requests often do: measured with a
 * fifth of them failing, one in ten was given up after its first try, and its batch came again.
 */
export function retryingArchive(
  archive: ArchivePort,
  { firstBackOff = 100, signal }: InsistentArchiveOptions = {},
): ArchivePort {
  function retry<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return pRetry(work, {
      retries,
      minTimeout: firstBackOff,
      maxRetryTime: longest,
      randomize: true,
      // The SDK has tried for a second where nothing listens.
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
