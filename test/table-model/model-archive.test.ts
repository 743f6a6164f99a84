import { ModelArchive } from '../../src/develop/testing/table-model/model-archive.ts';
import { modelArchiveReader } from '../../src/develop/testing/table-model/model-archive-reader.ts';
import { ModelNotes } from '../../src/develop/testing/table-model/model-notes.ts';
import { describeArchive, pageLimitUnderTest } from '../suites/archive.suite.ts';

describeArchive('A bucket in memory', async () => {
  const archive = new ModelArchive(Date.now);
  return {
    archive,
    reader: modelArchiveReader(archive, pageLimitUnderTest),
    notes: new ModelNotes(),
    retrievesVersions: true,
    close: async () => {},
  };
});
