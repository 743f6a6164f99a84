import { TransientError } from '../../../model/errors.ts';
import type { ArchivePort } from '../../archive/ports.ts';
import { retryWhile } from '../back-off.ts';

const attempts = 5;
const maxMilliseconds = 5_000;

/**
 * The SDK's own retries draw on one quota for all requests, and one that ends in 404 or 412, as is common here, returns nothing
 * to it. With a fifth of the requests failing, one in ten was given up after its first attempt.
 * @param firstBackOff the longest delay before the first retry, in milliseconds; it doubles with each
 */
export function retryingArchive(
  archive: ArchivePort,
  { firstBackOff = 200, signal }: { readonly firstBackOff?: number; readonly signal?: AbortSignal } = {},
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
