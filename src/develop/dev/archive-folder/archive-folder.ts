import { defaultStorageClass } from '../../../model/archive-rule.ts';
import { isHashed } from '../../../worker/archive/object.ts';
import type { ArchiveHead, ArchiveNotes, ArchivePort } from '../../../worker/archive/ports.ts';
import { Folder } from '../folder.ts';
import { ArchiveFiles, md5, nameOf } from './archive-files.ts';

/**
 * Opens a folder as the archive of `denorm dev`, and creates it if it is missing. Commands use it beside that process: a version is
 * added by one link, which fails if its number is taken, so puts need no lock.
 * @param storageClass of objects without their own. As in S3, it decides whether the reader requires a retrieval
 * @throws FatalError `folder.unusable` if it cannot be read and written
 */
export async function openArchiveFolder(
  path: string,
  storageClass: string = defaultStorageClass,
): Promise<ArchivePort> {
  const files = new ArchiveFiles(path);
  await files.folder.write('archive/.writable', '');
  await files.folder.remove('archive/.writable');

  async function head(objectKey: string): Promise<ArchiveHead | undefined> {
    for await (const { metadata } of files.versionsOf(objectKey)) {
      const { etag, digest, sequence } = metadata;
      return { etag, digest, sequence };
    }
    return undefined;
  }

  return {
    head,
    async put(objectKey, object, replaces) {
      const number = await files.nextNumber(objectKey);
      if ((await head(objectKey))?.etag !== replaces) return false;
      const metadata = {
        etag: md5(object.body),
        key: objectKey,
        digest: object.digest,
        sequence: object.sequence ?? 0n,
        ...(object.of !== undefined && isHashed(objectKey) && { of: object.of }),
        storageClass: object.storageClass ?? storageClass,
        putAt: new Date().toISOString(),
      };
      return files.add(number, { metadata, body: Buffer.from(object.body) });
    },
    async erase(objectKey, upTo) {
      const lastStates = (await files.keysBelow(objectKey)).filter((key) =>
        /^\.\d+$/.test(key.slice(objectKey.length)),
      );
      for (const key of [objectKey, ...lastStates]) await files.erase(key, upTo);
    },
  };
}

/** Notes beside an archive that is a folder: a file each, without versions. */
export function folderNotes(path: string): ArchiveNotes {
  const folder = new Folder(path);
  return {
    read: async (noteKey) => (await folder.read(nameOf(noteKey)))?.toString(),
    write: async (noteKey, text) => folder.write(nameOf(noteKey), text),
  };
}
