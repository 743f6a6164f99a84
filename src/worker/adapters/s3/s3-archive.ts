import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type StorageClass } from '@aws-sdk/client-s3';
import { type DenormError, FatalError } from '../../../model/basics/errors.ts';
import { defaultStorageClass } from '../../../model/rules/archive-rule.ts';
import { isHashed } from '../../archive/object.ts';
import type { ArchiveHead, ArchiveNotes, ArchivePort } from '../../archive/ports.ts';
import { asked, awsCode, awsStatus, fromAws } from '../aws-errors.ts';
import { eraseVersions, erasureRefused } from './erase-versions.ts';
import type { S3ArchiveLocation } from './list-versions.ts';
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
        throw refused(fromAws(error, what), bucket, objectKey);
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
        throw refused(fromAws(error, `PutObject of s3://${bucket}/${objectKey}`), bucket, objectKey);
      }
    },
    erase: (objectKey, upTo) => eraseVersions({ client, bucket }, objectKey, upTo),
  };
}

/** Only erasing rules read and put notes. */
function refused(error: DenormError, bucket: string, objectKey: string): unknown {
  return objectKey.startsWith('erased/') ? erasureRefused(error, bucket, objectKey) : error;
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
      await asked(`PutObject of s3://${Bucket}/${Key}`, () => client.send(command));
    },
  };
}
