/**
 * The files of an archive that is a folder, for development. An object is a folder, and each of its versions a file, numbered in
 * order: a line with the metadata that S3 would store, then the same bytes as in the bucket.
 *
 *   archive/Order/ORDER%231/METADATA.json/@00000001
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { FatalError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { isUpTo } from '../../model/items/change.ts';
import { itemKeySchema } from '../../model/items/item.ts';
import { Folder } from '../folder.ts';

/** The first segments of keys: objects, manifests of batches, and notes. */
const roots: readonly string[] = ['archive', 'manifests', 'erased', 'restored', 'state'];

/** The longest name in characters, all of them ASCII. File systems hold 255. */
const maxName = 200;

/** Between the pieces of a name that is cut. Encoded keys contain no `@`. */
const cut = '@/@';

/** A version's name. A piece of a name that is cut may look like one, as a folder. */
const versionName = /\/@\d{8}$/;

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
  of: itemKeySchema.optional(),
  storageClass: z.string(),
  /** ISO 8601. */
  putAt: z.string(),
  /** End of a retrieval from Glacier, as ISO 8601. */
  readableUntil: z.string().optional(),
});

export type VersionMetadata = z.output<typeof metadataSchema>;

/** Of a file without metadata. No body has this ETag, so it counts as damaged. */
const unknown = { etag: 'unknown', sequence: 0n, storageClass: 'STANDARD', putAt: new Date(0).toISOString() };

export interface Version {
  /** Eight digits. Later versions have higher numbers. */
  readonly id: string;
  readonly metadata: VersionMetadata;
  readonly body: Buffer;
}

/** A version without its body. */
export interface VersionHead extends Omit<Version, 'body'> {
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
  return segments.map(cutName).join('/');
}

function cutName(segment: string): string {
  return (segment.match(new RegExp(`.{1,${maxName}}`, 'gsu')) ?? []).join(cut);
}

export class ArchiveFiles {
  readonly folder: Folder;

  constructor(path: string) {
    this.folder = new Folder(path);
  }

  /** The keys below a prefix in their order, each with the names of its versions, the oldest first. In one walk. */
  async namesBelow(prefix: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const above = prefix.split('/').slice(0, -1);
    if (above.length > 1) nameOf(above.join('/'));
    const below = above.length === 0 ? roots : roots.filter((root) => root === above[0]);
    const names = await Promise.all(
      below.map((root) => this.folder.names([root, ...above.slice(1).map(cutName)].join('/'))),
    );
    const versions = names.flat().filter((name) => versionName.test(name));
    const byKey = Map.groupBy(versions, (name) => name.replace(versionName, '').replaceAll(cut, ''));
    return new Map([...byKey].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)));
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

  async #versionNames(objectKey: string): Promise<string[]> {
    const object = nameOf(objectKey);
    const names = await this.folder.names(object);
    return names.filter((name) => versionName.test(name) && name.length === object.length + 10);
  }
}

function fileOf(objectKey: string, id: string): string {
  return `${nameOf(objectKey)}/@${id}`;
}

export function md5(body: string | Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

function contentOf({ metadata, body }: Omit<Version, 'id'>): Buffer {
  const text = { ...metadata, sequence: String(metadata.sequence) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(text)}\n`), body]);
}
