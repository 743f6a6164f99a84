import { TransientError } from '../../model/basics/errors.ts';
import type { ItemKey } from '../../model/items/item.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from './ports.ts';

const maxAttempts = 8;

/**
 * Puts an object under a key that only this state uses. A lost condition proves nothing: the put may have met its own earlier
 * try, whose answer was lost, or a deletion. So the head is read, and anything but the same digest for the same record is
 * replaced.
 * @param isDone whether the object that won serves as well; default: it is the same
 * @throws TransientError `archive.contended` if its condition fails each time
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
  const lost: (string | undefined)[] = [];
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (await archive.put(objectKey, object, condition)) return;
    lost.push(condition);
    const head = await archive.head(objectKey);
    if (head !== undefined && isDone(head)) return;
    condition = head?.etag;
  }
  throw contended(`Expected to put ${objectKey}`, lost);
}

/** @param lost the conditions that puts of one object have lost, in order: ETags, or undefined for none */
export function contended(
  expected: string,
  lost: readonly (string | undefined)[],
  about: { readonly key?: ItemKey } = {},
): TransientError {
  const same = lost.filter((etag, index) => index > 0 && etag === lost[index - 1]).length;
  const seen =
    same === 0
      ? 'because another writer had changed the object: try again later'
      : `${same} of them although the object was ${lost.at(-1) === undefined ? 'missing' : 'unchanged'}, as the server said: check that it supports conditional puts as S3 does`;
  return new TransientError(
    'archive.contended',
    `${expected}, lost its condition ${lost.length} times, ${seen}`,
    about,
  );
}
