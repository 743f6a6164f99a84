import { describe, expect, onTestFinished, test } from 'vitest';
import { loopbackServer } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, start, until } from '../denorm.ts';
import { anOrder } from './archive-fixture.ts';
import { slowGlacier } from './slow-glacier.ts';

const key = '{"PK":"ORDER#1","SK":"METADATA"}';

describe('an item in Glacier', () => {
  test('is requested, with the expected time, and is shown when the same command runs again later', async () => {
    const glacier = await slowGlacier(anOrder('1'), 'DEEP_ARCHIVE');
    const show = ['archive', 'show', key, '--bucket', 'b', '--endpoint', glacier.endpoint];

    const first = await run([...show, '--tier', 'Bulk', '--days', '3'], newFolder());
    expect(first).toMatchObject({ code: 1, stdout: '' });
    expect(first.stderr).toContain(
      'The object is in DEEP_ARCHIVE and was requested now: it will be readable in up to 48 hours, for 3 days. Run the same command again then, or add --wait',
    );
    expect(glacier.retrievals).toHaveLength(1);
    expect(glacier.retrievals[0]).toMatch(/<Days>3<\/Days>.*<Tier>Bulk<\/Tier>/);
    const second = await run(show, newFolder());
    expect(second.stderr).toContain(
      'The object is in DEEP_ARCHIVE and was requested before: it will be readable within',
    );
    glacier.thawAfter(0);
    const third = await run(show, newFolder());
    expect(third.code).toBe(0);
    expect(JSON.parse(third.stdout)).toMatchObject({ PK: 'ORDER#1' });
    expect(glacier.retrievals).toHaveLength(1);
  });

  test('is waited for with --wait, and then shown', async () => {
    const glacier = await slowGlacier(anOrder('1'), 'GLACIER');
    glacier.thawAfter(2);
    const shown = await run(
      ['archive', 'show', key, '--bucket', 'b', '--endpoint', glacier.endpoint, '--wait'],
      newFolder(),
    );

    expect(shown.stderr).toContain('The object is in GLACIER and was requested: waiting about 3 to 5 hours');
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({ PK: 'ORDER#1' });
  });

  test('is no longer waited for after Ctrl-C', async () => {
    const glacier = await slowGlacier(anOrder('1'), 'GLACIER');
    const show = start(
      ['archive', 'show', key, '--bucket', 'b', '--endpoint', glacier.endpoint, '--wait'],
      newFolder(),
    );
    await until(() => show.stderr().includes('waiting about 3 to 5 hours'), 'it waits');
    show.process.kill('SIGINT');

    expect(await show.exited).toBe(1);
    expect(show.stdout()).toBe('');
  });

  test('is not expedited out of DEEP_ARCHIVE', async () => {
    const glacier = await slowGlacier(anOrder('1'), 'DEEP_ARCHIVE');
    const shown = await run(
      ['archive', 'show', key, '--bucket', 'b', '--endpoint', glacier.endpoint, '--tier', 'Expedited'],
      newFolder(),
    );

    expect(shown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('which has no expedited retrieval: use --tier Standard or --tier Bulk'),
    });
    expect(glacier.retrievals).toEqual([]);
  });
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
