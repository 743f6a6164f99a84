import { ModelArchive, ModelNotes, modelArchiveReader } from '../../src/testing/table-model/model-archive.ts';
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
