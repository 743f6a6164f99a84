import { HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { objectKeyOf } from '../../src/domain/archive-object.ts';
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
