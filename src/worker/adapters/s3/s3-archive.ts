import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type StorageClass,
} from '@aws-sdk/client-s3';
import { DenormError, FatalError, TransientError } from '../../../model/basics/errors.ts';
import { isUpTo } from '../../../model/items/change.ts';
import { defaultStorageClass } from '../../../model/rules/archive-rule.ts';
import { isHashed } from '../../archive/object.ts';
import type { ArchivedVersion, ArchiveHead, ArchiveNotes, ArchivePort } from '../../archive/ports.ts';
import type { ClockPort } from '../../ports.ts';
import { retry } from '../../retry.ts';
import { awsCall, awsCode, awsStatus, fromAws } from '../aws-errors.ts';
import { systemClock } from '../system-clock.ts';
import { type S3ArchiveLocation, versionsPages } from './list-versions.ts';
import { metadataOf, readMetadata } from './object-metadata.ts';

/** In a versioned bucket. */
export interface S3ArchiveOptions extends S3ArchiveLocation {
  /** For objects without their own. Default: `STANDARD`. */
  readonly storageClass?: StorageClass;
}

/**
 * Each put has a condition and the SHA-256 of its body. The digest of the item is metadata, which HeadObject returns in every
 * storage class. Needs `s3:PutObject`, `s3:GetObject` and, on the bucket, `s3:ListBucket`: without it, S3 answers 403 for a
 * missing object, which is a `FatalError`, never "no object". To erase, see {@link eraseVersions}.
 */
export function s3Archive({
  client,
  bucket,
  storageClass = defaultStorageClass,
}: S3ArchiveOptions): ArchivePort {
  return {
    async head(objectKey): Promise<ArchiveHead | undefined> {
      const what = `HeadObject (s3:GetObject, s3:ListBucket) of s3://${bucket}/${objectKey}`;
      try {
        const { ETag, Metadata } = await client.send(
          new HeadObjectCommand({ Bucket: bucket, Key: objectKey }),
        );
        if (ETag === undefined)
          throw new FatalError('archive.no-etag', `${what} answered no ETag: is that S3?`);
        const { digest, sequence } = readMetadata(Metadata);
        return { etag: ETag, digest, sequence };
      } catch (error) {
        // HEAD returns no error details, so a missing bucket looks the same. The put reports it.
        if (awsStatus(error) === 404) return undefined;
        throw archiveError(fromAws(error, what), bucket, objectKey);
      }
    },
    async put(objectKey, object, replaces) {
      const { body, digest, sequence = 0n, of } = object;
      try {
        await client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: objectKey,
            Body: body,
            ContentType: typeof body === 'string' ? 'application/json' : 'application/gzip',
            ChecksumAlgorithm: 'SHA256',
            StorageClass: object.storageClass ?? storageClass,
            Metadata: metadataOf(digest, sequence, isHashed(objectKey) ? of : undefined),
            ...(replaces === undefined ? { IfNoneMatch: '*' } : { IfMatch: replaces }),
          }),
        );
        return true;
      } catch (error) {
        if (isLost(error)) return false;
        throw archiveError(fromAws(error, `PutObject of s3://${bucket}/${objectKey}`), bucket, objectKey);
      }
    },
    erase: (objectKey, upTo) => eraseVersions({ client, bucket }, objectKey, upTo),
  };
}

/** Only erasing rules read and put notes. */
function archiveError(error: DenormError, bucket: string, objectKey: string): unknown {
  return objectKey.startsWith('erased/') ? erasureError(error, bucket, objectKey) : error;
}

/** 412; 409 if another put ran at the same time; 404 if the object was deleted then. Source: AWS, "Conditional writes". */
function isLost(error: unknown): boolean {
  const code = awsCode(error);
  switch (awsStatus(error)) {
    case 412:
      return true;
    case 409:
      return code === 'ConditionalRequestConflict';
    case 404:
      return code === 'NoSuchKey';
    default:
      return false;
  }
}

/** Needs `s3:GetObject`, `s3:PutObject` and `s3:ListBucket`. */
export function s3Notes({ client, bucket: Bucket }: S3ArchiveLocation): ArchiveNotes {
  return {
    async read(Key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
        return await Body?.transformToString();
      } catch (error) {
        if (awsCode(error) === 'NoSuchKey') return undefined;
        throw fromAws(error, `GetObject (s3:GetObject, s3:ListBucket) of s3://${Bucket}/${Key}`);
      }
    },
    async write(Key, Body) {
      const stored = { ContentType: 'application/json', StorageClass: 'STANDARD' } as const;
      const command = new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm: 'SHA256', ...stored });
      await awsCall(`PutObject of s3://${Bucket}/${Key}`, () => client.send(command));
    },
  };
}

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
    throw erasureError(error, location.bucket, objectKey);
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
  await awsCall(`DeleteObject (s3:DeleteObjectVersion) of a version of s3://${Bucket}/${Key}`, () =>
    client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
  );
}

/** For a request that only an erasure makes: a denied one says how it is allowed. */
function erasureError(error: unknown, bucket: string, objectKey: string): unknown {
  if (!(error instanceof DenormError) || error.code !== 'aws.denied') return error;
  return new FatalError(
    'archive.not-erasable',
    `Expected to be allowed to erase versions, and was denied it at s3://${bucket}/${objectKey}: set the parameter ` +
      'ArchiveErase to true, which allows s3:ListBucketVersions, s3:GetObjectVersion and s3:DeleteObjectVersion, and ' +
      'notes below erased/, or give the rule another onDelete; an object lock on the bucket denies it as well',
    { cause: error },
  );
}

const backOff = { attempts: 5, firstDelayMs: 200, maxDelayMs: 2_000 };
const maxMs = 5_000;

/**
 * The SDK's own retries draw on one quota for all requests, and one that ends in 404 or 412, as is common here, returns nothing
 * to it. With a fifth of the requests failing, one in ten was given up after its first attempt.
 */
export function retryingArchive(
  archive: ArchivePort,
  { clock = systemClock, signal }: { readonly clock?: ClockPort; readonly signal?: AbortSignal } = {},
): ArchivePort {
  function retried<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const end = clock.now() + maxMs;
    // If nothing listens, the SDK has already retried for a second.
    const isRetried = (error: unknown) =>
      error instanceof TransientError && error.code !== 'aws.unreachable' && clock.now() < end;
    return retry({ clock, ...backOff, signal, isRetried }, work);
  }
  return {
    head: (objectKey) => retried(() => archive.head(objectKey)),
    put: (objectKey, object, replaces) => retried(() => archive.put(objectKey, object, replaces)),
    erase: (objectKey, upTo) => retried(() => archive.erase(objectKey, upTo)),
  };
}
