import { TransientError } from '../../model/errors.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from './ports.ts';

const maxAttempts = 8;

/**
 * Puts an object under a key that only this state uses. A lost condition proves nothing: the put may have met its own earlier
 * try, whose answer was lost, or a deletion. So the head is read, and anything but the same digest for the same record is
 * replaced.
 * @param isDone whether the object that won serves as well; default: it is the same
 * @throws TransientError `archive.contended` if other writers kept replacing it
 */
export async function putOnce(
  archive: ArchivePort,
  objectKey: string,
  object: ArchiveObject,
  replaces: string | undefined,
  isDone = ({ digest, sequence }: ArchiveHead) =>
    digest === object.digest && sequence === (object.sequence ?? 0n),
): Promise<void> {
  let condition = replaces;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (await archive.put(objectKey, object, condition)) return;
    const head = await archive.head(objectKey);
    if (head !== undefined && isDone(head)) return;
    condition = head?.etag;
  }
  throw new TransientError(
    'archive.contended',
    `The object was replaced ${maxAttempts} times while it was being put`,
  );
}
