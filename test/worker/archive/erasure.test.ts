import { describe, expect, test } from 'vitest';
import { type DeletionPolicy, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { erasedUpTo, eraseUpTo } from '../../../src/worker/archive/erasure.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { beforeFirst, watchArchive } from '../../fixtures/cruises/watched-archive.ts';
import { bound, boundKind } from '../../fixtures/model/bound.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Ticket', key);
const noteKey = erasureNoteKeyOf(location);
const lastState = expect.stringMatching(/\.json\.\d+$/);

describe('an item that a user deletes', () => {
  const batch = expect.stringMatching(/\.gz$/);
  test.each<[DeletionPolicy, 'object' | 'batch', unknown[]]>([
    ['keep', 'object', [location]],
    ['archive', 'object', [location, lastState]],
    ['erase', 'object', []],
    ['keep', 'batch', [batch]],
    ['archive', 'batch', [batch, batch]],
  ])('leaves in the archive what its rule says: %s, in the layout %s', async (onDelete, layout, left) => {
    const cruise = new CruiseArchive({ onDelete, layout });
    await cruise.archived(expiring);
    cruise.table.put(aTicket());
    cruise.table.delete(key);
    await cruise.archive();

    expect(cruise.objects.keys()).toEqual(left);
  });
});

describe('the note of an erasure', () => {
  test('is left before anything is erased, so that a concurrent put sees it', async () => {
    const cruise = await archived();
    cruise.table.delete(key);
    let noted = -1n;
    beforeFirst(cruise.worker, 'erase', location, async () => {
      noted = await erasedUpTo(cruise.objects, location);
    });
    await cruise.archive();

    expect(noted).toBe(cruise.youngest());
  });

  test('is stored once, under a hash, and contains neither item nor key', async () => {
    const cruise = erasing();
    const deletion = aDeletion(cruise);
    for (const records of [deletion, deletion]) await cruise.archive(records);

    expect(noteKey).toMatch(/^erased\/[^T]+$/);
    const [note, ...others] = cruise.objects.versions(noteKey);
    expect(others).toEqual([]);
    expect(note?.body).not.toMatch(/TICKET/);
  });

  test('never replaces the note of a later one that was left between its read and its put', async () => {
    const cruise = erasing();
    await cruise.archive(aDeletion(cruise));
    const [slow, later] = [aDeletion(cruise), aDeletion(cruise)];
    beforeFirst(cruise.worker, 'put', noteKey, () => cruise.archive(later));
    await cruise.archive(slow);

    expect(await erasedUpTo(cruise.objects, location)).toBe(cruise.youngest());
  });

  test.each([
    ['is left at the eighth attempt if others have left theirs seven times', 7, [], []],
    [
      'is not acknowledged if they do eight times, and nothing has been erased then',
      8,
      [{ code: 'archive.contended' }],
      [location],
    ],
  ])('%s', async (_, times, errors, keys) => {
    const cruise = await archived();
    cruise.table.delete(key);
    let left = 0;
    watchArchive(cruise.worker, (request, objectKey) => {
      if (request !== 'put' || objectKey !== noteKey || left === times) return;
      left += 1;
      const note = { body: `${left}`, digest: '', sequence: 1n };
      cruise.objects.store(noteKey, note, cruise.objects.current(noteKey)?.etag);
    });

    expect([...(await cruise.archive()).values()]).toMatchObject(errors);
    expect(left).toBe(times);
    expect(cruise.objects.keys()).toEqual(keys);
  });
});

describe('an erased item', () => {
  test('does not return with a late record of its expiry, not even for a moment', async () => {
    const cruise = erasing();
    cruise.table.put(expiring);
    cruise.table.expire(key);
    const older = cruise.records();
    await cruise.archive(older);
    await cruise.archive(aDeletion(cruise));
    watchArchive(cruise.worker, (request) => expect(request).not.toBe('put'));

    expect([...(await cruise.archive(older))]).toEqual([]);
    expect(cruise.objects.keys()).toEqual([]);
    expect(cruise.worker.telemetry.archivings.at(-1)).toEqual({
      ...{ kind: 'Ticket', key, objectKey: location },
      outcome: 'erased',
    });
  });

  test.each([
    ['the object', 'gone'],
    ['a last state', 'erased'],
  ] as const)('does not come back through a put of %s in progress: it is %s', async (what, outcome) => {
    const cruise = erasing();
    cruise.table.put(expiring);
    if (what === 'a last state') cruise.table.expire(key);
    const slow = cruise.records();
    beforeFirst(cruise.worker, 'put', 'archive/', () => cruise.archive(aDeletion(cruise)));
    await cruise.archive(slow);

    expect(cruise.objects.keys()).toEqual([]);
    expect(cruise.outcomes().at(-1)).toBe(outcome);
  });

  test('is not put again, while it is erased, for a late record of the life that ended', async () => {
    const { cruise, late } = await withLateRecord();
    cruise.table.delete(key);
    beforeFirst(cruise.worker, 'erase', location, () => cruise.archive(late));
    await cruise.archive();

    expect(cruise.outcomes()).toEqual(['stored', 'gone', 'erased']);
    expect(cruise.objects.keys()).toEqual([]);
  });
});

describe('the last record that an erasure covers', () => {
  test.each(['head', 'put'] as const)(
    'belongs to a later life if its state still exists: noted before the %s',
    async (at) => {
      const cruise = erasing();
      cruise.table.put(expiring);
      const noted = cruise.youngest();
      beforeFirst(cruise.worker, at, location, () => erase(cruise, noted));
      await cruise.archive();

      expect(cruise.sequences(location)).toEqual([noted + 1n]);
      expect(cruise.outcomes()).toEqual(['stored']);
    },
  );

  test('puts no last state, not even for a moment', async () => {
    const cruise = await archived();
    cruise.table.expire(key);
    await erase(cruise, cruise.youngest());
    const asked: string[] = [];
    watchArchive(cruise.worker, (request) => asked.push(request));
    await cruise.archive();

    expect(cruise.outcomes()).toEqual(['stored', 'erased']);
    expect(asked).toEqual(['head']);
  });
});

describe('a life that begins after a deletion', () => {
  test('is not mistaken for an identical older life, even if the older record archives it', async () => {
    const { cruise, insert, deletion } = insertedAndDeleted();
    await cruise.archive(deletion);
    cruise.table.put(expiring);
    await cruise.archive(insert);
    const stored = cruise.objects.current(location)?.etag;
    await cruise.archive(deletion);

    expect(stored).toBeDefined();
    expect(cruise.objects.current(location)?.etag).toBe(stored);
  });

  test('can be restored after its expiry, even if the deletion is processed only then', async () => {
    const { cruise, insert, deletion } = insertedAndDeleted();
    cruise.table.put(expiring);
    for (const records of [insert, undefined]) await cruise.archive(records);
    cruise.table.expire(key);
    for (const records of [undefined, deletion]) await cruise.archive(records);

    expect(cruise.objects.keys()).toEqual([location, lastState]);
  });
});

describe('an item that is stored without a record, under a rule that erases', () => {
  test.each([
    ['is erased if its deletion was noted during its put', false],
    ['is stored as part of its next life if that began before the put finished', true],
  ])('%s', async (_, recreated) => {
    const cruise = erasing();
    cruise.table.put(expiring);
    beforeFirst(cruise.worker, 'put', location, async () => {
      await cruise.archive(aDeletion(cruise));
      if (recreated) cruise.table.put(expiring);
    });

    expect(await store(cruise)).toMatchObject(
      recreated
        ? { report: { outcome: 'stored' }, item: expiring }
        : { report: { outcome: 'gone' }, item: undefined },
    );
    const noted = await erasedUpTo(cruise.objects, location);
    expect(cruise.sequences(location)).toEqual(recreated ? [noted + 1n] : []);
  });
});

function erasing(): CruiseArchive {
  return new CruiseArchive({ onDelete: 'erase' });
}

/** An archive that erases, and holds a ticket. */
async function archived(): Promise<CruiseArchive> {
  const cruise = erasing();
  await cruise.archived(expiring);
  return cruise;
}

/** The same, and the records of the ticket's return to its archived state, not yet processed. */
async function withLateRecord() {
  const cruise = await archived();
  cruise.table.put(aTicket());
  cruise.table.put(expiring);
  return { cruise, late: cruise.records() };
}

/** The records of another life of that ticket, and of its deletion. */
function aDeletion(cruise: CruiseArchive): StreamRecord[] {
  cruise.table.put(expiring);
  cruise.table.delete(key);
  return cruise.records();
}

/** An archive that erases, over a ticket that was inserted and deleted, and the records of both. */
function insertedAndDeleted() {
  const cruise = erasing();
  cruise.table.put(expiring);
  const insert = cruise.records();
  cruise.table.delete(key);
  return { cruise, insert, deletion: cruise.records() };
}

function store({ worker }: CruiseArchive) {
  const rule = bound(defineArchive({ name: 'archive-tickets', kinds: [ticket], onDelete: 'erase' }));
  return archiveState(worker.archiveContext, { rule, kind: boundKind(ticket), key, sequence: 0n });
}

function erase({ worker }: CruiseArchive, upTo: bigint): Promise<void> {
  return eraseUpTo(worker.archive, location, upTo, worker.archiveContext.nonce());
}
