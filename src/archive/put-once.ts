import { TransientError } from '../model/errors.ts';
import type { ArchiveObject, ArchivePort } from './ports.ts';

/** How often a put is tried that others keep getting in the way of. */
const maxAttempts = 8;

/**
 * Puts an object that belongs under its key alone. A lost condition says nothing by itself: the put may have met its own
 * earlier try, whose answer was lost, or a deletion at that moment, after which nothing is there. So the head is asked, and
 * only the same digest for the same record counts as success; anything else is replaced, and stays as a version.
 * @param replaces the ETag of what is there; undefined for nothing
 * @throws TransientError `archive.contended` where others kept getting in the way
 */
export async function putOnce(
  archive: ArchivePort,
  objectKey: string,
  object: ArchiveObject,
  replaces: string | undefined,
): Promise<void> {
  let condition = replaces;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (await archive.put(objectKey, object, condition)) return;
    const head = await archive.head(objectKey);
    if (head?.digest === object.digest && head.sequence === (object.sequence ?? 0n)) return;
    condition = head?.etag;
  }
  throw new TransientError('archive.contended', `A put met ${maxAttempts} others of the same object`);
}
