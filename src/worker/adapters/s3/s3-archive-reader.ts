import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  RestoreObjectCommand,
} from '@aws-sdk/client-s3';
import { DenormError } from '../../../model/basics/errors.ts';
import { damaged } from '../../archive/object.ts';
import type { ArchiveDetails, ArchiveReader, Retrieval } from '../../archive/ports.ts';
import { awsCode, awsStatus, fromAws } from '../aws-errors.ts';
import { type S3ArchiveLocation, versionsPage } from './list-versions.ts';
import { readMetadata } from './object-metadata.ts';

/**
 * Needs `s3:ListBucketVersions`, `s3:ListBucket`, `s3:GetObject`, `s3:GetObjectVersion`, and to retrieve `s3:RestoreObject`.
 */
export function s3ArchiveReader({ client, bucket: Bucket, pageLimit }: S3ReaderOptions): ArchiveReader {
  return {
    list: (prefix, from) => versionsPage({ client, bucket: Bucket }, prefix, { from, limit: pageLimit }),
    async details(Key, VersionId) {
      const what = `HeadObject (s3:GetObject, s3:GetObjectVersion, s3:ListBucket) of s3://${Bucket}/${Key}`;
      try {
        return detailsOf(await client.send(new HeadObjectCommand({ Bucket, Key, VersionId })));
      } catch (error) {
        // 405: that version is a delete marker.
        if (awsStatus(error) === 404 || awsStatus(error) === 405) return undefined;
        throw fromAws(error, what);
      }
    },
    async read(Key, VersionId) {
      const what = `s3://${Bucket}/${Key}`;
      try {
        const { Body, ChecksumSHA256 } = await client.send(
          new GetObjectCommand({ Bucket, Key, VersionId, ChecksumMode: 'ENABLED' }),
        );
        const body = (await Body?.transformToByteArray()) ?? new Uint8Array();
        // The SDK compares checksums only if the response contains one for the whole object.
        const sha256 = createHash('sha256').update(body).digest('base64');
        if (ChecksumSHA256 === undefined)
          throw damaged(what, 'S3 holds no SHA-256 of it: another put it there');
        if (ChecksumSHA256 !== sha256) throw damaged(what, otherChecksum);
        return body;
      } catch (error) {
        throw unreadable(error, what);
      }
    },
    async retrieve(Key, VersionId, days, tier) {
      const location = { Bucket, Key, VersionId };
      try {
        const { StorageClass } = await client.send(new HeadObjectCommand(location));
        // Objects in this class's archive tiers are restored permanently, so S3 accepts no `Days`.
        const lent = StorageClass === 'INTELLIGENT_TIERING' ? {} : { Days: days };
        await client.send(
          new RestoreObjectCommand({
            ...location,
            RestoreRequest: { ...lent, GlacierJobParameters: { Tier: tier } },
          }),
        );
      } catch (error) {
        // It is being retrieved already, or needs no retrieval.
        if (needsNoRetrieval.includes(awsCode(error))) return;
        throw fromAws(error, `RestoreObject (s3:RestoreObject) of s3://${Bucket}/${Key}`);
      }
    },
  };
}

/** Source: AWS, "RestoreObject", errors. The last one is for classes without retrieval. */
const needsNoRetrieval = [
  'RestoreAlreadyInProgress',
  'ObjectAlreadyInActiveTierError',
  'InvalidObjectState',
] as readonly string[];

export interface S3ReaderOptions extends S3ArchiveLocation {
  /** 1 to 1,000. Default: 1,000. */
  readonly pageLimit?: number;
}

function detailsOf(head: HeadObjectCommandOutput): ArchiveDetails {
  return {
    etag: head.ETag ?? '',
    ...readMetadata(head.Metadata),
    storageClass: head.StorageClass ?? 'STANDARD',
    retrieval: retrievalOf(head),
  };
}

/** Source: AWS, "HeadObject", `x-amz-restore` and `x-amz-archive-status`. */
function retrievalOf({
  StorageClass = 'STANDARD',
  ArchiveStatus,
  Restore,
}: HeadObjectCommandOutput): Retrieval {
  if (Restore?.includes('ongoing-request="true"')) return 'under-way';
  if (Restore?.includes('ongoing-request="false"')) return 'readable';
  return ArchiveStatus !== undefined || ['GLACIER', 'DEEP_ARCHIVE'].includes(StorageClass)
    ? 'needed'
    : 'none';
}

const otherChecksum = 'its SHA-256 is another';

function unreadable(error: unknown, what: string): DenormError {
  if (awsCode(error) === 'InvalidObjectState')
    return new DenormError(
      'archive.not-retrieved',
      `${what} is in Glacier and cannot be read yet: ask for its retrieval, then read it`,
      { cause: error },
    );
  if (awsCode(error) === 'NoSuchKey' || awsCode(error) === 'NoSuchVersion')
    return new DenormError('archive.missing', `Expected ${what} in the archive, found no object`, {
      cause: error,
    });
  // The SDK has no name for this error.
  if (error instanceof Error && error.message.startsWith('Checksum mismatch'))
    return damaged(what, otherChecksum, error);
  return fromAws(error, `GetObject (s3:GetObject, s3:GetObjectVersion) of ${what}`);
}
