import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';

/** A client of a server on this machine that takes any credentials. */
export function s3At(endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  });
}

/** A new versioned bucket. */
export async function newBucket(client: S3Client): Promise<string> {
  const Bucket = `archive-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  await client.send(
    new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  return Bucket;
}
