import { expect, onTestFinished, test } from 'vitest';
import { loopbackServer } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { anOrder } from './archive-fixture.ts';
import { slowGlacier } from './slow-glacier.ts';

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
  const server = await loopbackServer(() => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
  }));
  onTestFinished(() => server.close());

  const listed = await run(['archive', 'list', '--bucket', 'b', '--endpoint', server.endpoint], newFolder());

  expect(listed.code).toBe(exit);
  expect(listed.stderr).toContain(what);
  expect(listed.stderr).toContain(how);
});
