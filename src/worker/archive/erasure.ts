/**
 * Keeps erased items erased. A late record of an older life could store its image again, so an erasure first writes a note with
 * the sequence number up to which everything is erased. Every put reads the note afterwards: either the erasure sees the put,
 * or the put sees the note and undoes itself. The note's name is a hash, so it reveals nothing of the item.
 */
import { isUpTo } from '../../model/items/change.ts';
import { erasureNoteKeyOf } from './object.ts';
import type { ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';

/** -1 if it was never erased. */
export async function erasedUpTo(archive: Pick<ArchivePort, 'head'>, objectKey: string): Promise<bigint> {
  return (await archive.head(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

/** @throws TransientError `archive.contended` if the note could not be written; nothing has been erased then */
export async function eraseUpTo(
  archive: ArchivePort,
  objectKey: string,
  sequence: bigint,
  nonce: Uint8Array,
): Promise<void> {
  const noteKey = erasureNoteKeyOf(objectKey);
  const earlier = await archive.head(noteKey);
  if (earlier === undefined || !isUpTo(sequence, earlier.sequence)) {
    const body = JSON.stringify({ erasedUpTo: String(sequence), put: Buffer.from(nonce).toString('hex') });
    const note = { body, digest: '', sequence, storageClass: 'STANDARD' } as const;
    // The note of a later erasure says more, and is never replaced.
    await putOnce(archive, noteKey, note, earlier?.etag, (other) => isUpTo(sequence, other.sequence));
  }
  await archive.erase(objectKey, sequence);
}
