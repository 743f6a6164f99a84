import { describe, expect, test } from 'vitest';
import type { ArchiveRuleSpec } from '../../../../src/model/rules/archive-rule.ts';
import { predicate } from '../../../../src/model/rules/predicate.ts';
import { auditErasures } from '../../../../src/operate/archive/audit/audit-erasures.ts';
import { digestOf, erasureNoteKeyOf, objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { CruiseArchive } from '../../../fixtures/cruises/cruise-archive.ts';
import { audit, auditing, erasedInVain, graceFor, wrongs } from '../../../fixtures/cruises/cruise-audit.ts';
import { aLeg, aTicket, aVoyage } from '../../../fixtures/cruises/cruise-items.ts';
import { leg } from '../../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const changed = aTicket({ EndsAt: 1_000, Price: 1 });
const key = keyIn(ticket);
const objectKey = objectKeyOf('Ticket', key);
const erasing: Partial<ArchiveRuleSpec> = { onDelete: 'erase' };
const left = [['left', 'Ticket', 'TICKET']];

describe('under a rule that erases', () => {
  test('a deletion that erased everything is in order, and so is a life after it', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(aTicket({ Part: 'TICKET#u', EndsAt: 1_000 }));
    await cruise.expired(ticket);
    await cruise.archived(changed);
    cruise.table.delete(key);
    await cruise.worker.archiveRest();
    await cruise.archived(aTicket({ EndsAt: 1_000, Price: 2 }));

    expect(await audit(cruise, { read: true })).toMatchObject({
      findings: [],
      counts: { exists: 2, ended: 1, erased: 1, read: 2 },
    });
  });

  test('states that a deletion should have erased are left, and reported once', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.delete(key);

    expect(wrongs(await audit(cruise))).toEqual(left);
  });

  test('states that an erasure left behind are reported, however long ago it was', async () => {
    const cruise = new CruiseArchive({ ...erasing, when: [predicate(leg, { reads: [], item: () => true })] });
    await cruise.archived(ticket, aLeg({ EndsAt: 1_000 }));
    await erasedInVain(cruise, key);
    await erasedInVain(cruise, keyIn(aLeg()));
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual([...left, ['left', 'Leg', 'LEG#1']]);
  });

  test('states without a final one are left, whatever when says of another kind', async () => {
    const cruise = new CruiseArchive({ ...erasing, when: [predicate(leg, { reads: [], item: () => true })] });
    await cruise.archived(ticket, aLeg({ EndsAt: 1_000 }));
    for (const one of [ticket, aLeg()]) cruise.table.delete(keyIn(one));
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual(left);
  });

  test('a last state that a later erasure left behind is reported', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.expired(ticket);
    await cruise.archived(changed);
    await erasedInVain(cruise, key);
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual(left);
  });

  test('an item that has expired, in its archived state or in another, must not be erased', async () => {
    const cruise = new CruiseArchive(erasing);
    const other = aTicket({ Part: 'TICKET#u', EndsAt: 1_000 });
    await cruise.archived(other);
    cruise.table.put({ ...other, Price: { N: '1' } });
    cruise.table.expire(keyIn(other));
    await cruise.expired(ticket);
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('a deletion in progress is not a failed one', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.delete(key);

    expect(wrongs(await audit(cruise, { clock: graceFor(() => cruise.worker.archiveRest()) }))).toEqual([]);
  });

  test.each<[string, (cruise: CruiseArchive) => Promise<unknown>]>([
    ['is put again', async ({ table }) => table.put(aTicket())],
    ['turns out to have expired', (cruise) => cruise.archive()],
  ])('an item without a last state that %s within the grace period is in order', async (_, act) => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.expire(key);
    const end = cruise.records();
    cruise.table.history.length = 0;
    cruise.records = () => end;

    expect(wrongs(await audit(cruise))).toEqual(left);
    const clock = graceFor(async () => void (await act(cruise)));
    expect(wrongs(await audit(cruise, { clock }))).toEqual([]);
  });

  test('states that an erasure left behind are reported even below a later life', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    await erasedInVain(cruise, key);
    cruise.table.put(changed);
    // Put as by a worker that has not read the note.
    const { archive } = cruise.worker;
    const sequence = cruise.table.history.at(-1)?.sequence ?? 0n;
    archive.store(
      objectKey,
      { body: '', digest: digestOf(changed), sequence },
      archive.current(objectKey)?.etag,
    );

    expect(wrongs(await audit(cruise))).toEqual(left);
  });

  test('states that an erasure left behind are erased when a later life is archived', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    await erasedInVain(cruise, key);
    await cruise.archived(changed);

    expect(wrongs(await audit(cruise))).toEqual([]);
    expect(cruise.worker.archive.versions(objectKey)).toHaveLength(1);
  });

  test('states that an erasure left behind are reported even below a later life that has expired', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    await erasedInVain(cruise, key);
    cruise.table.put(changed);
    cruise.worker.archiveStream.take();
    cruise.table.expire(key);
    await cruise.worker.archiveRest();
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual(left);
  });

  test('a last state is left if a rule that did not erase kept it at that very deletion', async () => {
    const cruise = new CruiseArchive({ onDelete: 'archive' });
    cruise.table.put(aTicket());
    cruise.table.delete(key);
    await cruise.worker.archiveRest();
    const sequence = cruise.table.history.at(-1)?.sequence ?? 0n;
    const { registry } = new CruiseArchive(erasing).worker.context;

    expect(wrongs(await audit(cruise, { registry }))).toEqual(left);
    cruise.table.history.length = 0;
    expect(wrongs(await audit(cruise, { registry }))).toEqual([]);
    cruise.worker.archive.store(erasureNoteKeyOf(objectKey), { body: '', digest: '', sequence }, undefined);
    expect(wrongs(await audit(cruise, { registry }))).toEqual(left);
  });

  test('items of a rule that keeps them are not searched', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(aVoyage({ EndsAt: 1_000 }));
    cruise.table.delete(keyIn(aVoyage()));

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('an object in Glacier without metadata of its item is attributed to no item', async () => {
    const cruise = new CruiseArchive({ ...erasing, storageClass: 'GLACIER' });
    const long = aTicket({ Part: `TICKET#${'t'.repeat(1_200)}`, EndsAt: 1_000 });
    await cruise.archived(long);
    cruise.table.delete(keyIn(long));
    cruise.table.history.length = 0;
    const reader = cruise.reader();

    const { findings } = await audit(cruise, {
      reader: {
        ...reader,
        async details(of, version) {
          const details = await reader.details(of, version);
          return details && { ...details, of: undefined };
        },
      },
    });

    expect(wrongs({ findings })).toEqual([]);
    expect(wrongs(await audit(cruise))).toEqual(left);
  });
});

describe('the search for states that should have been erased', () => {
  /** Deletes 150 tickets and erases none yet. @returns the number reported after each group, and the time it took */
  async function lookedThrough(cruise: CruiseArchive, stop: (clock: VirtualClock, told: number) => boolean) {
    const clock = new VirtualClock();
    const began = clock.now();
    const told: number[] = [];
    const { running, findings } = auditing(cruise, { clock, stop: () => stop(clock, told.length) });
    await auditErasures(running, (items) => told.push(items));
    await running.finish();
    return { told, took: clock.now() - began, findings: findings.length };
  }

  async function manyDeleted(): Promise<CruiseArchive> {
    const cruise = new CruiseArchive(erasing);
    const tickets = Array.from({ length: 150 }, (_, at) => aTicket({ Part: `TICKET#${at}`, EndsAt: 1_000 }));
    await cruise.archived(...tickets);
    for (const each of tickets) cruise.table.delete(keyIn(each));
    return cruise;
  }

  test('looks up a hundred items at a time, and reports after one grace period', async () => {
    expect(await lookedThrough(await manyDeleted(), () => false)).toEqual({
      told: [100, 150],
      took: 10_000,
      findings: 150,
    });
  });

  test('does not wait if nothing is left behind', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);

    expect(await lookedThrough(cruise, () => false)).toEqual({ told: [1], took: 0, findings: 0 });
  });

  test('stops between two groups', async () => {
    expect(await lookedThrough(await manyDeleted(), (_, told) => told === 1)).toEqual({
      told: [100],
      took: 0,
      findings: 0,
    });
  });

  test('stops within its grace period, and reports no state that was found only once', async () => {
    const { took, findings } = await lookedThrough(
      await manyDeleted(),
      (clock) => clock.now() > Date.UTC(2026, 0, 1) + 1_000,
    );

    expect(findings).toBe(0);
    expect(took).toBeLessThan(3_000);
  });
});
