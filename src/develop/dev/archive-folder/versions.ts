import { createHash, randomUUID } from 'node:crypto';
import { link, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { itemKeySchema } from '../../../model/item.ts';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { readStamps, stampsText } from '../../../worker/archive/stamp.ts';
import { codeOf, makeFolder, readIfThere, writeWhole } from './files.ts';
import { inProgress, versionFilesIn } from './paths.ts';

/** Characters of S3 metadata that may list replaced states. */
const maxStamps = 1_200;

const metadataSchema = z.object({
  /** The MD5 of the body in hexadecimal, as S3's ETag is. */
  etag: z.string(),
  /** Tells keys apart that differ only in case, on a file system that does not. */
  key: z.string().optional(),
  /** Of the item; undefined if the worker did not put this body. */
  digest: z.string().optional(),
  /** Of the record for which the body was put. */
  sequence: z
    .string()
    .regex(/^\d+$/)
    .transform((digits) => BigInt(digits)),
  /** The states that the body replaced, the newest first. */
  previousStates: z.string().transform(readStamps).optional(),
  /** Key of the item, if the object's key is a hash. */
  of: itemKeySchema.optional(),
  storageClass: z.string(),
  /** ISO 8601. */
  putAt: z.string(),
  /** End of a retrieval from Glacier, as ISO 8601. */
  readableUntil: z.string().optional(),
});

export type VersionMetadata = z.output<typeof metadataSchema>;

/** A version of an object, read from its file. */
export interface Version {
  /** Eight digits. Later versions have higher numbers. */
  readonly id: string;
  readonly path: string;
  readonly metadata: VersionMetadata;
  readonly body: Buffer;
}

/** All versions of the object in this folder, the newest first. A file without metadata is all body. */
export async function* versionsOf(objectPath: string): AsyncGenerator<Version> {
  for (const name of (await versionFilesIn(objectPath)).reverse()) {
    const path = join(objectPath, name);
    const file = await readIfThere(path);
    if (file === undefined) continue;
    const end = file.indexOf('\n');
    const { data } = metadataSchema.safeParse(jsonOrUndefined(file.subarray(0, end).toString()));
    const id = name.slice(1);
    yield data === undefined
      ? { id, path, metadata: await guessed(path, file), body: file }
      : { id, path, metadata: data, body: file.subarray(end + 1) };
  }
}

async function guessed(path: string, body: Buffer): Promise<VersionMetadata> {
  const putAt = (await stat(path)).mtime.toISOString();
  return { etag: md5(body), sequence: 0n, storageClass: 'STANDARD', putAt };
}

/** The number for the next version. */
export async function nextNumber(objectPath: string): Promise<number> {
  return Number((await versionFilesIn(objectPath)).at(-1)?.slice(1) ?? 0) + 1;
}

/**
 * Adds a version, whole or not at all: it is written elsewhere, then linked, which fails if the number is taken.
 * @returns false if the number is taken, or an erasure removed the object's folder meanwhile
 */
export async function addVersion(
  folder: string,
  objectPath: string,
  number: number,
  version: Pick<Version, 'metadata' | 'body'>,
): Promise<boolean> {
  const written = join(inProgress(folder), randomUUID());
  await makeFolder(inProgress(folder));
  await makeFolder(objectPath);
  try {
    await writeFile(written, contentOf(version), { flush: true });
    await link(written, join(objectPath, `@${String(number).padStart(8, '0')}`));
    return true;
  } catch (error) {
    if (['ENOENT', 'EEXIST'].includes(codeOf(error) ?? '')) return false;
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

/** Replaces the metadata of a version. */
export function replaceMetadata(
  folder: string,
  { path, body }: Version,
  metadata: VersionMetadata,
): Promise<void> {
  return writeWhole(path, contentOf({ metadata, body }), inProgress(folder));
}

/**
 * Erases the versions that no record later than `upTo` has put. The newest of the others is then the object.
 */
export async function eraseVersions(objectPath: string, upTo: bigint): Promise<void> {
  for await (const { path, metadata } of versionsOf(objectPath))
    if (metadata.sequence <= upTo) await rm(path, { force: true });
  try {
    await rmdir(objectPath);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** The MD5 of a body in hexadecimal. */
export function md5(body: string | Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

function contentOf({ metadata, body }: Pick<Version, 'metadata' | 'body'>): Buffer {
  const { sequence, previousStates, ...others } = metadata;
  const stamps = stampsText(previousStates ?? [], maxStamps);
  const text = { ...others, sequence: String(sequence), ...(stamps !== '' && { previousStates: stamps }) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(text)}\n`), body]);
}
