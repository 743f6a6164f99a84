import { expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { type Item, keyOf } from '../../../src/model/items/item.ts';
import type { StorageClass } from '../../../src/model/rules/archive-rule.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { table } from '../../../src/table.ts';
import { s3Archive } from '../../../src/worker/adapters/s3/s3-archive.ts';
import { bodyOf, digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { s3Answers } from '../../worker/adapters/s3/stub-s3.ts';
import { run } from '../denorm.ts';
import { anOrder } from './archive-fixture.ts';

const key = '{"PK":"ORDER#1","SK":"METADATA"}';

test('an item in Glacier is requested, and is shown when the same command runs again later', async () => {
  const glacier = await slowGlacier(anOrder('1'), 'DEEP_ARCHIVE');
  const show = ['archive', 'show', key, '--bucket', 'b', '--endpoint', glacier.endpoint];

  const first = await run([...show, '--tier', 'Bulk', '--days', '3'], newFolder());
  expect(first).toMatchObject({ code: 1, stdout: '' });
  expect(first.stderr).toContain(
    'The object was requested now, from DEEP_ARCHIVE by the tier Bulk, readable for 3 days then; docs/archive.md#glacier says',
  );
  expect(glacier.retrievals).toHaveLength(1);
  expect(glacier.retrievals[0]).toMatch(/<Days>3<\/Days>.*<Tier>Bulk<\/Tier>/);
  const second = await run(show, newFolder());
  expect(second.stderr).toContain('The object was requested before, from DEEP_ARCHIVE');
  glacier.thaw();
  const third = await run(show, newFolder());
  expect(third.code).toBe(0);
  expect(JSON.parse(third.stdout)).toMatchObject({ PK: { S: 'ORDER#1' } });
  expect(glacier.retrievals).toHaveLength(1);
});

test.each([
  [403, 'AccessDenied', 'ListObjectVersions (s3:ListBucketVersions) of s3://b/manifests/', 'was denied', 1],
  [404, 'NoSuchBucket', 'ListObjectVersions (s3:ListBucketVersions) of s3://b/manifests/', 'is not there', 2],
])('a bucket that answers %i %s is reported in one sentence', async (status, code, what, how, exit) => {
  const server = await serverOfTest(() => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
  }));

  const listed = await run(['archive', 'list', '--bucket', 'b', '--endpoint', server.endpoint], newFolder());

  expect(listed.code).toBe(exit);
  expect(listed.stderr).toContain(what);
  expect(listed.stderr).toContain(how);
});

interface SlowGlacier {
  readonly endpoint: string;
  /** The requests for a retrieval, as S3 receives them. */
  readonly retrievals: readonly string[];
  /** Makes a requested object readable. */
  thaw(): void;
}

/** The stub of S3 with an order in the bucket `b`, which it does not lend at once. */
async function slowGlacier(item: Item, storageClass: StorageClass): Promise<SlowGlacier> {
  const s3 = s3Answers();
  const retrievals: string[] = [];
  let isFrozen = true;
  const server = await serverOfTest((request) => {
    if (request.method === 'POST') retrievals.push(request.body.toString());
    const answer = s3.answer(request);
    if (!isFrozen || answer.headers?.['x-amz-restore'] === undefined) return answer;
    if (request.method === 'HEAD')
      return { ...answer, headers: { ...answer.headers, 'x-amz-restore': 'ongoing-request="true"' } };
    return { status: 403, body: '<Error><Code>InvalidObjectState</Code></Error>' };
  });
  const { s3: client, close } = connect(loopbackClientSettings(server.endpoint));
  const key = objectKeyOf('Order', keyOf(table, item) ?? { pk: '', sk: '' });
  const object = { body: bodyOf(item, new Uint8Array(8)), digest: digestOf(item) };
  await s3Archive({ client, bucket: 'b', storageClass }).put(key, object, undefined);
  onTestFinished(close);
  return {
    ...{ endpoint: server.endpoint, retrievals },
    thaw() {
      isFrozen = false;
    },
  };
}
