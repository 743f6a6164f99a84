import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { TransientError } from '../../../../src/model/errors.ts';
import { statesOfObject } from '../../../../src/operate/archive/object-states.ts';
import { versionsPages } from '../../../../src/worker/adapters/s3/list-versions.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { collected } from '../../../fixtures/cruises/cruise-archive.ts';
import { loopbackServer } from '../../../suites/loopback-server.ts';

const bucket = 'archive-bucket';
const key = 'archive/Order/1/a.json';
const version = `<Version><Key>${key}</Key><VersionId>v1</VersionId></Version>`;
const marker = `<DeleteMarker><Key>${key}</Key><VersionId>v2</VersionId></DeleteMarker>`;
const more = `<IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextVersionIdMarker>v2</NextVersionIdMarker>`;

/** An S3 with these pages of a list: the first, and the last one for a request with a key marker. */
async function listing(first: string, last = version): Promise<S3Client> {
  const server = await loopbackServer(({ path }) => {
    const page = new URL(path, 'http://s3').searchParams.has('key-marker') ? last : first;
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<ListVersionsResult>${page}</ListVersionsResult>`,
    };
  });
  const client = new S3Client({
    ...loopbackClientSettings(server.endpoint),
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  return client;
}

describe('a list of versions', () => {
  test.each([
    ['nothing', ''],
    ['only a delete marker', marker],
  ])('continues past a page of %s that is not the last', async (_, page) => {
    const client = await listing(`${more}${page}`);

    const pages = await collected(versionsPages(client, bucket, key));
    const states = await statesOfObject(
      s3ArchiveReader({ client, bucket }),
      'Order',
      { pk: '1', sk: 'a' },
      key,
    );

    expect(pages.flatMap(({ versions }) => versions)).toMatchObject([{ key, version: 'v1' }]);
    expect(states).toMatchObject([{ objectKey: key, versionId: 'v1' }]);
  });

  test('throws a TransientError if a page is truncated without a marker', async () => {
    const client = await listing('<IsTruncated>true</IsTruncated>');

    await expect(collected(versionsPages(client, bucket, key))).rejects.toThrow(TransientError);
  });
});
