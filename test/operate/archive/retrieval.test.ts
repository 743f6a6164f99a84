import { beforeEach, describe, expect, test } from 'vitest';
import { openArchiveFolder } from '../../../src/develop/dev/archive-folder/archive-folder.ts';
import { archiveFolderReader } from '../../../src/develop/dev/archive-folder/reader.ts';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import type { StorageClass } from '../../../src/model/archive-rule.ts';
import { askFor, retrievalTime, untilReadable } from '../../../src/operate/archive/retrieval.ts';
import type { ArchiveReader, Retrieval, RetrievalTier } from '../../../src/worker/archive/ports.ts';
import { newFolder } from '../../suites/new-folder.ts';

const objectKey = 'archive/Order/ORDER%231/METADATA.json';
const location = { objectKey, versionId: undefined };
let folder: string;

beforeEach(() => {
  folder = newFolder();
});

async function put(storageClass: StorageClass): Promise<ArchiveReader> {
  const archive = await openArchiveFolder(folder);
  await archive.put(objectKey, { body: '{}', digest: 'd', storageClass }, undefined);
  return archiveFolderReader(folder);
}

/** Like Glacier: a requested object becomes readable an hour later. */
function slow(reader: ArchiveReader, clock: VirtualClock): ArchiveReader {
  let askedAt: number | undefined;
  return {
    ...reader,
    async details(key, version) {
      const details = await reader.details(key, version);
      if (details === undefined || askedAt === undefined) return details;
      const retrieval: Retrieval = clock.now() - askedAt >= 3_600_000 ? 'readable' : 'under-way';
      return { ...details, retrieval };
    },
    async retrieve() {
      askedAt ??= clock.now();
    },
  };
}

describe('the request for an object', () => {
  test('in a class that is readable at once requests nothing', async () => {
    const reader = await put('GLACIER_IR');

    expect(await askFor(reader, location, { tier: 'Standard', days: 1 })).toEqual({
      is: 'readable',
      storageClass: 'GLACIER_IR',
    });
  });

  test('in Glacier reports that it was requested, and the next time that it is under way', async () => {
    const clock = new VirtualClock();
    const reader = slow(await put('GLACIER'), clock);

    expect(await askFor(reader, location, { tier: 'Bulk', days: 1 })).toMatchObject({ is: 'asked' });
    expect(await askFor(reader, location, { tier: 'Bulk', days: 1 })).toMatchObject({ is: 'under-way' });
    await clock.sleep(3_600_000);
    expect(await askFor(reader, location, { tier: 'Bulk', days: 1 })).toMatchObject({ is: 'readable' });
  });

  test('that is gone reports it as gone', async () => {
    const reader = archiveFolderReader(folder);

    expect(await askFor(reader, location, { tier: 'Standard', days: 1 })).toMatchObject({ is: 'gone' });
  });

  test.each<[StorageClass, RetrievalTier]>([
    ['GLACIER', 'Expedited'],
    ['DEEP_ARCHIVE', 'Standard'],
  ])('uses the chosen tier: out of %s by %s', async (storageClass, chosen) => {
    const reader = slow(await put(storageClass), new VirtualClock());
    const tiers: RetrievalTier[] = [];
    const retrieve: ArchiveReader['retrieve'] = async (...request) => {
      tiers.push(request[3]);
      await reader.retrieve(...request);
    };

    expect(await askFor({ ...reader, retrieve }, location, { tier: chosen, days: 1 })).toEqual({
      is: 'asked',
      storageClass,
    });
    expect(tiers).toEqual([chosen]);
  });

  test('is refused as expedited out of DEEP_ARCHIVE', async () => {
    const reader = await put('DEEP_ARCHIVE');

    await expect(askFor(reader, location, { tier: 'Expedited', days: 1 })).rejects.toMatchObject({
      code: 'usage.tier',
    });
  });
});

describe('the wait for an object', () => {
  test('ends when it becomes readable', async () => {
    const clock = new VirtualClock();
    const reader = slow(await put('GLACIER'), clock);
    await askFor(reader, location, { tier: 'Standard', days: 1 });
    const began = clock.now();

    expect(await untilReadable({ reader, clock }, location, 60_000, () => false)).toBe(true);
    expect(clock.now() - began).toBeGreaterThanOrEqual(3_600_000);
    expect(clock.now() - began).toBeLessThanOrEqual(3_660_000);
  });

  test('checks soon at first, then less and less often', async () => {
    const clock = new VirtualClock(0);
    const reader = slow(await put('GLACIER'), clock);
    await askFor(reader, location, { tier: 'Standard', days: 1 });
    const looks: number[] = [];
    const details: ArchiveReader['details'] = (...object) => {
      looks.push(clock.now());
      return reader.details(...object);
    };

    await untilReadable({ reader: { ...reader, details }, clock }, location, 5_000, () => looks.length === 6);

    expect(looks).toEqual([0, 1_000, 3_000, 7_000, 12_000, 17_000]);
  });

  test('ends within half a second of a stop', async () => {
    const clock = new VirtualClock();
    const reader = slow(await put('GLACIER'), clock);
    await askFor(reader, location, { tier: 'Standard', days: 1 });
    const began = clock.now();
    const stop = () => clock.now() - began > 1_200;

    expect(await untilReadable({ reader, clock }, location, 60_000, stop)).toBe(false);
    expect(clock.now() - began).toBeLessThanOrEqual(1_700);
  });
});

test.each<[string, RetrievalTier, string]>([
  ['GLACIER', 'Expedited', '1 to 5 minutes'],
  ['GLACIER', 'Standard', '3 to 5 hours'],
  ['GLACIER', 'Bulk', '5 to 12 hours'],
  ['DEEP_ARCHIVE', 'Expedited', 'up to 48 hours'],
  ['DEEP_ARCHIVE', 'Standard', 'up to 12 hours'],
  ['DEEP_ARCHIVE', 'Bulk', 'up to 48 hours'],
  ['INTELLIGENT_TIERING', 'Standard', 'some hours'],
])('out of %s by the tier %s it takes %s', (storageClass, tier, time) => {
  expect(retrievalTime(storageClass, tier)).toBe(time);
});
