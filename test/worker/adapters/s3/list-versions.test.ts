import { expect, test } from 'vitest';
import { objectStates } from '../../../../src/operate/archive/listed-states.ts';
import { versionsPages } from '../../../../src/worker/adapters/s3/list-versions.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { table } from '../../../fixtures/model/table.ts';
import { collected } from '../../../fixtures/world/archive.ts';
import { archiveOnStub } from './stub-s3.ts';

const key = 'archive/Order/1/a.json';
const last = `<Version><Key>${key}</Key><VersionId>v1</VersionId></Version>`;
const marker = `<DeleteMarker><Key>${key}</Key><VersionId>v2</VersionId></DeleteMarker>`;
const more = `<IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextVersionIdMarker>v2</NextVersionIdMarker>`;

/** An S3 with these pages of a list. */
async function listing(...pages: string[]) {
  const { s3, location } = await archiveOnStub();
  s3.answerNext(...pages.map((page) => ({ page: `<ListVersionsResult>${page}</ListVersionsResult>` })));
  return location;
}

test.each([
  ['nothing', ''],
  ['only a delete marker', marker],
])('a list of versions continues past a page of %s that is not the last', async (_, page) => {
  const pages = await collected(versionsPages(await listing(`${more}${page}`, last), key));
  expect(pages.flatMap(({ versions }) => versions)).toMatchObject([{ objectKey: key, versionId: 'v1' }]);

  const reader = s3ArchiveReader(await listing(`${more}${page}`, last));
  expect(await collected(objectStates(reader, table, { kinds: ['Order'] }))).toMatchObject([
    { versionId: 'v1' },
  ]);
});

test('a list of versions throws if a page is truncated without a marker', async () => {
  const location = await listing('<IsTruncated>true</IsTruncated>');

  await expect(collected(versionsPages(location, key))).rejects.toMatchObject({
    name: 'TransientError',
  });
});
