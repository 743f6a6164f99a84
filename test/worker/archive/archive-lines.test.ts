import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { archiveLines, type StateOfItem } from '../../../src/worker/archive/archive-lines.ts';
import { readManifest } from '../../../src/worker/archive/batch-object.ts';
import { digestOf, itemInBody } from '../../../src/worker/archive/object.ts';
import { WorldArchive } from '../../fixtures/world/archive.ts';
import { anIncident, anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { order } from '../../fixtures/world/kinds.ts';
import { watchArchive } from '../../fixtures/world/watched-archive.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const expiring = orderOf('t');
const batchKey = /^archive\/Order\/dt=\d{4}-\d\d-\d\d\/[0-9a-f]{40}\.ndjson\.gz$/;

describe('items under a rule with the layout batch', () => {
  test('are stored together in one object per kind, each as a line of DynamoDB JSON', async () => {
    const world = batched();
    const items = ['a', 'b', 'c'].map((id) => orderOf(id));
    await world.archived(...items, anOrderItem({ EndsAt: 1 }), anIncident({ EndsAt: 1 }));

    expect(world.objects.keys().sort()).toEqual([
      // The incident's rule has the other layout.
      expect.stringMatching(/^archive\/Incident\/[^/]+\/[^/]+\.json$/),
      expect.stringMatching(batchKey),
      expect.stringMatching(/^archive\/OrderItem\/dt=/),
    ]);
    expect(itemsIn(world)).toEqual([...items, anOrderItem({ EndsAt: 1 })]);
    expect(world.outcomes()).toEqual(Array(5).fill('stored'));
  });

  test('can be found through a manifest, which names the item of each line', async () => {
    const world = batched({ storageClass: 'DEEP_ARCHIVE' });
    await world.archived(expiring);
    world.table.expire(keyIn(expiring));
    await world.archive();

    const { objects: archive } = world;
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
    const world = batched();
    for (const id of ['a', 'b']) world.table.put(orderOf(id));
    const batch = world.records();
    await world.archive(batch);
    const puts = watchPuts(world);

    await world.archive([...batch].reverse());
    await world.archive([...batch, ...batch]);

    expect(puts).toEqual([]);
    expect(world.outcomes().slice(2)).toEqual(Array.from({ length: 4 }, () => 'unchanged'));
  });

  test('are stored in their newest state, and in the last one of each life', async () => {
    const world = batched({ onDelete: 'archive' });
    for (const total of [1, 2, 3]) world.table.put(orderOf('t', { Total: total }));
    world.table.expire(keyIn(expiring));
    for (const total of [4, 5]) world.table.put(orderOf('t', { Total: total }));
    await world.archive();

    expect(pricesIn(world).toSorted()).toEqual(['3', '5']);
    expect(world.outcomes().toSorted()).toEqual(['final', 'stored']);
  });

  test('are stored once if one batch contains both their change and their end', async () => {
    const world = batched();
    world.table.put(expiring);
    world.table.expire(keyIn(expiring));
    await world.archive();

    expect(itemsIn(world)).toEqual([expiring]);
    expect(world.outcomes()).toEqual(['final']);
  });

  test('without a record are told apart by their content', async () => {
    const world = batched();
    const [one, other] = [orderOf('t', { Total: 1 }), orderOf('t', { Total: 2 })];
    await linesOf(world, [{ item: one }, { item: other }, { item: one }]);

    expect(pricesIn(world).toSorted()).toEqual(['1', '2']);
  });

  test('make no object if there are none', async () => {
    const world = batched();

    expect(await linesOf(world, [])).toEqual([]);
    expect(world.objects.keysBelow('')).toEqual([]);
  });
});

describe('a batch that cannot be put', () => {
  test.each(['archive/Order/', 'manifests/Order/'])(
    'at %s leaves just its records to come again',
    async (at) => {
      const world = batched();
      for (const item of [orderOf('a'), anOrderItem({ EndsAt: 1 }), orderOf('b'), anIncident({ EndsAt: 1 })])
        world.table.put(item);
      world.table.expire(keyIn(orderOf('b')));
      const batch = world.records();
      watchPuts(world, (objectKey) => {
        if (objectKey.startsWith(at)) throw new TransientError('aws.throttled', 'was throttled');
      });

      const failed = await world.archive(batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id, batch[2]?.id, batch[4]?.id]);
      expect(world.objects.keys().map((key) => key.split('/')[1])).toEqual(
        expect.arrayContaining(['Incident', 'OrderItem']),
      );
      expect(world.worker.telemetry.archivings.map(({ kind }) => kind).sort()).toEqual([
        'Incident',
        'OrderItem',
      ]);
    },
  );
});

function batched(spec: ConstructorParameters<typeof WorldArchive>[0] = {}): WorldArchive {
  return new WorldArchive({ layout: 'batch', ...spec });
}

function orderOf(id: string, attributes: Parameters<typeof anOrder>[0] = {}): Item {
  return anOrder({ Part: `ORDER#${id}`, EndsAt: 1_000, ...attributes });
}

/** The items of all batches, in the order of their lines. */
function itemsIn({ objects }: WorldArchive): Item[] {
  const batches = objects.keys().filter((key) => key.endsWith('.gz'));
  return batches.sort().flatMap((key) =>
    gunzipSync(objects.current(key)?.bytes ?? '')
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(itemInBody),
  );
}

function pricesIn(world: WorldArchive) {
  return itemsIn(world).map(({ Total }) => (Total && 'N' in Total ? Total.N : undefined));
}

/** Stores states of orders as lines: without a record, of the same order, unless said otherwise. */
function linesOf(world: WorldArchive, states: readonly Partial<StateOfItem>[]) {
  const state = { key: keyIn(expiring), item: expiring, sequence: 0n, final: false, at: undefined };
  return archiveLines(
    world.worker.archiveContext,
    { storageClass: undefined },
    order,
    states.map((some) => ({ ...state, ...some })),
  );
}

/** The keys of all puts from now on. @param watch called before each; it may throw the port’s errors */
function watchPuts({ worker }: WorldArchive, watch: (objectKey: string) => void = () => {}): string[] {
  const puts: string[] = [];
  watchArchive(worker, (request, objectKey) => {
    if (request !== 'put') return;
    puts.push(objectKey);
    watch(objectKey);
  });
  return puts;
}
