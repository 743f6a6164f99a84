import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import { layouts, WorldArchive } from '../../fixtures/world/archive.ts';
import { anIncident, anOrder } from '../../fixtures/world/items.ts';
import { watchArchive } from '../../fixtures/world/watched-archive.ts';
import { changeOf, keyIn } from '../../fixtures/world/worker.ts';

const expiring = anOrder({ EndsAt: 1_000 });

/** An archive in whose table an item was inserted. */
function afterInsert(spec: Partial<ArchiveRuleSpec> = {}): WorldArchive {
  const world = new WorldArchive(spec);
  world.table.put(expiring);
  return world;
}

describe('a batch whose archive fails', () => {
  test.each(['head', 'put', 'get'] as const)(
    'temporarily at %s leaves exactly its record to be delivered again, and queues nothing',
    async (at) => {
      const world = afterInsert();
      world.table.put(anIncident({ EndsAt: 1 }));
      const batch = world.records();
      const fail = (request: string, what: string) => {
        if (request === at && /order/i.test(what)) throw new TransientError('aws.fault', 'failed');
      };
      watchArchive(world.worker, fail);
      world.worker.port.before = (request) => fail(request.kind, JSON.stringify(request));

      const failed = await world.archive(batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id]);
      expect([world.worker.queue.sent, world.worker.queue.deadLettered]).toEqual([[], []]);
      expect(world.objects.keys()).toEqual([objectKeyOf('Incident', keyIn(anIncident()))]);
    },
  );

  test.each(layouts)('because it denies access fails as a whole, in the layout %s', async (layout) => {
    const world = afterInsert({ layout });
    watchArchive(world.worker, () => {
      throw new FatalError('aws.denied', 'was denied');
    });

    await expect(world.archive()).rejects.toMatchObject({ code: 'aws.denied' });
    expect(world.worker.queue.deadLettered).toEqual([]);
  });
});

describe('an invalid record', () => {
  const parsed = { unreadable: 'Expected the keys', record: 'event-7' };

  test('is dead-lettered, and the others are archived', async () => {
    const world = afterInsert();
    const failed = await world.archive([{ id: '7', parsed }, ...world.records()]);

    expect([...failed]).toEqual([]);
    expect(world.worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(world.items()).toEqual([expiring]);
  });

  test('fails if it has the last image of an item; the others are archived', async () => {
    const world = afterInsert();
    const failed = await world.archive([
      { id: '7', parsed: { ...parsed, lastImage: true } },
      ...world.records(),
    ]);

    expect([...failed]).toEqual([
      ['7', expect.objectContaining({ code: 'record.unreadable', message: 'Expected the keys (event-7)' })],
    ]);
    expect(world.worker.queue.deadLettered).toEqual([]);
    expect(world.items()).toEqual([expiring]);
  });

  test('fails alone if nobody foresaw what is wrong with it', async () => {
    const after: Item = {
      ...anIncident(),
      get EndsAt(): never {
        throw new TypeError('odd');
      },
    };
    const world = afterInsert();
    const change = changeOf(undefined, after, { key: keyIn(anIncident()) });
    const failed = await world.archive([{ id: '7', parsed: change }, ...world.records()]);

    expect([...failed]).toEqual([['7', expect.objectContaining({ message: 'odd' })]]);
    expect(world.items()).toEqual([expiring]);
  });

  test('is delivered again if it could not be dead-lettered', async () => {
    const world = new WorldArchive();
    world.worker.queue.refusing = true;

    expect([...(await world.archive([{ id: '7', parsed }])).keys()]).toEqual(['7']);
  });
});
