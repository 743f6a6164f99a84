import { join } from 'node:path';
import * as z from 'zod';
import { readIfThere, writeWhole } from './archive-folder-files.ts';
import type { ObjectPaths } from './archive-folder-paths.ts';

const metadataSchema = z.object({
  key: z.string(),
  digest: z.string(),
  storageClass: z.string(),
  /** When the body was put, as ISO 8601. */
  putAt: z.string(),
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
  await writeWhole(pathOf(paths, etag), `${JSON.stringify(metadata)}\n`, by);
}

function pathOf({ metadata }: ObjectPaths, etag: string): string {
  return join(metadata, `${etag}.json`);
}
