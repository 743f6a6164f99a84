import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import { aBooking, aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const key = keyIn(aTicket());
const location = objectKeyOf('Ticket', key);
const report = { kind: 'Ticket', key, objectKey: location };
const rule = defineArchive({ name: 'archive-tickets', kinds: [ticket] });

describe('an item that is stored in its current state', () => {
  test('is put without a record, and reads no note if its rule erases nothing', async () => {
    const worker = workerOver([aTicket()]);
    const asked: string[] = [];
    watchArchive(worker, (request, objectKey) => asked.push(`${request} ${objectKey}`));

    expect(await stored(worker)).toEqual({ report: { ...report, outcome: 'stored' }, item: aTicket() });
    expect(asked).toEqual([`head ${location}`, `put ${location}`]);
    expect(worker.archive.current(location)?.sequence).toBe(0n);
  });

  test('is not put again if it is already stored', async () => {
    const worker = workerOver([aTicket()]);
    await stored(worker);

    expect(await stored(worker)).toEqual({ report: { ...report, outcome: 'unchanged' }, item: aTicket() });
    expect(worker.archive.versions(location)).toHaveLength(1);
  });

  test('is not stored if it no longer exists', async () => {
    const worker = workerOver([]);

    expect(await stored(worker)).toEqual({ report: { ...report, outcome: 'gone' }, item: undefined });
    expect(worker.archive.keys()).toEqual([]);
  });

  test('is stored if it is deleted during the put, and is returned as missing', async () => {
    const worker = workerOver([aTicket()]);
    afterPuts(worker, () => worker.table.delete(key));

    expect(await stored(worker)).toEqual({ report: { ...report, outcome: 'stored' }, item: undefined });
  });

  test('is stored if it changes to a state that another worker has stored in the meantime', async () => {
    const worker = workerOver([aTicket()]);
    const newer = aTicket({ Price: 1 });
    const other = workerOver([newer]);
    await stored(other);
    afterPuts(worker, () => {
      worker.table.put(newer);
      const theirs = other.archive.current(location);
      if (theirs !== undefined)
        worker.archive.store(location, theirs, worker.archive.current(location)?.etag);
    });

    expect(await stored(worker)).toMatchObject({ report: { outcome: 'stored' }, item: newer });
  });

  test('is stored at the eighth read if it changes seven times', async () => {
    const worker = workerOver([aTicket()]);
    let changes = 0;
    afterPuts(worker, () => {
      if (changes === 7) return;
      changes += 1;
      worker.table.put(aTicket({ Price: changes }));
    });

    expect(await stored(worker)).toMatchObject({ report: { outcome: 'stored' } });
    expect(worker.archive.versions(location)).toHaveLength(8);
  });

  test('is contended if it keeps changing: the reason names the number of reads and the key', async () => {
    const worker = workerOver([aTicket()]);
    let changes = 0;
    afterPuts(worker, () => {
      changes += 1;
      worker.table.put(aTicket({ Price: changes }));
    });

    await expect(stored(worker)).rejects.toMatchObject({
      code: 'archive.contended',
      message: 'The item changed 8 times while it was being archived',
      key,
    });
  });
});

describe('a record of an item that is going to expire', () => {
  test('is delivered again if other workers keep putting its object', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket({ EndsAt: 1_000 }));
    let puts = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'get') return;
      puts += 1;
      const body = `${puts}`;
      worker.archive.store(location, { body, digest: body }, worker.archive.current(location)?.etag);
    };

    const failed = await archiveBatch(worker.archiveContext, worker.archiveStream.take());

    expect([...failed.values()]).toMatchObject([{ code: 'archive.contended', key }]);
    expect(puts).toBe(8);
  });

  test('succeeds at the eighth attempt if other workers put its object seven times', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket({ EndsAt: 1_000 }));
    let puts = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'get' || puts === 7) return;
      puts += 1;
      const body = `${puts}`;
      worker.archive.store(location, { body, digest: body }, worker.archive.current(location)?.etag);
    };

    const failed = await archiveBatch(worker.archiveContext, worker.archiveStream.take());

    expect([...failed]).toEqual([]);
    expect(worker.telemetry.archivings).toMatchObject([{ outcome: 'stored' }]);
  });
});

describe('a record of an item’s end', () => {
  test.each([
    ['is of a kind that is never archived', aBooking('g'), 'delete'],
    ['is of a kind that is never archived, and has expired', aBooking('g', { EndsAt: 1 }), 'expire'],
    ['was deleted, and its archive is kept', aTicket({ EndsAt: 1 }), 'delete'],
  ] as const)('is acknowledged if the item %s', async (_, item, end) => {
    const worker = workerOver([item]);
    worker.table[end](keyIn(item));

    const failed = await archiveBatch(worker.archiveContext, worker.archiveStream.take());

    expect([...failed]).toEqual([]);
    expect(worker.telemetry.failures).toEqual([]);
  });
});

function stored(worker: ModelWorker) {
  return archiveState(worker.archiveContext, { rule, kind: ticket, key });
}

/** Runs an action after each put into the archive. */
function afterPuts(worker: ModelWorker, act: () => void): void {
  const put = worker.archive.put.bind(worker.archive);
  worker.archive.put = async (objectKey, object, replaces) => {
    const done = await put(objectKey, object, replaces);
    act();
    return done;
  };
}
