import { describe, expect, test } from 'vitest';
import { DenormError, TransientError } from '../../../src/model/errors.ts';
import type { Retrieval } from '../../../src/worker/archive/ports.ts';
import { CruiseArchive, layouts, withDetails } from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { Restore, SlowGlacier, told, withoutExpiry } from '../../fixtures/cruises/cruise-restore.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const leg = aLeg({ EndsAt: 1_000 });

describe.each(layouts)('an item in Glacier, in the layout %s,', (layout) => {
  test('is requested, and is restored when the same command runs later', async () => {
    const { cruise, glacier } = await frozen(layout);
    const run = () => new Restore(cruise).run({ reader: glacier.reader });

    const first = await run();
    const second = await run();
    glacier.thaw();
    const third = await run();

    expect(told(first)).toEqual(['asked', 'asked']);
    expect(first[0]?.storageClass).toBe('GLACIER');
    expect(told(second)).toEqual(['asked', 'asked']);
    expect(told(third)).toEqual(['restored', 'restored']);
    expect(glacier.requests).toBe(2);
  });

  test('is restored at once if it is readable at once, and is waited for on request', async () => {
    const readable = await frozen(layout);
    expect(told(await new Restore(readable.cruise).run())).toEqual(['restored', 'restored']);

    const { cruise, glacier, waitedFor } = await frozen(layout);
    glacier.thawsAfter(10_000);
    expect(told(await waitedFor())).toEqual(['asked', 'asked', 'restored', 'restored']);
    expect(cruise.table.read(keyIn(ticket))).toEqual(withoutExpiry(ticket));
  });

  test('is reported as missing once if it disappears during the wait, and the other is restored', async () => {
    const { glacier, waitedFor } = await frozen(layout);
    glacier.thawsAfter(10_000);
    glacier.isGone = (objectKey) => objectKey.includes('/Leg/') && glacier.passed() > 5_000;

    expect(told(await waitedFor())).toEqual(['asked', 'asked', 'restored', 'failed: archive.missing']);
  });

  test('has not failed if the wait is stopped', async () => {
    const { glacier, waitedFor } = await frozen(layout);

    expect(told(await waitedFor({ stop: () => glacier.passed() > 5_000 }))).toEqual(['asked', 'asked']);
  });

  test('is still waited for after a temporary failure of a check', async () => {
    const { glacier, waitedFor } = await frozen(layout);
    glacier.thawsAfter(10_000);
    failsOnce(glacier, 'details', 3_000);

    expect(told(await waitedFor())).toEqual(['asked', 'asked', 'restored', 'restored']);
  });

  test('is reported as missing if it disappears between the read and the request', async () => {
    const { glacier, run } = await frozen(layout);
    let isRead = false;
    glacier.before = (request) => {
      isRead ||= request === 'read';
      glacier.isGone = () => isRead && request === 'details';
    };

    expect(told(await run())).toEqual(['failed: archive.missing', 'failed: archive.missing']);
    expect(glacier.requests).toBe(0);
  });

  test('is not requested if its read fails for another reason', async () => {
    const { glacier, run } = await frozen(layout);
    glacier.before = (request) => {
      if (request === 'read') throw new DenormError('archive.damaged', 'Expected another');
    };

    expect(told(await run())).toEqual(['failed: archive.damaged', 'failed: archive.damaged']);
    expect(glacier.requests).toBe(0);
  });
});

describe('a dry run', () => {
  test.each<[Retrieval, true | undefined]>([
    ['none', undefined],
    ['needed', true],
    ['under-way', true],
    ['readable', undefined],
  ])(
    'reports whether an item must come out of Glacier: with the retrieval %s, %s',
    async (retrieval, must) => {
      const { glacier, restoring } = await frozen('batch');
      const reader = withDetails(glacier.reader, (details) => ({ ...details, retrieval }));

      const [outcome] = await restoring.run({ reader, dryRun: true });

      expect(outcome).toMatchObject({ is: 'restored', storageClass: 'GLACIER' });
      expect(outcome?.retrieval).toBe(must);
    },
  );

  test('reports a listed object that is gone', async () => {
    const { glacier, run } = await frozen('batch');
    glacier.isGone = () => true;

    expect(told(await run({ dryRun: true }))).toEqual(['failed: archive.missing', 'failed: archive.missing']);
  });
});

describe('a batch in Glacier', () => {
  const legs = Array.from({ length: 150 }, (_, number) => aLeg({ Sort: `LEG#${number}`, EndsAt: 1 }));

  test('is requested once, for all its lines', async () => {
    const { glacier, run } = await frozen('batch', legs);

    expect(told(await run())).toEqual(legs.map(() => 'asked'));
    expect(glacier.requests).toBe(glacier.asked.size);
  });

  test('is requested again after a temporary failure', async () => {
    const { glacier, run } = await frozen('batch');
    failsOnce(glacier, 'retrieve');

    expect(told(await run())).toEqual(['asked', 'asked']);
  });
});

test('an item with its key only in its body is restored from Glacier, and its key is reported then', async () => {
  const long = aTicket({ Part: `TICKET#${'t'.repeat(1_500)}`, EndsAt: 1_000 });
  const { cruise, glacier, restoring } = await frozen('object', [long]);
  const reader = withDetails(glacier.reader, (details) => ({ ...details, of: undefined }));
  glacier.thawsAfter(10_000);

  const outcomes = await restoring.run({ reader, waitEvery: 1_000 });

  expect(outcomes.map(({ is, key }) => [is, key])).toEqual([
    ['asked', undefined],
    ['restored', keyIn(long)],
  ]);
  expect(cruise.table.read(keyIn(long))).toEqual(withoutExpiry(long));
});

/** Expired items in Glacier, which are not readable before it thaws. */
async function frozen(layout: 'object' | 'batch', items = [ticket, leg]) {
  const cruise = new CruiseArchive({ layout, storageClass: 'GLACIER' });
  await cruise.expired(...items);
  const restoring = new Restore(cruise);
  const glacier = new SlowGlacier(cruise.reader(), restoring.clock);
  const run = (settings: Parameters<Restore['run']>[0] = {}) =>
    restoring.run({ reader: glacier.reader, ...settings });
  const waitedFor: typeof run = (settings) => run({ waitEvery: 1_000, ...settings });
  return { cruise, glacier, restoring, run, waitedFor };
}

/** The first such request fails temporarily, from this many milliseconds on. */
function failsOnce(glacier: SlowGlacier, which: 'details' | 'retrieve', after = 0): void {
  let hasFailed = false;
  glacier.before = (request) => {
    if (hasFailed || request !== which || glacier.passed() < after) return;
    hasFailed = true;
    throw new TransientError('aws.throttled', 'was throttled');
  };
}
