import { expect, test } from 'vitest';
import type { ArchiveRuleSpec } from '../../../../src/model/rules/archive-rule.ts';
import { archivedAs } from '../../../../src/model/rules/registry.ts';
import { archiveState } from '../../../../src/worker/archive/archive-item.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { CruiseArchive, layouts } from '../../../fixtures/cruises/cruise-archive.ts';
import { audit, wrongs } from '../../../fixtures/cruises/cruise-audit.ts';
import { aTicket } from '../../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const changed = aTicket({ EndsAt: 1_000, Price: 1 });
const key = keyIn(ticket);
const objectKey = objectKeyOf('Ticket', key);
const lost = [['lost', 'Ticket', 'TICKET']];

test.each(layouts)('a last state that was archived at its end is found, in the layout %s', async (layout) => {
  const cruise = new CruiseArchive({ layout });
  await cruise.archived(ticket);
  cruise.table.put(changed);
  cruise.worker.archiveStream.take();
  cruise.table.expire(key);
  await cruise.archived(aTicket({ EndsAt: 1_000, Price: 2 }));

  expect(wrongs(await audit(cruise))).toEqual([]);
});

test('a last state is not mistaken for the last state of an earlier life', async () => {
  const cruise = new CruiseArchive({ onDelete: 'archive' });
  cruise.table.put(aTicket());
  cruise.table.delete(key);
  await cruise.worker.archiveRest();
  cruise.table.put(aTicket());
  cruise.table.delete(key);

  expect(wrongs(await audit(cruise))).toEqual(lost);
});

test('a last state is found below a state of a later life that a sweep put', async () => {
  const cruise = new CruiseArchive();
  await cruise.expired(ticket);
  cruise.table.put(aTicket({ Price: 1 }));
  await swept(cruise);

  expect(wrongs(await audit(cruise))).toEqual([]);
});

test('a last state that a sweep had put is found below a later life', async () => {
  const cruise = new CruiseArchive({ onDelete: 'archive' });
  cruise.table.put(aTicket());
  await cruise.worker.archiveRest();
  await swept(cruise);
  cruise.table.delete(key);
  await cruise.worker.archiveRest();
  await cruise.archived(changed);

  expect(wrongs(await audit(cruise))).toEqual([]);
});

test('a last state that a later deletion erased is in order, even if the rule has changed since', async () => {
  const cruise = new CruiseArchive({ onDelete: 'erase' });
  await cruise.expired(ticket);
  await cruise.archived(changed);
  cruise.table.delete(key);
  await cruise.worker.archiveRest();

  expect(wrongs(await audit(cruise))).toEqual([]);
  expect(wrongs(await audit(cruise, under({ onDelete: 'keep' })))).toEqual([]);
});

test('a last state that is missing is lost even if an earlier deletion erased', async () => {
  const cruise = new CruiseArchive({ onDelete: 'erase' });
  await cruise.archived(ticket);
  cruise.table.delete(key);
  await cruise.worker.archiveRest();
  cruise.table.put(changed);
  cruise.table.expire(key);

  expect(wrongs(await audit(cruise))).toEqual(lost);
});

test('an expiry that was taken for a deletion, and erased everything, is in order', async () => {
  const cruise = new CruiseArchive({ onDelete: 'erase' });
  cruise.table.put(ticket);
  cruise.table.expire(key);
  const { sequence } = cruise.table.history.at(-1) ?? {};
  const note = { body: '', digest: '', ...(sequence !== undefined && { sequence }) };
  cruise.worker.archive.store(erasureNoteKeyOf(objectKey), note, undefined);

  expect(wrongs(await audit(cruise))).toEqual([]);
});

test('a state that is erased between its listing and the read of its metadata is not left', async () => {
  const cruise = new CruiseArchive({ onDelete: 'erase' });
  await cruise.archived(ticket);
  cruise.table.delete(key);
  const reader = cruise.reader();

  const { findings } = await audit(cruise, {
    reader: {
      ...reader,
      details: async (of, version) => (version === undefined ? reader.details(of) : undefined),
    },
  });

  expect(findings).toEqual([]);
});

/** Puts the item in its current state, without a record. */
async function swept({ worker }: CruiseArchive): Promise<void> {
  const archived = archivedAs(worker.context.registry, aTicket()) ?? expect.fail('no rule for tickets');
  await archiveState(worker.archiveContext, { ...archived, key, sequence: 0n });
}

/** An audit under other rules than those of the archive. */
function under(spec: Partial<ArchiveRuleSpec>) {
  return { registry: new CruiseArchive(spec).worker.context.registry };
}
