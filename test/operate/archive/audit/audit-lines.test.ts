import { expect, test } from 'vitest';
import { defineArchive } from '../../../../src/model/rules/archive-rule.ts';
import { claimsOfItems } from '../../../../src/operate/archive/audit/claim.ts';
import { archiveLines } from '../../../../src/worker/archive/archive-lines.ts';
import { objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { CruiseArchive, watchedReader } from '../../../fixtures/cruises/cruise-archive.ts';
import { audit, auditing, wrongs } from '../../../fixtures/cruises/cruise-audit.ts';
import { aLeg, aTicket } from '../../../fixtures/cruises/cruise-items.ts';
import { ticket as ticketKind } from '../../../fixtures/cruises/cruise-kinds.ts';
import { keyed, keyIn } from '../../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const rule = defineArchive({ name: 'archive-tickets', kinds: [ticketKind], layout: 'batch' });

test('an item with another state archived by a sweep is outdated, not missing', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  const swept = { key: keyIn(ticket), item: aTicket(), sequence: 0n, final: false, at: undefined };
  await archiveLines(cruise.worker, rule, ticketKind, [swept]);
  cruise.table.put(ticket);

  expect(wrongs(await audit(cruise))).toEqual([['outdated', 'Ticket', 'TICKET']]);
});

test('an item without a manifest is looked up only by its object’s key', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  cruise.table.put(ticket);
  const { reader, asked } = watchedReader(cruise.reader());

  await audit(cruise, { reader });

  expect(asked.filter((request) => request.startsWith('details'))).toEqual([
    `details ${objectKeyOf('Ticket', keyIn(ticket))}`,
  ]);
});

test('a batch that is gone while its manifest remains is damaged', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  await cruise.archived(ticket);
  const { archive } = cruise.worker;
  const [objectKey = ''] = archive.keys();
  for (const { etag } of archive.versions(objectKey)) archive.eraseVersion(objectKey, etag);

  expect(wrongs(await audit(cruise))).toEqual([['damaged', 'Ticket', 'TICKET']]);
});

test('a batch that was replaced by something else is damaged', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  await cruise.archived(ticket);
  const { archive } = cruise.worker;
  const [objectKey = ''] = archive.keys();
  archive.store(objectKey, { body: 'something else', digest: 'e1' }, archive.current(objectKey)?.etag);

  expect((await audit(cruise)).findings).toMatchObject([{ wrong: 'damaged', objectKey }]);
});

test('a last state in a line of an earlier rule does not excuse states that a rule should have erased', async () => {
  const cruise = new CruiseArchive();
  await cruise.archived(ticket);
  cruise.table.delete(keyIn(ticket));
  const removal = cruise.table.history.at(-1)?.sequence ?? 0n;
  const last = { key: keyIn(ticket), item: ticket, sequence: removal, final: true, at: undefined };
  await archiveLines(cruise.worker, rule, ticketKind, [last]);
  const { registry } = new CruiseArchive({ onDelete: 'erase' }).worker.context;

  expect(wrongs(await audit(cruise, { registry }))).toEqual([['left', 'Ticket', 'TICKET']]);
});

test('manifests are listed once for all expiring items', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  const legs = Array.from({ length: 300 }, (_, at) => aLeg({ Sort: `LEG#${at}`, EndsAt: 1_000 }));
  await cruise.archived(...legs);
  const { reader, asked } = watchedReader(cruise.reader());

  await audit(cruise, { reader });

  expect(asked.filter((request) => request.startsWith('list'))).toEqual(['list manifests/Leg/']);
});

test('a batch is read once for all its lines, in whatever order their items are found', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  for (let batch = 0; batch < 6; batch += 1)
    await cruise.archived(
      ...[0, 1, 2].map((at) => aTicket({ Part: `TICKET#${at}-${batch}`, EndsAt: 1_000 })),
    );
  const { reader, asked } = watchedReader(cruise.reader());

  const { counts } = await audit(cruise, { reader, read: true });

  expect(counts.read).toBe(18);
  expect(asked.filter((request) => request.startsWith('read archive/'))).toHaveLength(6);
});

test('a hundred thousand items are checked together, and no more are held in memory', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  await cruise.archived(ticket);
  const { reader, asked } = watchedReader(cruise.reader());
  const { running, work } = auditing(cruise, { reader });
  const listed = () => asked.filter((request) => request.startsWith('list')).length;
  const claims = claimsOfItems(work.registry, [keyed(ticket)]);

  await running.look(Array.from({ length: 99_999 }, () => claims).flat());
  expect(listed()).toBe(0);
  await running.look(claims);
  expect(listed()).toBe(1);
  await running.look(claims);
  await running.finish();
  expect(listed()).toBe(2);
});
