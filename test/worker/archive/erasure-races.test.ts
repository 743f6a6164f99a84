import { describe, expect, test } from 'vitest';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { erasedUpTo, eraseUpTo } from '../../../src/worker/archive/erasure.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { beforeFirst, watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Ticket', key);
const noteKey = erasureNoteKeyOf(location);

describe('a deletion that erases', () => {
  test('is not acknowledged while others keep overwriting its note, and has erased nothing yet', async () => {
    const cruise = await withDeletion();
    const left = leavingOthers(cruise, Number.POSITIVE_INFINITY);

    const failed = await archive(cruise, cruise.worker.archiveStream.take());

    expect([...failed.values()]).toMatchObject([{ code: 'archive.contended' }]);
    expect(left()).toBe(8);
    expect(cruise.worker.archive.keys()).toEqual([location]);
  });

  test('leaves its note at the eighth attempt if others have left theirs seven times', async () => {
    const cruise = await withDeletion();
    leavingOthers(cruise, 7);

    expect([...(await archive(cruise, cruise.worker.archiveStream.take()))]).toEqual([]);
    expect(await erasedUpTo(cruise.worker.archive, location)).toBe(youngest(cruise));
    expect(cruise.worker.archive.keys()).toEqual([]);
  });

  test('leaves its note once, however often it is delivered', async () => {
    const cruise = await withDeletion();
    const deletion = cruise.worker.archiveStream.take();
    for (const records of [deletion, deletion]) await archive(cruise, records);

    expect(cruise.worker.archive.versions(noteKey)).toHaveLength(1);
  });

  test('never replaces the note of a later one that was left between its read and its put', async () => {
    const cruise = await withDeletion();
    await archive(cruise, cruise.worker.archiveStream.take());
    const [slow, later] = [aDeletion(cruise), aDeletion(cruise)];
    beforeFirst(cruise.worker, 'put', noteKey, () => archive(cruise, later));
    await archive(cruise, slow);

    expect(await erasedUpTo(cruise.worker.archive, location)).toBe(youngest(cruise));
  });
});

describe('an object that is being erased', () => {
  test('is not put again for a late record of the life that ended', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    await cruise.archived(expiring);
    cruise.table.put(aTicket());
    cruise.table.put(expiring);
    const late = cruise.worker.archiveStream.take();
    cruise.table.delete(key);
    beforeFirst(cruise.worker, 'erase', location, () => archive(cruise, late));
    await cruise.worker.archiveRest();

    expect(outcomes(cruise)).toEqual(['stored', 'gone', 'erased']);
    expect(cruise.worker.archive.keys()).toEqual([]);
  });
});

describe('the last record that an erasure covers', () => {
  test('is erased, and not put again even if its state is still archived', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    await cruise.archived(expiring);
    cruise.table.put(aTicket());
    cruise.table.put(expiring);
    const late = cruise.worker.archiveStream.take();
    const note = { body: 'a note', digest: '', sequence: youngest(cruise) };
    cruise.table.delete(key);
    cruise.worker.archive.store(noteKey, note, undefined);
    await archive(cruise, late);

    expect(outcomes(cruise)).toEqual(['stored', 'gone']);
  });

  test.each(['head', 'put'] as const)(
    'belongs to a later life if its state still exists: noted before the %s',
    async (at) => {
      const cruise = new CruiseArchive({ onDelete: 'erase' });
      cruise.table.put(expiring);
      const noted = youngest(cruise);
      beforeFirst(cruise.worker, at, location, () => erase(cruise, noted));
      await cruise.worker.archiveRest();

      expect(cruise.worker.archive.versions(location).map(({ sequence }) => sequence)).toEqual([noted + 1n]);
      expect(outcomes(cruise)).toEqual(['stored']);
    },
  );

  test('puts no last state, not even for a moment', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    await cruise.archived(expiring);
    cruise.table.expire(key);
    await erase(cruise, youngest(cruise));
    const asked: string[] = [];
    watchArchive(cruise.worker, (request) => asked.push(request));
    await cruise.worker.archiveRest();

    expect(outcomes(cruise)).toEqual(['stored', 'erased']);
    expect(asked).toEqual(['head']);
  });
});

describe('an item that is stored in its current state, under a rule that erases', () => {
  test('is put as younger than the erasure, and stays when that deletion is delivered again', async () => {
    const cruise = await withDeletion();
    const deletion = cruise.worker.archiveStream.take();
    await archive(cruise, deletion);
    const noted = youngest(cruise);
    cruise.table.put(expiring);

    expect(await stored(cruise)).toMatchObject({ report: { outcome: 'stored' }, item: expiring });
    await archive(cruise, deletion);
    expect(cruise.worker.archive.versions(location).map(({ sequence }) => sequence)).toEqual([noted + 1n]);
  });

  test('is put in one request if none of its states was ever erased', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    cruise.table.put(expiring);

    expect(await stored(cruise)).toMatchObject({ report: { outcome: 'stored' }, item: expiring });
    expect(cruise.worker.archive.versions(location).map(({ sequence }) => sequence)).toEqual([0n]);
  });

  test('is erased if its deletion was noted during its put', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    cruise.table.put(expiring);
    beforeFirst(cruise.worker, 'put', location, () => archive(cruise, aDeletion(cruise)));

    expect(await stored(cruise)).toMatchObject({ report: { outcome: 'gone' }, item: undefined });
    expect(cruise.worker.archive.keys()).toEqual([]);
  });

  test('is stored as part of its next life if that began before the put finished', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    cruise.table.put(expiring);
    beforeFirst(cruise.worker, 'put', location, async () => {
      await archive(cruise, aDeletion(cruise));
      cruise.table.put(expiring);
    });

    expect(await stored(cruise)).toMatchObject({ report: { outcome: 'stored' }, item: expiring });
    const noted = await erasedUpTo(cruise.worker.archive, location);
    expect(cruise.worker.archive.versions(location).map(({ sequence }) => sequence)).toEqual([noted + 1n]);
  });
});

/** An archive that erases, with an archived ticket whose deletion is not delivered yet. */
async function withDeletion(): Promise<CruiseArchive> {
  const cruise = new CruiseArchive({ onDelete: 'erase' });
  await cruise.archived(expiring);
  cruise.table.delete(key);
  return cruise;
}

/** The records of another life of that ticket, and of its deletion. */
function aDeletion(cruise: CruiseArchive): StreamRecord[] {
  cruise.table.put(expiring);
  cruise.table.delete(key);
  return cruise.worker.archiveStream.take();
}

function archive(cruise: CruiseArchive, records: readonly StreamRecord[]) {
  return archiveBatch(cruise.worker.archiveContext, records);
}

function stored(cruise: CruiseArchive) {
  const rule = defineArchive({ name: 'archive-tickets', kinds: [ticket], onDelete: 'erase' });
  return archiveState(cruise.worker.archiveContext, { rule, kind: ticket, key });
}

function erase({ worker }: CruiseArchive, upTo: bigint): Promise<void> {
  return eraseUpTo(worker.archive, location, upTo, worker.archiveContext.nonce());
}

/** The sequence number of the last change. */
function youngest({ table }: CruiseArchive): bigint {
  return table.history.at(-1)?.sequence ?? 0n;
}

function outcomes({ worker }: CruiseArchive): string[] {
  return worker.telemetry.archivings.map(({ outcome }) => outcome);
}

/** Leaves a note of an older deletion before each of the first puts of a note. @returns how many it left */
function leavingOthers({ worker }: CruiseArchive, times: number): () => number {
  let left = 0;
  watchArchive(worker, (request, objectKey) => {
    if (request !== 'put' || objectKey !== noteKey || left === times) return;
    left += 1;
    const note = { body: `${left}`, digest: '', sequence: 1n };
    worker.archive.store(noteKey, note, worker.archive.current(noteKey)?.etag);
  });
  return () => left;
}
