import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { itemKeySchema } from '../../../model/item.ts';
import { readStamps, stampsText } from '../../../worker/archive/stamp.ts';
import { codeOf, makeFolder, readIfThere } from './files.ts';
import { inProgress, versionFoldersIn } from './paths.ts';

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

export interface Version {
  /** Eight digits. Later versions have higher numbers. */
  readonly id: string;
  readonly path: string;
  readonly body: string;
}

/** All versions of the object in this folder, the newest first. */
export async function versionsOf(objectPath: string): Promise<Version[]> {
  return (await versionFoldersIn(objectPath))
    .reverse()
    .map((name) => join(objectPath, name))
    .map((path) => ({ id: path.slice(-8), path, body: join(path, 'body') }));
}

/**
 * The metadata that S3 would store with the body. Derived from the file if the metadata is invalid. Undefined
 * without a body.
 */
export async function metadataOf({ path, body }: Version): Promise<VersionMetadata | undefined> {
  const text = await readIfThere(join(path, 'metadata.json'));
  const parsed = metadataSchema.safeParse(json(String(text)));
  if (parsed.success) return parsed.data;
  const bytes = await readIfThere(body);
  if (bytes === undefined) return undefined;
  const putAt = (await stat(body)).mtime.toISOString();
  return { etag: md5(bytes), sequence: 0n, storageClass: 'STANDARD', putAt };
}

/**
 * Adds a version, whole or not at all: it is written elsewhere, then its folder is renamed, which fails if another
 * process added a version of the same number.
 * @returns false if the number is taken, or an erasure removed the object's folder meanwhile
 */
export async function addVersion(
  folder: string,
  objectPath: string,
  number: number,
  body: string | Uint8Array,
  metadata: VersionMetadata,
): Promise<boolean> {
  const written = join(inProgress(folder), randomUUID());
  try {
    await makeFolder(written);
    await writeFile(join(written, 'body'), body, { flush: true });
    await writeFile(join(written, 'metadata.json'), metadataText(metadata), { flush: true });
    await makeFolder(objectPath);
    return await renamed(written, join(objectPath, `@${String(number).padStart(8, '0')}`));
  } finally {
    await rm(written, { recursive: true, force: true });
  }
}

/** Replaces the metadata of a version. Does nothing if the version was erased meanwhile. */
export async function replaceMetadata(
  folder: string,
  { path }: Version,
  metadata: VersionMetadata,
): Promise<void> {
  const written = join(inProgress(folder), randomUUID());
  await makeFolder(inProgress(folder));
  await writeFile(written, metadataText(metadata), { flush: true });
  if (!(await renamed(written, join(path, 'metadata.json')))) await rm(written, { force: true });
}

/**
 * Erases the versions that no record later than `upTo` has put, the oldest first. The newest of the others is then the
 * object. The metadata goes first, so that an erasure that was killed can be repeated.
 */
export async function eraseVersions(objectPath: string, upTo: bigint): Promise<void> {
  for (const version of (await versionsOf(objectPath)).reverse()) {
    if (((await metadataOf(version))?.sequence ?? 0n) > upTo) continue;
    await rm(join(version.path, 'metadata.json'), { force: true });
    await rm(version.path, { recursive: true, force: true });
  }
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

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

function metadataText({ sequence, previousStates, ...others }: VersionMetadata): string {
  const stamps = stampsText(previousStates ?? [], maxStamps);
  const text = { ...others, sequence: String(sequence), ...(stamps !== '' && { previousStates: stamps }) };
  return `${JSON.stringify(text)}\n`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
