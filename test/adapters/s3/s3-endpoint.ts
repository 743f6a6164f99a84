import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { s3Archive } from '../../../src/adapters/s3/s3-archive.ts';
import { Unworkable } from '../../../src/domain/errors.ts';
import { describeArchivePort } from '../../suites/archive-port.suite.ts';

const endpoint = process.env.DENORM_TEST_S3_ENDPOINT;

/** The archive's suite on a server that speaks S3, where `DENORM_TEST_S3_ENDPOINT` names one; a bucket is made there. */
export function describeS3Archive(): void {
  if (endpoint === undefined) return;

  describeArchivePort(`S3 at ${endpoint}`, async () => {
    const { client, bucket } = await newBucket(endpoint);
    return {
      archive: s3Archive({ client, bucket, storageClass: 'STANDARD' }),
      bodyOf: (objectKey) => bodyOf(client, bucket, objectKey),
      async replacedBodiesOf(objectKey) {
        const { Versions = [] } = await client.send(
          new ListObjectVersionsCommand({ Bucket: bucket, Prefix: objectKey }),
        );
        const replaced = Versions.filter(({ Key, IsLatest }) => Key === objectKey && IsLatest !== true);
        const bodies = replaced.map(({ VersionId }) => bodyOf(client, bucket, objectKey, VersionId));
        // S3 lists the newest first.
        return (await Promise.all(bodies)).map((body) => body ?? '').reverse();
      },
      close: async () => client.destroy(),
    };
  });

  describe(`s3Archive at ${endpoint}`, () => {
    test('tells the digest of an object in GLACIER, which cannot be read', async () => {
      const { client, bucket } = await newBucket(endpoint);
      const archive = s3Archive({ client, bucket });
      await archive.put('archive/a', { body: 'first', digest: 'd1' }, undefined);

      expect(await archive.head('archive/a')).toMatchObject({ digest: 'd1' });
      expect(await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'archive/a' }))).toMatchObject({
        StorageClass: 'GLACIER',
        ContentType: 'application/json',
      });
      await expect(bodyOf(client, bucket, 'archive/a')).rejects.toMatchObject({ name: 'InvalidObjectState' });
      client.destroy();
    });

    test('is unworkable for a put into a bucket that is not there', async () => {
      const client = s3(endpoint);
      const archive = s3Archive({ client, bucket: `none-${randomUUID()}` });

      await expect(archive.put('archive/a', { body: 'first', digest: 'd1' }, '"seen"')).rejects.toThrow(
        Unworkable,
      );
      client.destroy();
    });
  });
}

async function newBucket(at: string): Promise<{ client: S3Client; bucket: string }> {
  const client = s3(at);
  const bucket = `archive-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await client.send(
    new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  return { client, bucket };
}

function s3(at: string): S3Client {
  return new S3Client({
    endpoint: at,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  });
}

async function bodyOf(
  client: S3Client,
  bucket: string,
  objectKey: string,
  version?: string,
): Promise<string | undefined> {
  const { Body } = await client.send(
    new GetObjectCommand({
      Bucket: bucket,
      Key: objectKey,
      ...(version !== undefined && { VersionId: version }),
    }),
  );
  return Body?.transformToString();
}
