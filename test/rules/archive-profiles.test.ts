import { describeArchive } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { only } from '../fixtures/rules/only.ts';
import { aProfile, plainOrder, plainProfile } from '../fixtures/rules/shop.ts';

describeArchive(config, 'archive-profiles', { item: plainProfile(), others: [plainOrder()] });

describe('the archive rule of profiles', () => {
  test.each([[aProfile(), 'archive/UserProfile/USER%2342/PROFILE.json']])(
    'archives $PK.S $SK.S',
    async (stored, objectKey) => {
      const worker = new ModelWorker(only('archive-profiles'));
      worker.table.put({ ...stored, ExpiresAt: { N: '1' } });

      await worker.archiveRest();

      expect(worker.archive.keys()).toEqual([objectKey]);
      expect(JSON.parse(worker.archive.current(objectKey)?.body ?? '')).toEqual({
        Item: { ...stored, ExpiresAt: { N: '1' } },
      });
    },
  );

  test('never ages profiles: only the application expires them', () => {
    expect(only('archive-profiles').archives.map(({ ages }) => ages)).toEqual([undefined]);
  });
});
