import {
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3';
import { objectKeyOf } from '../../src/worker/archive/object.ts';
import type { Key } from './application.ts';
import type { Clients, Stack } from './stack.ts';

/** The object that an item of this kind has in the archive. */
export function archiveKey(kind: string, { PK, SK }: Key): string {
  return objectKeyOf(kind, { pk: PK, sk: SK });
}

/** What stands under a key of the archive, unread; undefined where nothing does. */
export async function objectAt(
  { s3 }: Clients,
  stack: Stack,
  objectKey: string,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    return await s3.send(new HeadObjectCommand({ Bucket: stack.archiveBucket, Key: objectKey }));
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFound') return undefined;
    throw error;
  }
}

/** The digests of all versions of an object, in any order. */
export async function digestsAt({ s3 }: Clients, stack: Stack, objectKey: string): Promise<string[]> {
  const Bucket = stack.archiveBucket;
  const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: objectKey }));
  const digests: string[] = [];
  for (const { Key, VersionId } of Versions.filter((version) => version.Key === objectKey)) {
    const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key, VersionId }));
    digests.push(Metadata?.['digest'] ?? '');
  }
  return digests;
}

/** Has every sweep begin anew. */
export async function forgetLocations({ s3 }: Clients, stack: Stack): Promise<void> {
  const Bucket = stack.archiveBucket;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'state/' }));
  for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
}
