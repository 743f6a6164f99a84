import { ModelArchive } from '../../src/develop/testing/table-model/model-archive.ts';
import { modelArchiveReader } from '../../src/develop/testing/table-model/model-archive-reader.ts';
import { ModelNotes } from '../../src/develop/testing/table-model/model-notes.ts';
import { describeArchivePort } from '../suites/archive-port.suite.ts';
import { describeArchiveReader, pageLimitUnderTest } from '../suites/archive-reader.suite.ts';

describeArchivePort('A bucket in memory', async () => {
  const archive = new ModelArchive();
  return {
    archive,
    bodyOf: async (objectKey) => archive.current(objectKey)?.body,
    replacedBodiesOf: async (objectKey) =>
      archive
        .versions(objectKey)
        .slice(0, -1)
        .map(({ body }) => body),
    close: async () => {},
  };
});

describeArchiveReader('A bucket in memory', async () => {
  const archive = new ModelArchive(Date.now);
  return {
    archive,
    reader: modelArchiveReader(archive, pageLimitUnderTest),
    notes: new ModelNotes(),
    retrievesVersions: true,
    close: async () => {},
  };
});
