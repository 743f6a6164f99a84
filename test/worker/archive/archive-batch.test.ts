import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import { CruiseArchive, layouts } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const expiring = aTicket({ EndsAt: 1_000 });

/** An archive in whose table an item was inserted. */
function afterInsert(spec: Partial<ArchiveRuleSpec> = {}): CruiseArchive {
  const cruise = new CruiseArchive(spec);
  cruise.table.put(expiring);
  return cruise;
}

describe('a batch whose archive fails', () => {
  test.each(['head', 'put', 'get'] as const)(
    'temporarily at %s leaves exactly its record to be delivered again, and queues nothing',
    async (at) => {
      const cruise = afterInsert();
      cruise.table.put(aVoyage({ EndsAt: 1 }));
      const batch = cruise.records();
      const fail = (request: string, what: string) => {
        if (request === at && /ticket/i.test(what)) throw new TransientError('aws.fault', 'failed');
      };
      watchArchive(cruise.worker, fail);
      cruise.worker.port.before = (request) => fail(request.kind, JSON.stringify(request));

      const failed = await cruise.archive(batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id]);
      expect([cruise.worker.queue.sent, cruise.worker.queue.deadLettered]).toEqual([[], []]);
      expect(cruise.objects.keys()).toEqual([objectKeyOf('Voyage', keyIn(aVoyage()))]);
    },
  );

  test.each(layouts)('because it denies access fails as a whole, in the layout %s', async (layout) => {
    const cruise = afterInsert({ layout });
    watchArchive(cruise.worker, () => {
      throw new FatalError('aws.denied', 'was denied');
    });

    await expect(cruise.archive()).rejects.toMatchObject({ code: 'aws.denied' });
    expect(cruise.worker.queue.deadLettered).toEqual([]);
  });
});

describe('an invalid record', () => {
  const says = { unreadable: 'Expected the keys', record: 'event-7' };

  test('is dead-lettered, and the others are archived', async () => {
    const cruise = afterInsert();
    const failed = await cruise.archive([{ id: '7', says }, ...cruise.records()]);

    expect([...failed]).toEqual([]);
    expect(cruise.worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(cruise.items()).toEqual([expiring]);
  });

  test('fails if it has the last image of an item, which Lambda keeps in the end; the others are archived', async () => {
    const cruise = afterInsert();
    const failed = await cruise.archive([
      { id: '7', says: { ...says, lastImage: true } },
      ...cruise.records(),
    ]);

    expect([...failed]).toEqual([
      ['7', expect.objectContaining({ code: 'record.unreadable', message: 'Expected the keys (event-7)' })],
    ]);
    expect(cruise.worker.queue.deadLettered).toEqual([]);
    expect(cruise.items()).toEqual([expiring]);
  });

  test('fails alone if nobody foresaw what is wrong with it', async () => {
    const after: Item = {
      ...aVoyage(),
      get EndsAt(): never {
        throw new TypeError('odd');
      },
    };
    const cruise = afterInsert();
    const change = { key: keyIn(aVoyage()), before: undefined, after, sequence: 9n, expired: false, at: 0 };
    const failed = await cruise.archive([{ id: '7', says: change }, ...cruise.records()]);

    expect([...failed]).toEqual([['7', expect.objectContaining({ message: 'odd' })]]);
    expect(cruise.items()).toEqual([expiring]);
  });

  test('is delivered again if it could not be dead-lettered', async () => {
    const cruise = new CruiseArchive();
    cruise.worker.queue.refusing = true;

    expect([...(await cruise.archive([{ id: '7', says }])).keys()]).toEqual(['7']);
  });
});
