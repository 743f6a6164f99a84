import { TransientError } from '../../../model/basics/errors.ts';
import type { ArchivePort } from '../../archive/ports.ts';
import type { ClockPort } from '../../ports.ts';
import { retry } from '../../retry.ts';
import { systemClock } from '../system-clock.ts';

const backOff = { attempts: 5, firstDelayMs: 200, maxDelayMs: 2_000 };
const maxMs = 5_000;

/**
 * The SDK's own retries draw on one quota for all requests, and one that ends in 404 or 412, as is common here, returns nothing
 * to it. With a fifth of the requests failing, one in ten was given up after its first attempt.
 */
export function retryingArchive(
  archive: ArchivePort,
  { clock = systemClock, signal }: { readonly clock?: ClockPort; readonly signal?: AbortSignal } = {},
): ArchivePort {
  function retried<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const end = clock.now() + maxMs;
    // If nothing listens, the SDK has already retried for a second.
    const isRetried = (error: unknown) =>
      error instanceof TransientError && error.code !== 'aws.unreachable' && clock.now() < end;
    return retry({ clock, ...backOff, signal, isRetried }, work);
  }
  return {
    head: (objectKey) => retried(() => archive.head(objectKey)),
    put: (objectKey, object, replaces) => retried(() => archive.put(objectKey, object, replaces)),
    erase: (objectKey, upTo) => retried(() => archive.erase(objectKey, upTo)),
  };
}
