import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-notes.ts';
import { describeArchive, pageLimitUnderTest } from '../../../suites/archive.suite.ts';

/** A server that speaks S3, on this machine or another. */
export interface ServedS3 {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** The archive’s suites on a server that speaks S3, in new buckets. */
export function describeS3Archive(name: string, serve: () => Promise<ServedS3>): void {
  describe(`on ${name}`, () => {
    let served: ServedS3;

    beforeAll(async () => {
      served = await serve();
    });

    afterAll(() => served.stop());

    describeArchive('S3', async () => {
      const { client, bucket } = await newBucket(served.endpoint);
      return {
        archive: s3Archive({ client, bucket, storageClass: 'STANDARD' }),
        reader: s3ArchiveReader({ client, bucket, pageLimit: pageLimitUnderTest }),
        notes: s3Notes({ client, bucket }),
        // The closest change that is possible from outside: a body that another client put, without our checksum.
        damage: (objectKey) => putByHand(client, bucket, objectKey),
        // MiniStack’s RestoreObject ignores the requested version.
        retrievesVersions: false,
        close: async () => client.destroy(),
      };
    });

    test('returns the digest of an object in GLACIER, which cannot be read', async () => {
      const { client, bucket } = await newBucket(served.endpoint);
      const archive = s3Archive({ client, bucket, storageClass: 'GLACIER' });
      await archive.put('archive/a', { body: 'first', digest: 'd1' }, undefined);

      expect(await archive.head('archive/a')).toMatchObject({ digest: 'd1' });
      expect(await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'archive/a' }))).toMatchObject({
        StorageClass: 'GLACIER',
        ContentType: 'application/json',
      });
      await expect(
        client.send(new GetObjectCommand({ Bucket: bucket, Key: 'archive/a' })),
      ).rejects.toMatchObject({
        name: 'InvalidObjectState',
      });
      client.destroy();
    });

    test('refuses a body that does not match its checksum', async () => {
      const { client, bucket } = await newBucket(served.endpoint);
      const archive = s3Archive({ client: garbling(client), bucket });

      await expect(
        archive.put('archive/a', { body: 'first', digest: 'd1' }, undefined),
      ).rejects.toMatchObject({
        code: 'aws.garbled',
      });
      expect(await archive.head('archive/a')).toBeUndefined();
      client.destroy();
    });

    test('erases every version of an object, and the delete markers of manual deletions', async () => {
      const { client, bucket } = await newBucket(served.endpoint);
      const archive = s3Archive({ client, bucket });
      const key = 'archive/Order/a/b.json';
      await archive.put(key, { body: 'first', digest: 'd1', sequence: 1n }, undefined);
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      await archive.put(key, { body: 'second', digest: 'd2', sequence: 2n }, undefined);
      await archive.put(`${key}.3`, { body: 'last', digest: 'd3', sequence: 3n }, undefined);

      await archive.erase(key, 3n);

      const { Versions, DeleteMarkers } = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket }),
      );
      expect([Versions ?? [], DeleteMarkers ?? []]).toEqual([[], []]);
      client.destroy();
    });
  });
}

/** A client that changes a body on its way. */
export function garbling(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      if (typeof request === 'object' && request !== null && 'body' in request)
        request.body = String(request.body).replace(/[A-Za-z]/, '?');
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return client;
}

async function putByHand(client: S3Client, bucket: string, objectKey: string): Promise<void> {
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: objectKey, Body: 'by hand', ChecksumAlgorithm: 'CRC32' }),
  );
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
