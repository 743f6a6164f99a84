import { DeleteObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { DenormError, FatalError } from '../../../model/errors.ts';
import { awsStatus, fromAws } from '../aws-errors.ts';
import { type ListedVersion, versionsPages } from './list-versions.ts';
import { readMetadata } from './object-metadata.ts';

/**
 * Erases the versions and last states of an object, except those put for records later than `upTo`. Erases
 * the oldest first, so that the current version goes last. A delete marker is removed together with the last
 * version below it. Needs `s3:ListBucketVersions` on the bucket, and `s3:GetObjectVersion` and
 * `s3:DeleteObjectVersion` on its objects.
 * @throws FatalError `archive.not-erasable` if that is denied
 */
export async function eraseVersions(
  client: S3Client,
  bucket: string,
  objectKey: string,
  upTo: bigint,
): Promise<void> {
  try {
    for (const { versions, deleteMarkers } of await entriesByKey(client, bucket, objectKey)) {
      let left = versions.length;
      for (const version of [...versions].reverse()) {
        if ((await sequenceOf(client, bucket, objectKey, version)) > upTo) continue;
        await erase(client, bucket, version);
        left -= 1;
      }
      if (left > 0) continue;
      for (const marker of deleteMarkers) await erase(client, bucket, marker);
    }
  } catch (error) {
    throw erasureRefused(error, bucket, objectKey);
  }
}

interface Entries {
  readonly versions: ListedVersion[];
  readonly deleteMarkers: ListedVersion[];
}

/** The versions of the object and of its last states. Other keys may start with the same prefix. */
async function entriesByKey(client: S3Client, bucket: string, objectKey: string): Promise<Iterable<Entries>> {
  const byKey = new Map<string, Entries>();
  function entriesOf(key: string): Entries {
    const entries = byKey.get(key) ?? { versions: [], deleteMarkers: [] };
    byKey.set(key, entries);
    return entries;
  }
  function belongs({ key }: ListedVersion): boolean {
    return key === objectKey || /^\.\d+$/.test(key.slice(objectKey.length));
  }
  for await (const page of versionsPages(client, bucket, objectKey)) {
    for (const version of page.versions.filter(belongs)) entriesOf(version.key).versions.push(version);
    for (const marker of page.deleteMarkers.filter(belongs)) entriesOf(marker.key).deleteMarkers.push(marker);
  }
  return byKey.values();
}

/**
 * The record for which a version was put. The key of a last state contains it; for other versions, S3 is
 * asked.
 */
async function sequenceOf(
  client: S3Client,
  bucket: string,
  objectKey: string,
  { key, version }: ListedVersion,
): Promise<bigint> {
  if (key !== objectKey) return BigInt(key.slice(objectKey.length + 1));
  try {
    const { Metadata } = await client.send(
      new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: version }),
    );
    return readMetadata(Metadata).sequence;
  } catch (error) {
    // Another process has already erased it.
    if (awsStatus(error) === 404) return 0n;
    throw fromAws(error, `HeadObject (s3:GetObjectVersion) of a version of s3://${bucket}/${key}`);
  }
}

async function erase(client: S3Client, bucket: string, { key, version }: ListedVersion): Promise<void> {
  try {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version }));
  } catch (error) {
    throw fromAws(error, `DeleteObject (s3:DeleteObjectVersion) of a version of s3://${bucket}/${key}`);
  }
}

/**
 * Converts the error of a request that only an erasure makes: if it was denied, a `FatalError`
 * `archive.not-erasable` that says how it is allowed.
 */
export function erasureRefused(error: unknown, bucket: string, objectKey: string): unknown {
  if (!(error instanceof DenormError) || error.code !== 'aws.denied') return error;
  return new FatalError(
    'archive.not-erasable',
    `Expected to be allowed to erase versions, and was denied it at s3://${bucket}/${objectKey}: set the parameter ` +
      'ArchiveErase to true, which allows s3:ListBucketVersions, s3:GetObjectVersion and s3:DeleteObjectVersion, and ' +
      'notes below erased/, or give the rule another onDelete; an object lock on the bucket denies it as well',
    { cause: error },
  );
}
