import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { S3ArchiveLocation } from '../../../../src/worker/adapters/s3/list-versions.ts';
import { s3Archive, s3Notes } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
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

    const inBucket = (work: (location: S3ArchiveLocation) => Promise<void>) => async () => {
      const location = await newBucket(served.endpoint);
      await work(location);
      location.client.destroy();
    };
    const state = { body: 'first', digest: 'd1' };

    test(
      'refuses a body that does not match its checksum',
      inBucket(async ({ client, bucket }) => {
        const archive = s3Archive({ client: garbling(client), bucket });

        await expect(archive.put('archive/a', state, undefined)).rejects.toMatchObject({
          code: 'aws.garbled',
        });
        expect(await archive.head('archive/a')).toBeUndefined();
      }),
    );

    test(
      'erases every version of an object, and the delete markers of manual deletions',
      inBucket(async (location) => {
        const { client, bucket: Bucket } = location;
        const archive = s3Archive(location);
        const Key = 'archive/Order/a/b.json';
        await archive.put(Key, { ...state, sequence: 1n }, undefined);
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
        await archive.put(Key, { body: 'second', digest: 'd2', sequence: 2n }, undefined);
        await archive.put(`${Key}.3`, { body: 'last', digest: 'd3', sequence: 3n }, undefined);

        await archive.erase(Key, 3n);

        const { Versions = [], DeleteMarkers = [] } = await client.send(
          new ListObjectVersionsCommand({ Bucket }),
        );
        expect([Versions, DeleteMarkers]).toEqual([[], []]);
      }),
    );
  });
}

/** A client that changes a body on its way. */
function garbling(client: S3Client): S3Client {
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

async function newBucket(endpoint: string): Promise<S3ArchiveLocation> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  const Bucket = `archive-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  await client.send(
    new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  return { client, bucket: Bucket };
}
