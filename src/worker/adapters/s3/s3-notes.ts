import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ArchiveNotes } from '../../archive/ports.ts';
import { asked, awsCode, fromAws } from '../aws-errors.ts';
import type { S3ArchiveLocation } from './list-versions.ts';

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
