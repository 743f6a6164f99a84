import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ModelArchive } from '../../../src/develop/testing/table-model/model-archive.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveLines } from '../../../src/worker/archive/archive-lines.ts';
import { readManifest } from '../../../src/worker/archive/batch-object.ts';
import { digestOf, itemInBody } from '../../../src/worker/archive/object.ts';
import type { ArchiveObject } from '../../../src/worker/archive/ports.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

const expiring = ticketOf('t');
const batchKey = /^archive\/Ticket\/dt=\d{4}-\d\d-\d\d\/[0-9a-f]{40}\.ndjson\.gz$/;

describe('items under a rule with the layout batch', () => {
  test('are stored together in one object, each as a line of DynamoDB JSON', async () => {
    const cruise = batched();
    const items = ['a', 'b', 'c'].map((id) => ticketOf(id));
    await cruise.archived(...items);

    expect(cruise.worker.archive.keys()).toEqual([expect.stringMatching(batchKey)]);
    expect(itemsIn(cruise.worker.archive)).toEqual(items);
    expect(cruise.worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual([
      'stored',
      'stored',
      'stored',
    ]);
  });

  test('have one object per kind, and no line for an item that another rule archives as an object', async () => {
    const cruise = batched();
    await cruise.archived(expiring, aLeg({ EndsAt: 1 }), aVoyage({ EndsAt: 1 }));

    expect(cruise.worker.archive.keys().sort()).toEqual([
      expect.stringMatching(/^archive\/Leg\/dt=/),
      expect.stringMatching(/^archive\/Ticket\/dt=/),
      expect.stringMatching(/^archive\/Voyage\/[^/]+\/[^/]+\.json$/),
    ]);
  });

  test('can be found through a manifest in the class STANDARD, which names the item of each line', async () => {
    const cruise = batched({ storageClass: 'DEEP_ARCHIVE' });
    await cruise.archived(expiring);
    cruise.table.expire(keyIn(expiring));
    await cruise.worker.archiveRest();

    const { archive } = cruise.worker;
    expect(archive.keys().map((key) => archive.current(key)?.storageClass)).toEqual([
      'DEEP_ARCHIVE',
      'DEEP_ARCHIVE',
    ]);
    const manifests = archive.keysBelow('manifests/');
    expect(manifests.map((key) => archive.current(key)?.storageClass)).toEqual(['STANDARD', 'STANDARD']);
    const lines = manifests.flatMap((key) => readManifest(key, archive.current(key)?.body ?? ''));
    expect(lines.sort((a, b) => Number(a.final) - Number(b.final))).toEqual([
      { key: keyIn(expiring), digest: digestOf(expiring), sequence: expect.any(BigInt), final: false },
      { key: keyIn(expiring), digest: digestOf(expiring), sequence: expect.any(BigInt), final: true },
    ]);
  });

  test('are not put again if their batch is delivered again', async () => {
    const cruise = batched();
    for (const id of ['a', 'b']) cruise.table.put(ticketOf(id));
    const batch = cruise.worker.archiveStream.take();
    await archiveBatch(cruise.worker.archiveContext, batch);
    const puts = watchPuts(cruise);

    await archiveBatch(cruise.worker.archiveContext, [...batch].reverse());
    await archiveBatch(cruise.worker.archiveContext, [...batch, ...batch]);

    expect(puts).toEqual([]);
    expect(cruise.worker.telemetry.archivings.slice(2).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 4 }, () => 'unchanged'),
    );
  });

  test('are stored in the newest state in their batch, and in the last state of each life', async () => {
    const cruise = batched();
    for (const price of [1, 2, 3]) cruise.table.put(ticketOf('t', { Price: price }));
    cruise.table.expire(keyIn(expiring));
    for (const price of [4, 5]) cruise.table.put(ticketOf('t', { Price: price }));
    await cruise.worker.archiveRest();

    expect(itemsIn(cruise.worker.archive).map(({ Price }) => Price)).toEqual([{ N: '3' }, { N: '5' }]);
  });

  test('are stored once if one batch contains both their change and their end', async () => {
    const cruise = batched();
    cruise.table.put(expiring);
    cruise.table.expire(keyIn(expiring));
    await cruise.worker.archiveRest();

    expect(itemsIn(cruise.worker.archive)).toEqual([expiring]);
    expect(cruise.worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual(['final']);
  });

  test('are not archived if they have no expiry or no longer exist', async () => {
    const cruise = batched();
    await cruise.archived(aTicket());
    cruise.table.put(expiring);
    cruise.table.delete(keyIn(expiring));
    await cruise.worker.archiveRest();

    expect(cruise.worker.archive.keysBelow('')).toEqual([]);
  });

  test.each([
    ['keep', 0],
    ['archive', 1],
  ] as const)(
    'are stored after a deletion by a user according to the policy %s',
    async (onDelete, stored) => {
      const cruise = batched({ onDelete });
      cruise.table.put(aTicket());
      await cruise.worker.archiveRest();
      cruise.table.delete(keyIn(expiring));
      await cruise.worker.archiveRest();

      expect(itemsIn(cruise.worker.archive)).toHaveLength(stored);
    },
  );

  test('are not a last state after a mere change, even if their rule archives deleted items', async () => {
    const cruise = batched({ onDelete: 'archive' });
    for (const price of [1, 2]) cruise.table.put(ticketOf('t', { Price: price }));
    await cruise.worker.archiveRest();

    expect(cruise.worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual(['stored']);
  });

  test('are in the order of their records, whatever the length of their sequence numbers', async () => {
    const cruise = batched();
    const states = [10n, 9n, 100n].map((sequence) => ({
      ...{ key: keyIn(expiring), item: ticketOf('t', { Price: Number(sequence) }) },
      ...{ sequence, final: false, at: undefined },
    }));
    await archiveLines(cruise.worker.archiveContext, { storageClass: undefined }, ticket, states);

    expect(itemsIn(cruise.worker.archive).map(({ Price }) => Price)).toEqual([
      { N: '9' },
      { N: '10' },
      { N: '100' },
    ]);
  });

  test('are stored under the UTC day of their earliest record', async () => {
    const cruise = batched();
    const state = { key: keyIn(expiring), item: expiring, final: false };
    const days = [Date.UTC(2026, 10, 22, 0, 0, 1), Date.UTC(2026, 10, 21, 23, 59, 59), undefined];
    const [report] = await archiveLines(
      cruise.worker.archiveContext,
      { storageClass: undefined },
      ticket,
      days.map((at, index) => ({ ...state, sequence: BigInt(index + 1), at })),
    );

    expect(report?.objectKey).toContain('/dt=2026-11-21/');
  });

  test('without a record are told apart by their content', async () => {
    const cruise = batched();
    const [one, other] = [ticketOf('t', { Price: 1 }), ticketOf('t', { Price: 2 })];
    const states = [one, other, one].map((item) => ({
      ...{ key: keyIn(item), item, final: false },
      ...{ sequence: 0n, at: undefined },
    }));
    await archiveLines(cruise.worker.archiveContext, { storageClass: undefined }, ticket, states);

    expect(itemsIn(cruise.worker.archive)).toHaveLength(2);
    expect(itemsIn(cruise.worker.archive)).toEqual(expect.arrayContaining([one, other]));
  });

  test('make no object if there are none', async () => {
    const cruise = batched();

    expect(await archiveLines(cruise.worker.archiveContext, { storageClass: undefined }, ticket, [])).toEqual(
      [],
    );
    expect(cruise.worker.archive.keysBelow('')).toEqual([]);
  });
});

describe('a batch that cannot be put', () => {
  test.each(['archive/Ticket', 'manifests/Ticket'])(
    'at %s leaves exactly its records to be delivered again',
    async (at) => {
      const cruise = batched();
      for (const item of [ticketOf('a'), aLeg({ EndsAt: 1 }), ticketOf('b'), aVoyage({ EndsAt: 1 })])
        cruise.table.put(item);
      cruise.table.expire(keyIn(ticketOf('b')));
      const batch = cruise.worker.archiveStream.take();
      watchPuts(cruise, (objectKey) => {
        if (objectKey.startsWith(at)) throw new TransientError('aws.throttled', 'was throttled');
      });

      const failed = await archiveBatch(cruise.worker.archiveContext, batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id, batch[2]?.id, batch[4]?.id]);
      expect(cruise.worker.archive.keys().map((key) => key.split('/')[1])).toEqual(
        expect.arrayContaining(['Leg', 'Voyage']),
      );
      expect(cruise.worker.telemetry.archivings.map(({ kind }) => kind).sort()).toEqual(['Leg', 'Voyage']);
    },
  );

  test('between data and manifest is complete after the next delivery, with the data put once', async () => {
    const cruise = batched();
    cruise.table.put(expiring);
    const batch = cruise.worker.archiveStream.take();
    let fails = true;
    const puts = watchPuts(cruise, (objectKey) => {
      if (fails && objectKey.startsWith('manifests/')) throw new TransientError('aws.fault', 'failed');
    });
    await archiveBatch(cruise.worker.archiveContext, batch);
    fails = false;

    expect((await archiveBatch(cruise.worker.archiveContext, batch)).size).toBe(0);
    expect(puts.map((key) => key.split('/')[0])).toEqual(['archive', 'manifests', 'archive', 'manifests']);
    expect(cruise.worker.archive.keys().map((key) => cruise.worker.archive.versions(key).length)).toEqual([
      1,
    ]);
    expect(cruise.worker.archive.keysBelow('manifests/')).toHaveLength(1);
  });

  test('fails as a whole if access is denied', async () => {
    const cruise = batched();
    cruise.table.put(expiring);
    watchPuts(cruise, () => {
      throw new FatalError('aws.denied', 'was denied');
    });

    await expect(
      archiveBatch(cruise.worker.archiveContext, cruise.worker.archiveStream.take()),
    ).rejects.toMatchObject({ code: 'aws.denied' });
  });
});

function batched(spec: ConstructorParameters<typeof CruiseArchive>[0] = {}): CruiseArchive {
  return new CruiseArchive({ layout: 'batch', ...spec });
}

function ticketOf(id: string, attributes: Parameters<typeof aTicket>[0] = {}): Item {
  return aTicket({ Part: `TICKET#${id}`, EndsAt: 1_000, ...attributes });
}

/** The items of all batches, in the order of their lines. */
function itemsIn(archive: ModelArchive): Item[] {
  return archive.keys().flatMap((key) =>
    gunzipSync(archive.current(key)?.bytes ?? '')
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(itemInBody),
  );
}

/** The keys of all puts from now on. @param watch called before each; it may throw the port’s errors */
function watchPuts(cruise: CruiseArchive, watch: (objectKey: string) => void = () => {}): string[] {
  const puts: string[] = [];
  const { archive } = cruise.worker;
  const { put } = archive;
  Object.assign(archive, {
    async put(objectKey: string, object: ArchiveObject, replaces: string | undefined) {
      puts.push(objectKey);
      watch(objectKey);
      return put.call(archive, objectKey, object, replaces);
    },
  });
  return puts;
}
