import { HeadObjectCommand, PutObjectCommand, type S3Client, type StorageClass } from '@aws-sdk/client-s3';
import { Unworkable } from '../../domain/errors.ts';
import type { ArchiveHead, ArchivePort } from '../../execution/ports.ts';
import { awsCode, awsStatus, fromAws } from '../aws-errors.ts';

export interface S3ArchiveOptions {
  readonly client: S3Client;
  /** A versioned bucket: what a put replaces stays as a version. */
  readonly bucket: string;
  /** Default: `GLACIER`. */
  readonly storageClass?: StorageClass;
}

/**
 * The archive in a bucket. Each put carries its condition and the SHA-256 of its body, which S3 checks, and keeps the
 * item's digest as metadata, which HeadObject answers whatever the storage class. A put whose answer was lost on the way,
 * and which the SDK tried again, loses to itself: the head tells that what stands there is the same.
 *
 * Needs `s3:PutObject`, `s3:GetObject` and, on the bucket, `s3:ListBucket`: without the last one S3 answers 403 for an
 * object that is not there. A 403 is `Unworkable`, never taken for "nothing stands there".
 */
export function s3Archive({ client, bucket, storageClass = 'GLACIER' }: S3ArchiveOptions): ArchivePort {
  return {
    async head(objectKey): Promise<ArchiveHead | undefined> {
      const what = `HeadObject (s3:GetObject, s3:ListBucket) of s3://${bucket}/${objectKey}`;
      try {
        const { ETag, Metadata } = await client.send(
          new HeadObjectCommand({ Bucket: bucket, Key: objectKey }),
        );
        if (ETag === undefined)
          throw new Unworkable('archive.no-etag', `${what} answered no ETag: is that S3?`);
        return { etag: ETag, digest: Metadata?.digest };
      } catch (error) {
        // The answer to HEAD has no body: a bucket that is not there looks the same, and is told by the put.
        if (awsStatus(error) === 404) return undefined;
        throw fromAws(error, what);
      }
    },
    async put(objectKey, { body, digest }, replaces) {
      try {
        await client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: objectKey,
            Body: body,
            ContentType: 'application/json',
            ChecksumAlgorithm: 'SHA256',
            StorageClass: storageClass,
            Metadata: { digest },
            ...(replaces === undefined ? { IfNoneMatch: '*' } : { IfMatch: replaces }),
          }),
        );
        return true;
      } catch (error) {
        if (isLost(error)) return false;
        throw fromAws(error, `PutObject of s3://${bucket}/${objectKey}`);
      }
    },
  };
}

/**
 * Whether the put's condition was lost: 412, 409 where another put was under way at the same moment, 404 where the object
 * was deleted at that moment. Source: AWS, "Conditional writes", conditional write behavior.
 */
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
