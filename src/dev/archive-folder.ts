/**
 * An archive that is a folder, for development. An object is a folder, and each of its versions a file, numbered in
 * order: a line with the metadata that S3 would store, then the same bytes as in the bucket.
 *
 *   archive/Order/ORDER%231/METADATA.json/@00000001
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { DenormError, FatalError } from '../model/basics/errors.ts';
import { jsonOrUndefined } from '../model/basics/parse-json.ts';
import { isUpTo } from '../model/items/change.ts';
import { itemKeySchema } from '../model/items/item.ts';
import { defaultStorageClass } from '../model/rules/archive-rule.ts';
import { isHashed } from '../worker/archive/object.ts';
import type {
  ArchivedVersion,
  ArchiveNotes,
  ArchivePort,
  ArchiveReader,
  Retrieval,
} from '../worker/archive/ports.ts';
import { Folder } from './folder.ts';

/** The first segments of keys: objects, manifests of batches, and notes. */
const roots: readonly string[] = ['archive', 'manifests', 'erased', 'restored', 'state'];

/** The longest name in characters, all of them ASCII. File systems hold 255. */
const maxName = 200;

/** Between the pieces of a name that is cut. Encoded keys contain no `@`. */
const cut = '@/@';

const metadataSchema = z.object({
  /** The MD5 of the body in hexadecimal, as S3's ETag is. */
  etag: z.string(),
  /** Tells keys apart that differ only in case, on a file system that does not. */
  key: z.string(),
  /** Of the item; undefined if the worker did not put this body. */
  digest: z.string().optional(),
  /** Of the record for which the body was put. */
  sequence: z
    .string()
    .regex(/^\d+$/)
    .transform((digits) => BigInt(digits)),
  /** Key of the item, if the object's key is a hash. */
  of: z.optional(itemKeySchema),
  storageClass: z.string(),
  /** ISO 8601. */
  putAt: z.string(),
  /** End of a retrieval from Glacier, as ISO 8601. */
  readableUntil: z.string().optional(),
});

type VersionMetadata = z.output<typeof metadataSchema>;

/** Of a file without metadata. No body has this ETag, so it counts as damaged. */
const unknown = { etag: 'unknown', sequence: 0n, storageClass: 'STANDARD', putAt: new Date(0).toISOString() };

interface Version {
  /** Eight digits. Later versions have higher numbers. */
  readonly id: string;
  readonly metadata: VersionMetadata;
  readonly body: Buffer;
}

/** A version without its body. */
interface VersionHead extends Omit<Version, 'body'> {
  readonly bytes: number;
}

/**
 * Its key, with segments of more than 200 characters cut (`aaa@/@aaa`).
 * @throws FatalError `archive.key` for a key that is not one of the archive's, because it could leave the folder
 */
export function nameOf(objectKey: string): string {
  const segments = objectKey.split('/');
  const unsafe = segments.some((segment) => /^\.{0,2}$/.test(segment) || /[\0\\@]/.test(segment));
  if (!roots.includes(segments[0] ?? '') || segments.length < 2 || unsafe)
    throw new FatalError(
      'archive.key',
      `Expected an object key such as 'archive/Order/ORDER%231/METADATA.json', got '${objectKey}'`,
    );
  return pathOf(objectKey);
}

function cutName(segment: string): string {
  return (segment.match(new RegExp(`.{1,${maxName}}`, 'gsu')) ?? []).join(cut);
}

export class ArchiveFiles {
  readonly folder: Folder;

  constructor(path: string) {
    this.folder = new Folder(path);
  }

  /** The keys below a prefix in their order, each with the names of its versions, the oldest first. Reads a folder at a time. */
  async *namesBelow(prefix: string): AsyncGenerator<readonly [objectKey: string, names: readonly string[]]> {
    const above = prefix.split('/').slice(0, -1);
    if (above.length > 1) nameOf(above.join('/'));
    if (above.length === 0) for (const root of roots.toSorted()) yield* this.#walk(root, prefix);
    else if (roots.includes(above[0] ?? '')) yield* this.#walk(above.join('/'), prefix);
  }

  async *#walk(above: string, prefix: string): AsyncGenerator<readonly [string, readonly string[]]> {
    const path = pathOf(above);
    const segments = await this.#segments(path, (await this.folder.entries(path)).folders);
    // A key may end with a segment, and others go on from it: those come after keys whose next character is less than `/`.
    for (const step of segments.flatMap((segment) => [segment, `${segment}/`]).sort()) {
      const key = `${above}/${step}`;
      if (!step.endsWith('/')) {
        const names = key.startsWith(prefix) ? await this.#versionsIn(pathOf(key)) : [];
        if (names.length > 0) yield [key, names];
      } else if (key.startsWith(prefix) || prefix.startsWith(key))
        yield* this.#walk(key.slice(0, -1), prefix);
    }
  }

  /** The segments of keys that folders are, which may be the beginnings of names that are cut. */
  async #segments(path: string, folders: readonly string[]): Promise<string[]> {
    const segments: string[] = [];
    for (const folder of folders) {
      if (!folder.endsWith('@')) {
        segments.push(folder);
        continue;
      }
      const within = `${path}/${folder}`;
      for (const rest of await this.#segments(within, (await this.folder.entries(within)).folders))
        segments.push(folder.slice(0, -1) + rest.slice(1));
    }
    return segments;
  }

  /**
   * The newest first.
   * @param names default: of all versions
   * @throws FatalError `archive.collision` for the file of another object
   */
  async *headsOf(objectKey: string, names?: readonly string[]): AsyncGenerator<VersionHead> {
    for (const name of [...(names ?? (await this.#versionNames(objectKey)))].reverse()) {
      const file = await this.folder.readLine(name);
      if (file === undefined) continue;
      const { data } = metadataSchema.safeParse(jsonOrUndefined(file.line));
      if (data !== undefined && data.key !== objectKey)
        throw new FatalError(
          'archive.collision',
          `'${objectKey}' and '${data.key}' are one file here: use a case-sensitive file system`,
        );
      const id = name.slice(-8);
      yield data === undefined
        ? { id, metadata: { ...unknown, key: objectKey }, bytes: file.size }
        : { id, metadata: data, bytes: Math.max(0, file.size - Buffer.byteLength(file.line) - 1) };
    }
  }

  /** Undefined if it was erased meanwhile. */
  async bodyOf({ id, metadata, bytes }: VersionHead): Promise<Buffer | undefined> {
    const file = await this.folder.read(fileOf(metadata.key, id));
    return file?.subarray(file.length - bytes);
  }

  async nextNumber(objectKey: string): Promise<number> {
    return Number((await this.#versionNames(objectKey)).at(-1)?.slice(-8) ?? 0) + 1;
  }

  /** @returns false if the number is taken, or an erasure removed the object meanwhile */
  add(number: number, version: Omit<Version, 'id'>): Promise<boolean> {
    return this.folder.add(fileOf(version.metadata.key, String(number).padStart(8, '0')), contentOf(version));
  }

  replace(version: Version): Promise<void> {
    return this.folder.write(fileOf(version.metadata.key, version.id), contentOf(version));
  }

  /** Erases the versions that no record later than `upTo` has put. The newest of the others is then the object. */
  async erase(objectKey: string, upTo: bigint): Promise<void> {
    for await (const { id, metadata } of this.headsOf(objectKey))
      if (isUpTo(metadata.sequence, upTo)) await this.folder.remove(fileOf(objectKey, id));
    await this.folder.removeEmpty(nameOf(objectKey));
  }

  #versionNames(objectKey: string): Promise<string[]> {
    return this.#versionsIn(nameOf(objectKey));
  }

  async #versionsIn(path: string): Promise<string[]> {
    const { files } = await this.folder.entries(path);
    const versions = files.filter((name) => /^@\d{8}$/.test(name));
    return versions.map((name) => `${path}/${name}`).sort();
  }
}

function pathOf(objectKey: string): string {
  return objectKey.split('/').map(cutName).join('/');
}

function fileOf(objectKey: string, id: string): string {
  return `${nameOf(objectKey)}/@${id}`;
}

function md5(body: string | Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

function contentOf({ metadata, body }: Omit<Version, 'id'>): Buffer {
  const text = { ...metadata, sequence: String(metadata.sequence) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(text)}\n`), body]);
}

const dayMs = 86_400_000;

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
  return {
    async head(objectKey) {
      const metadata = (await find(files, objectKey))?.metadata;
      return metadata && { etag: metadata.etag, digest: metadata.digest, sequence: metadata.sequence };
    },
    async put(objectKey, object, replaces) {
      const number = await files.nextNumber(objectKey);
      if ((await find(files, objectKey))?.metadata.etag !== replaces) return false;
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
      const keys = [objectKey];
      for await (const [key] of files.namesBelow(objectKey))
        if (/^\.\d+$/.test(key.slice(objectKey.length))) keys.push(key);
      for (const key of keys) await files.erase(key, upTo);
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

/**
 * Reads an archive that is a folder. As in S3, an object in Glacier must be retrieved first; that takes no time here.
 * @param pageLimit a page ends after the key that reaches this number of versions. Default: 1,000, as in S3
 */
export function archiveFolderReader(path: string, pageLimit = 1_000): ArchiveReader {
  const files = new ArchiveFiles(path);
  /** Where a page ended, and the rest of its walk, for the next page. */
  const walks = new Map<string, Walk>();
  return {
    async list(prefix, from) {
      const begun = walks.get(`${from} ${prefix}`);
      walks.delete(`${from} ${prefix}`);
      const walk = begun ?? files.namesBelow(prefix);
      const versions: ArchivedVersion[] = [];
      for (let step = await walk.next(); !step.done; step = await walk.next()) {
        const [objectKey, names] = step.value;
        if (begun === undefined && from !== undefined && objectKey <= from) continue;
        let latest = true;
        for await (const { id: versionId, metadata, bytes } of files.headsOf(objectKey, names)) {
          const { putAt, storageClass } = metadata;
          const archivedAt = Date.parse(putAt);
          versions.push({ objectKey, versionId, latest, bytes, archivedAt, storageClass });
          latest = false;
        }
        if (versions.length < pageLimit) continue;
        walks.set(`${objectKey} ${prefix}`, walk);
        return { versions, next: objectKey };
      }
      return { versions, next: undefined };
    },
    async details(objectKey, versionId) {
      const found = await find(files, objectKey, versionId);
      if (found === undefined) return undefined;
      const { etag, digest, sequence, of, storageClass } = found.metadata;
      return { etag, digest, sequence, of, storageClass, retrieval: retrievalOf(found.metadata) };
    },
    async read(objectKey, versionId) {
      const found = await find(files, objectKey, versionId);
      const body = found && (await files.bodyOf(found));
      if (found === undefined || body === undefined)
        throw new DenormError('archive.missing', `Expected ${objectKey} in the archive, found no object`);
      if (retrievalOf(found.metadata) === 'needed')
        throw new DenormError(
          'archive.not-retrieved',
          `${objectKey} is in Glacier and cannot be read yet: ask for its retrieval, then read it`,
        );
      if (md5(body) === found.metadata.etag) return body;
      throw new DenormError(
        'archive.damaged',
        `Expected ${objectKey} to be what was put, but its MD5 differs. An older version may be intact`,
      );
    },
    async retrieve(objectKey, versionId, days) {
      const found = await find(files, objectKey, versionId);
      const body = found && (await files.bodyOf(found));
      if (found === undefined || body === undefined || retrievalOf(found.metadata) === 'none') return;
      const readableUntil = new Date(Date.now() + days * dayMs).toISOString();
      await files.replace({ id: found.id, metadata: { ...found.metadata, readableUntil }, body });
    },
  };
}

type Walk = ReturnType<ArchiveFiles['namesBelow']>;

/** @param versionId default: the newest */
async function find(
  files: ArchiveFiles,
  objectKey: string,
  versionId?: string,
): Promise<VersionHead | undefined> {
  for await (const version of files.headsOf(objectKey))
    if (versionId === undefined || versionId === version.id) return version;
  return undefined;
}

function retrievalOf({ storageClass, readableUntil }: VersionMetadata): Retrieval {
  if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
  return readableUntil !== undefined && Date.parse(readableUntil) > Date.now() ? 'readable' : 'needed';
}
