import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const expiring = aTicket({ EndsAt: 1_000 });

/** An archive in whose table an item was inserted. */
function afterInsert(): CruiseArchive {
  const cruise = new CruiseArchive();
  cruise.table.put(expiring);
  return cruise;
}

test('a batch archives nothing if archiving is switched off', async () => {
  const cruise = afterInsert();
  cruise.table.expire(keyIn(expiring));
  const { archiveContext: context } = cruise.worker;
  await archiveBatch({ ...context, registry: { ...context.registry, archives: [] } }, cruise.records());

  expect(cruise.objects.keys()).toEqual([]);
});

describe('a batch whose archive fails', () => {
  test.each(['head', 'put'] as const)(
    'temporarily at %s leaves exactly its record to be delivered again, and queues nothing',
    async (at) => {
      const cruise = new CruiseArchive({}, [expiring]);
      cruise.table.expire(keyIn(expiring));
      cruise.table.put(aVoyage({ EndsAt: 1 }));
      const batch = cruise.records();
      watchArchive(cruise.worker, (request, objectKey) => {
        if (request === at && objectKey.includes('Ticket')) throw new TransientError('aws.fault', 'failed');
      });

      const failed = await cruise.archive(batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id]);
      expect([cruise.worker.queue.sent, cruise.worker.queue.deadLettered]).toEqual([[], []]);
      expect(cruise.objects.keys()).toEqual([objectKeyOf('Voyage', keyIn(aVoyage()))]);
    },
  );

  test('because it denies access or does not exist fails as a whole', async () => {
    const cruise = afterInsert();
    watchArchive(cruise.worker, () => {
      throw new FatalError('aws.denied', 'was denied');
    });

    await expect(cruise.archive()).rejects.toMatchObject({ code: 'aws.denied' });
    expect(cruise.worker.queue.deadLettered).toEqual([]);
  });

  test('leaves the records of an item if its table could not be read', async () => {
    const cruise = afterInsert();
    cruise.worker.port.before = () => {
      throw new TransientError('aws.throttled', 'was throttled');
    };

    expect((await cruise.archive()).size).toBe(1);
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

  test('is delivered again if it could not be dead-lettered', async () => {
    const cruise = new CruiseArchive();
    cruise.worker.queue.refusing = true;

    expect([...(await cruise.archive([{ id: '7', says }])).keys()]).toEqual(['7']);
  });
});
