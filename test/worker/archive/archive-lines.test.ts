import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { archiveLines, type StateOfItem } from '../../../src/worker/archive/archive-lines.ts';
import { readManifest } from '../../../src/worker/archive/batch-object.ts';
import { digestOf, itemInBody } from '../../../src/worker/archive/object.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const expiring = ticketOf('t');
const batchKey = /^archive\/Ticket\/dt=\d{4}-\d\d-\d\d\/[0-9a-f]{40}\.ndjson\.gz$/;

describe('items under a rule with the layout batch', () => {
  test('are stored together in one object per kind, each as a line of DynamoDB JSON', async () => {
    const cruise = batched();
    const items = ['a', 'b', 'c'].map((id) => ticketOf(id));
    await cruise.archived(...items, aLeg({ EndsAt: 1 }), aVoyage({ EndsAt: 1 }));

    expect(cruise.objects.keys().sort()).toEqual([
      expect.stringMatching(/^archive\/Leg\/dt=/),
      expect.stringMatching(batchKey),
      // The voyage's rule has the other layout.
      expect.stringMatching(/^archive\/Voyage\/[^/]+\/[^/]+\.json$/),
    ]);
    expect(itemsIn(cruise)).toEqual([aLeg({ EndsAt: 1 }), ...items]);
    expect(cruise.outcomes()).toEqual(Array(5).fill('stored'));
  });

  test('can be found through a manifest in the class STANDARD, which names the item of each line', async () => {
    const cruise = batched({ storageClass: 'DEEP_ARCHIVE' });
    await cruise.archived(expiring);
    cruise.table.expire(keyIn(expiring));
    await cruise.archive();

    const { objects: archive } = cruise;
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
    const batch = cruise.records();
    await cruise.archive(batch);
    const puts = watchPuts(cruise);

    await cruise.archive([...batch].reverse());
    await cruise.archive([...batch, ...batch]);

    expect(puts).toEqual([]);
    expect(cruise.outcomes().slice(2)).toEqual(Array.from({ length: 4 }, () => 'unchanged'));
  });

  test('are stored in the newest state in their batch, and in the last state of each life', async () => {
    const cruise = batched({ onDelete: 'archive' });
    for (const price of [1, 2, 3]) cruise.table.put(ticketOf('t', { Price: price }));
    cruise.table.expire(keyIn(expiring));
    for (const price of [4, 5]) cruise.table.put(ticketOf('t', { Price: price }));
    await cruise.archive();

    expect(pricesIn(cruise).toSorted()).toEqual(['3', '5']);
    expect(cruise.outcomes().toSorted()).toEqual(['final', 'stored']);
  });

  test('are stored once if one batch contains both their change and their end', async () => {
    const cruise = batched();
    cruise.table.put(expiring);
    cruise.table.expire(keyIn(expiring));
    await cruise.archive();

    expect(itemsIn(cruise)).toEqual([expiring]);
    expect(cruise.outcomes()).toEqual(['final']);
  });

  test('without a record are told apart by their content', async () => {
    const cruise = batched();
    const [one, other] = [ticketOf('t', { Price: 1 }), ticketOf('t', { Price: 2 })];
    await linesOf(cruise, [{ item: one }, { item: other }, { item: one }]);

    expect(pricesIn(cruise).toSorted()).toEqual(['1', '2']);
  });

  test('make no object if there are none', async () => {
    const cruise = batched();

    expect(await linesOf(cruise, [])).toEqual([]);
    expect(cruise.objects.keysBelow('')).toEqual([]);
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
      const batch = cruise.records();
      watchPuts(cruise, (objectKey) => {
        if (objectKey.startsWith(at)) throw new TransientError('aws.throttled', 'was throttled');
      });

      const failed = await cruise.archive(batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id, batch[2]?.id, batch[4]?.id]);
      expect(cruise.objects.keys().map((key) => key.split('/')[1])).toEqual(
        expect.arrayContaining(['Leg', 'Voyage']),
      );
      expect(cruise.worker.telemetry.archivings.map(({ kind }) => kind).sort()).toEqual(['Leg', 'Voyage']);
    },
  );
});

function batched(spec: ConstructorParameters<typeof CruiseArchive>[0] = {}): CruiseArchive {
  return new CruiseArchive({ layout: 'batch', ...spec });
}

function ticketOf(id: string, attributes: Parameters<typeof aTicket>[0] = {}): Item {
  return aTicket({ Part: `TICKET#${id}`, EndsAt: 1_000, ...attributes });
}

/** The items of all batches, in the order of their lines. */
function itemsIn({ objects }: CruiseArchive): Item[] {
  const batches = objects.keys().filter((key) => key.endsWith('.gz'));
  return batches.sort().flatMap((key) =>
    gunzipSync(objects.current(key)?.bytes ?? '')
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(itemInBody),
  );
}

function pricesIn(cruise: CruiseArchive) {
  return itemsIn(cruise).map(({ Price }) => (Price && 'N' in Price ? Price.N : undefined));
}

/** Stores states of tickets as lines: without a record, of the same ticket, unless said otherwise. */
function linesOf(cruise: CruiseArchive, states: readonly Partial<StateOfItem>[]) {
  const state = { key: keyIn(expiring), item: expiring, sequence: 0n, final: false, at: undefined };
  return archiveLines(
    cruise.worker.archiveContext,
    { storageClass: undefined },
    ticket,
    states.map((some) => ({ ...state, ...some })),
  );
}

/** The keys of all puts from now on. @param watch called before each; it may throw the port’s errors */
function watchPuts({ worker }: CruiseArchive, watch: (objectKey: string) => void = () => {}): string[] {
  const puts: string[] = [];
  watchArchive(worker, (request, objectKey) => {
    if (request !== 'put') return;
    puts.push(objectKey);
    watch(objectKey);
  });
  return puts;
}
