/**
 * Keeps erased items erased. A late record of an older life could store its image again, so an erasure first writes a
 * note with the sequence number up to which everything is erased, and then erases. Every put reads the note
 * afterwards: either the erasure sees the put, or the put sees the note and undoes itself.
 *
 * The note's name is a hash, so it reveals neither the item's key nor its content.
 */

import { TransientError } from '../../model/errors.ts';
import { erasureNoteKeyOf } from './object.ts';
import type { ArchivePort } from './ports.ts';

/** Attempts to write a note that other erasures keep replacing. */
const maxAttempts = 8;

/** The sequence number up to which all states of an object are erased; -1 if it was never erased. */
export async function erasedUpTo(archive: ArchivePort, objectKey: string): Promise<bigint> {
  return (await archive.head(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

/**
 * Erases the object with its versions and final states, up to this record, permanently.
 * @throws TransientError `archive.contended` if the note could not be written; nothing has been erased then
 */
export async function eraseUpTo(
  archive: ArchivePort,
  objectKey: string,
  sequence: bigint,
  nonce: Uint8Array,
): Promise<void> {
  await leaveNote(archive, objectKey, sequence, nonce);
  await archive.erase(objectKey, sequence);
}

async function leaveNote(
  archive: ArchivePort,
  objectKey: string,
  sequence: bigint,
  nonce: Uint8Array,
): Promise<void> {
  const noteKey = erasureNoteKeyOf(objectKey);
  const body = JSON.stringify({ erasedUpTo: String(sequence), put: Buffer.from(nonce).toString('hex') });
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const note = await archive.head(noteKey);
    if (note !== undefined && note.sequence >= sequence) return;
    const left = { body, digest: '', sequence, storageClass: 'STANDARD' } as const;
    if (await archive.put(noteKey, left, note?.etag)) return;
  }
  throw new TransientError(
    'archive.contended',
    `The erasure note was replaced ${maxAttempts} times while it was being written`,
  );
}
