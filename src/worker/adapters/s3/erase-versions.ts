import { DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { DenormError, FatalError } from '../../../model/basics/errors.ts';
import { isUpTo } from '../../../model/items/change.ts';
import type { ArchivedVersion } from '../../archive/ports.ts';
import { asked, awsStatus, fromAws } from '../aws-errors.ts';
import { type S3ArchiveLocation, versionsPages } from './list-versions.ts';
import { readMetadata } from './object-metadata.ts';

/**
 * Erases the versions and last states of an object, oldest first, except those put for records later than `upTo`. Needs
 * `s3:ListBucketVersions` on the bucket, and `s3:GetObjectVersion` and `s3:DeleteObjectVersion` on its objects.
 * @throws FatalError `archive.not-erasable` if that is denied
 */
export async function eraseVersions(
  location: S3ArchiveLocation,
  objectKey: string,
  upTo: bigint,
): Promise<void> {
  // Other keys may start with the same prefix.
  const belongs = (one: ArchivedVersion) =>
    one.objectKey === objectKey || /^\.\d+$/.test(one.objectKey.slice(objectKey.length));
  const versions: ArchivedVersion[] = [];
  const markers: ArchivedVersion[] = [];
  const kept = new Set<string>();
  try {
    for await (const page of versionsPages(location, objectKey)) {
      versions.push(...page.versions.filter(belongs));
      markers.push(...page.deleteMarkers.filter(belongs));
    }
    for (const version of versions.reverse())
      if (!isUpTo(await sequenceOf(location, version), upTo)) kept.add(version.objectKey);
      else await erase(location, version);
    for (const marker of markers) if (!kept.has(marker.objectKey)) await erase(location, marker);
  } catch (error) {
    throw erasureRefused(error, location.bucket, objectKey);
  }
}

/** Of the record for which a version was put. The key of a last state has it too, without its second. */
async function sequenceOf(
  { client, bucket: Bucket }: S3ArchiveLocation,
  { objectKey: Key, versionId: VersionId }: ArchivedVersion,
): Promise<bigint> {
  try {
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key, VersionId }));
    return readMetadata(Metadata).sequence || BigInt(/\.json\.(\d+)$/.exec(Key)?.[1] ?? 0);
  } catch (error) {
    // Another process has already erased it.
    if (awsStatus(error) === 404) return 0n;
    throw fromAws(error, `HeadObject (s3:GetObjectVersion) of a version of s3://${Bucket}/${Key}`);
  }
}

async function erase(
  { client, bucket: Bucket }: S3ArchiveLocation,
  { objectKey: Key, versionId: VersionId }: ArchivedVersion,
): Promise<void> {
  await asked(`DeleteObject (s3:DeleteObjectVersion) of a version of s3://${Bucket}/${Key}`, () =>
    client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
  );
}

/** For a request that only an erasure makes: a denied one says how it is allowed. */
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
