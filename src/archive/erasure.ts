/**
 * What a user's deletion takes along stays away: a record of an older life may come again, with an image of what was
 * to be forgotten. So an erasure first leaves a note, up to which record all is erased, and then erases; whoever puts
 * looks at the note after the put. Either the put was there to be erased, or the note is there to be seen.
 *
 * The note goes by a hash: it says neither whose item that was, nor anything of it.
 */

import { TransientError } from '../model/errors.ts';
import { erasureNoteKeyOf } from './object.ts';
import type { ArchivePort } from './ports.ts';

/** How often a note that others keep writing is tried again. */
const maxAttempts = 8;

/** The record up to which all states of an object are erased; -1 where none ever was. */
export async function erasedUpTo(archive: ArchivePort, objectKey: string): Promise<bigint> {
  return (await archive.head(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

/**
 * Erases the object with its versions and last states, up to this record, for good.
 * @throws TransientError `archive.contended` where the note could not be left: then nothing is erased yet
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
  throw new TransientError('archive.contended', `An erasure met ${maxAttempts} others of the same object`);
}
