import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ArchiveNotes } from '../../archive/ports.ts';
import { awsCode, fromAws } from '../aws-errors.ts';
import type { S3ArchiveLocation } from './s3-archive-reader.ts';

/**
 * Notes in the archive's bucket, with storage class STANDARD. Needs `s3:GetObject`, `s3:PutObject` and
 * `s3:ListBucket`.
 */
export function s3Notes({ client, bucket }: S3ArchiveLocation): ArchiveNotes {
  return {
    async read(noteKey) {
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: noteKey, ChecksumMode: 'ENABLED' }),
        );
        return await Body?.transformToString();
      } catch (error) {
        if (awsCode(error) === 'NoSuchKey') return undefined;
        throw fromAws(error, `GetObject (s3:GetObject, s3:ListBucket) of s3://${bucket}/${noteKey}`);
      }
    },
    async write(noteKey, text) {
      try {
        await client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: noteKey,
            Body: text,
            ContentType: 'application/json',
            ChecksumAlgorithm: 'SHA256',
            StorageClass: 'STANDARD',
          }),
        );
      } catch (error) {
        throw fromAws(error, `PutObject of s3://${bucket}/${noteKey}`);
      }
    },
  };
}
