import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readStamps, stampsText } from '../../archive/stamp.ts';
import { readIfThere, removeIfEmpty, writeWhole } from './files.ts';
import type { ObjectPaths } from './paths.ts';

/** As much of what was replaced as S3 would hold. */
const maxStamps = 1_200;

const metadataSchema = z.object({
  key: z.string(),
  digest: z.string(),
  /** Of the record that asked for the put. What an earlier version of this folder held did not say. */
  sequence: z
    .string()
    .regex(/^\d{1,40}$/)
    .default('0')
    .transform((digits) => BigInt(digits)),
  /** What it has replaced, the newest first. */
  previousStates: z.string().transform(readStamps).optional(),
  /** Of the body, in base64. */
  sha256: z.string().optional(),
  /** Whose state it is, where the key is a hash. */
  of: z.object({ pk: z.string(), sk: z.string() }).optional(),
  storageClass: z.string(),
  /** When the body was put, as ISO 8601. */
  putAt: z.string(),
  /** Until when a body in Glacier was asked to be readable, as ISO 8601. */
  readableUntil: z.string().optional(),
});

/** What S3 would keep with a body, and the whole key, which a hashed file name does not give away. */
export type ObjectMetadata = z.output<typeof metadataSchema>;

/**
 * What was said of the body with this ETag. Undefined where nothing readable was: then the body was not put by the
 * worker, or was changed by hand.
 */
export async function readMetadata(paths: ObjectPaths, etag: string): Promise<ObjectMetadata | undefined> {
  const text = await readIfThere(pathOf(paths, etag));
  if (text === undefined) return undefined;
  try {
    return metadataSchema.safeParse(JSON.parse(text.toString())).data;
  } catch {
    return undefined;
  }
}

/** Says this of the body with this ETag, whether it stands already or is about to. */
export async function writeMetadata(
  paths: ObjectPaths,
  etag: string,
  metadata: ObjectMetadata,
  by: string,
): Promise<void> {
  const { sequence, previousStates, ...others } = metadata;
  const stamps = stampsText(previousStates ?? [], maxStamps);
  const text = JSON.stringify({
    ...others,
    sequence: String(sequence),
    ...(stamps !== '' && { previousStates: stamps }),
  });
  await writeWhole(pathOf(paths, etag), `${text}\n`, by);
}

/** Says no more of that body, and leaves no empty folder. */
export async function removeMetadata(paths: ObjectPaths, etag: string): Promise<void> {
  await rm(pathOf(paths, etag), { force: true });
  await removeIfEmpty(paths.metadata);
}

function pathOf({ metadata }: ObjectPaths, etag: string): string {
  return join(metadata, `${etag}.json`);
}
