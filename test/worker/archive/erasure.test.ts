import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { type DeletionPolicy, defineArchive } from '../../../src/model/archive-rule.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { erasedUpTo } from '../../../src/worker/archive/erasure.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { beforeFirst, watchArchive } from '../../fixtures/cruises/watched-archive.ts';
import { table } from '../../fixtures/model/table.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Ticket', key);
const report = { kind: 'Ticket', key, objectKey: location };

describe('an item that a user deletes', () => {
  test('stays in the archive if the rule keeps it', async () => {
    const worker = workerUnder('keep');
    worker.table.put(expiring);
    await worker.archiveRest();
    worker.table.delete(key);
    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([location]);
  });

  test('is archived in its last state if the rule archives it, with or without an expiry', async () => {
    const worker = workerUnder('archive');
    worker.table.put(aTicket());
    worker.table.delete(key);
    await worker.archiveRest();

    const [last] = worker.archive.keys();
    expect(worker.archive.keys()).toHaveLength(1);
    expect(last).toMatch(/\.json\.\d+$/);
  });

  test('is erased with all its versions and last states if the rule erases it', async () => {
    const worker = workerUnder();
    worker.table.put(expiring);
    await worker.archiveRest();
    worker.table.put(aTicket({ EndsAt: 1_000, Price: 1 }));
    await worker.archiveRest();
    worker.table.expire(key);
    worker.table.put(expiring);
    await worker.archiveRest();
    expect(worker.archive.keys()).toHaveLength(2);
    worker.table.delete(key);
    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([]);
    expect(worker.telemetry.archivings.at(-1)).toMatchObject({ outcome: 'erased' });
  });
});

describe('an erased item', () => {
  test('does not return with a late record of its expiry', async () => {
    const worker = workerUnder();
    worker.table.put(expiring);
    worker.table.expire(key);
    const older = worker.archiveStream.take();
    await archiveBatch(worker.archiveContext, older);
    worker.table.put(expiring);
    worker.table.delete(key);
    await worker.archiveRest();
    watchArchive(worker, (request) => {
      if (request === 'put') throw new Error('Expected no put of what is erased, not even for a moment');
    });
    const failed = await archiveBatch(worker.archiveContext, older);

    expect([...failed]).toEqual([]);
    expect(worker.archive.keys()).toEqual([]);
    expect(worker.telemetry.archivings.at(-1)).toEqual({ ...report, outcome: 'erased' });
  });

  test.each([
    ['the object', 'gone'],
    ['a last state', 'erased'],
  ] as const)(
    'does not come back through a put of %s in progress, and is reported as %s',
    async (what, outcome) => {
      const worker = workerUnder();
      worker.table.put(expiring);
      if (what === 'a last state') worker.table.expire(key);
      const slow = worker.archiveStream.take();
      beforeFirst(worker, 'put', 'archive/', async () => {
        worker.table.put(expiring);
        worker.table.delete(key);
        await worker.archiveRest();
      });
      await archiveBatch(worker.archiveContext, slow);

      expect(worker.archive.keys()).toEqual([]);
      expect(worker.telemetry.archivings.at(-1)).toEqual({ ...report, outcome });
    },
  );

  test('has a note before it is erased, so that a concurrent put sees it', async () => {
    const worker = workerUnder();
    worker.table.put(expiring);
    await worker.archiveRest();
    worker.table.delete(key);
    const deletion = worker.archiveStream.take();
    const { erase } = worker.archive;
    let noted = -1n;
    worker.archive.erase = async (...args) => {
      noted = await erasedUpTo(worker.archive, location);
      return erase.apply(worker.archive, args);
    };
    await archiveBatch(worker.archiveContext, deletion);

    expect(noted).toBe(sequenceOf(deletion));
  });

  test('is noted under a hash that contains neither item nor key', async () => {
    const worker = workerUnder();
    const put: string[] = [];
    const { put: store } = worker.archive;
    worker.archive.put = async (...args) => {
      put.push(JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
      return store.apply(worker.archive, args);
    };
    worker.table.put(expiring);
    worker.table.delete(key);
    await worker.archiveRest();

    const [note, ...others] = put;
    expect(others).toEqual([]);
    expect(note).toContain('erased/');
    expect(note).not.toContain(key.pk);
    expect(note).not.toContain(key.sk);
  });

  test('is noted with the latest of many deletions', async () => {
    const worker = workerUnder();
    worker.table.put(expiring);
    worker.table.delete(key);
    const first = worker.archiveStream.take();
    worker.table.put(expiring);
    worker.table.delete(key);
    const second = worker.archiveStream.take();
    for (const one of [first, second, first]) await archiveBatch(worker.archiveContext, one);

    expect(await erasedUpTo(worker.archive, location)).toBe(sequenceOf(second));
  });
});

describe('a life that begins after a deletion', () => {
  test('is archived, and stays when the deletion is delivered again', async () => {
    const worker = workerUnder();
    worker.table.put(expiring);
    worker.table.delete(key);
    const older = worker.archiveStream.take();
    await archiveBatch(worker.archiveContext, older);
    worker.table.put(aTicket({ EndsAt: 2_000 }));
    await worker.archiveRest();
    await archiveBatch(worker.archiveContext, older);

    expect(worker.archive.versions(location)).toHaveLength(1);
  });

  test('is not mistaken for an identical older life, even if the older record archives it', async () => {
    const { worker, insert, deletion } = insertedAndDeleted();
    await archiveBatch(worker.archiveContext, deletion);
    worker.table.put(expiring);
    await archiveBatch(worker.archiveContext, insert);
    const stored = worker.archive.current(location)?.etag;
    await archiveBatch(worker.archiveContext, deletion);

    expect(stored).toBeDefined();
    expect(worker.archive.current(location)?.etag).toBe(stored);
  });

  test('is stored again if the late deletion erased what the older record had put', async () => {
    const { worker, insert, deletion } = insertedAndDeleted();
    worker.table.put(expiring);
    await archiveBatch(worker.archiveContext, insert);
    await archiveBatch(worker.archiveContext, deletion);
    await worker.archiveRest();

    expect(worker.archive.versions(location)).toHaveLength(1);
  });

  test('can be restored after its expiry, even if the deletion is processed only then', async () => {
    const { worker, insert, deletion } = insertedAndDeleted();
    worker.table.put(expiring);
    await archiveBatch(worker.archiveContext, insert);
    await worker.archiveRest();
    worker.table.expire(key);
    await worker.archiveRest();
    await archiveBatch(worker.archiveContext, deletion);

    expect(worker.archive.keys()).toEqual([location, expect.stringMatching(/\.json\.\d+$/)]);
  });
});

/** A worker over an item that was inserted and deleted, and the records of both. */
function insertedAndDeleted() {
  const worker = workerUnder();
  worker.table.put(expiring);
  const insert = worker.archiveStream.take();
  worker.table.delete(key);
  return { worker, insert, deletion: worker.archiveStream.take() };
}

function workerUnder(onDelete: DeletionPolicy = 'erase'): ModelWorker {
  const rule = defineArchive({ name: 'archive-tickets', kinds: [ticket], onDelete });
  return workerOver([], {}, makeRegistry(table, [], [rule]));
}

function sequenceOf(records: readonly StreamRecord[]): bigint {
  const says = records.at(-1)?.says;
  if (says === undefined || 'unreadable' in says) throw new Error('Expected a change');
  return says.sequence;
}
