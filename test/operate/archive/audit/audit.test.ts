import { describe, expect, test } from 'vitest';
import { manifestPrefixOf } from '../../../../src/worker/archive/batch-object.ts';
import { objectKeyOf } from '../../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../../src/worker/archive/ports.ts';
import { CruiseArchive, layouts } from '../../../fixtures/cruises/cruise-archive.ts';
import { audit, copied, wrongs } from '../../../fixtures/cruises/cruise-audit.ts';
import { aBooking, aLeg, aTicket, aVoyage } from '../../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const changed = aTicket({ EndsAt: 1_000, Price: 1 });

describe.each(layouts)('in the layout %s', (layout) => {
  test('a table whose items are archived in their current and their last states is in order', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(aTicket({ Part: 'TICKET#u', EndsAt: 1 }), aLeg({ Part: 'TICKET#u', EndsAt: 1 }));
    await cruise.archived(ticket, aLeg({ EndsAt: 1_000 }), aVoyage({ EndsAt: 1_000 }));
    cruise.table.put(aTicket({ Part: 'TICKET#v' }));
    cruise.table.put(aBooking('g', { EndsAt: 1 }));
    cruise.table.expire(keyIn(aBooking('g')));
    cruise.table.put(aBooking('h', { EndsAt: 1 }));

    expect(await audit(cruise, { read: true })).toEqual({
      findings: [],
      counts: { exists: 3, ended: 2, erased: 0, findings: 0, read: 5, unread: 0 },
    });
  });

  test('an item whose TTL attribute is no number does not expire, and is not missing', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived({ ...ticket, EndsAt: { S: '1000' } }, { ...aLeg(), EndsAt: { NULL: true } });

    const { findings, counts } = await audit(cruise);
    expect([findings, counts.exists, cruise.objects.keys()]).toEqual([[], 0, []]);
  });

  test('an expiring item that is not archived is missing', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(aTicket({ Part: 'TICKET#u', EndsAt: 1_000 }));
    cruise.table.put(ticket);

    const { findings } = await audit(cruise);

    expect(findings).toEqual([
      {
        wrong: 'missing',
        rule: 'archive-tickets',
        kind: 'Ticket',
        key: keyIn(ticket),
        objectKey: layout === 'object' ? objectKeyOf('Ticket', keyIn(ticket)) : manifestPrefixOf('Ticket'),
        sequence: undefined,
      },
    ]);
  });

  test('an item that has changed since it was archived is outdated, even if an older version matches', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    await cruise.archived(changed);
    cruise.table.put(ticket);

    expect(wrongs(await audit(cruise))).toEqual([['outdated', 'Ticket', 'TICKET']]);
  });

  test('an item that ended twice in the same state is lost if the second end is not archived', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    await cruise.archived(changed);
    cruise.table.put(ticket);
    cruise.table.expire(keyIn(ticket));

    expect(wrongs(await audit(cruise))).toEqual([['lost', 'Ticket', 'TICKET']]);
  });

  test('an item that has ended is lost if its last state is not archived', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    cruise.table.put(changed);
    cruise.table.expire(keyIn(ticket));
    const removal = cruise.table.history.at(-1)?.sequence;

    const { findings } = await audit(cruise);

    expect(findings).toMatchObject([
      {
        ...{ wrong: 'lost', kind: 'Ticket', key: keyIn(ticket), sequence: removal },
        objectKey:
          layout === 'object'
            ? `${objectKeyOf('Ticket', keyIn(ticket))}.${removal}`
            : manifestPrefixOf('Ticket'),
      },
    ]);
  });

  test('a last state is found even if the item was recreated and archived again', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    await cruise.archived(changed);
    await cruise.archived(aTicket({ EndsAt: 1_000, Price: 2 }));

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('an item that is gone or has lost its expiry after the grace period is dismissed', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    cruise.table.put(aLeg({ EndsAt: 1_000 }));
    cruise.worker.port.before = ({ kind }) => {
      if (kind !== 'getMany') return;
      cruise.table.delete(keyIn(ticket));
      cruise.table.put(aLeg());
    };

    expect(wrongs(await audit(cruise))).toEqual([]);
    expect(cruise.worker.port.counts.getMany).toBe(1);
  });

  test('a body that differs from what was put is damaged, if bodies are read', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    const { archive } = cruise.worker;
    const [objectKey = ''] = archive.keys();
    const reader = cruise.reader();
    const damaging: ArchiveReader = {
      ...reader,
      read: async (key, version) =>
        key === objectKey ? Buffer.from('{"Item":{}}') : reader.read(key, version),
    };

    expect(wrongs(await audit(cruise, { reader: damaging }))).toEqual([]);
    expect(wrongs(await audit(cruise, { reader: damaging, read: true }))).toEqual([
      ['damaged', 'Ticket', 'TICKET'],
    ]);
  });

  test('a body in Glacier is counted, and not read', async () => {
    const cruise = new CruiseArchive({ layout, storageClass: 'GLACIER' });
    await cruise.archived(ticket);

    expect(await audit(cruise, { read: true })).toMatchObject({
      findings: [],
      counts: { read: 0, unread: 1 },
    });
  });

  test('states in the other layout count too: the rule may have changed', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    const other = new CruiseArchive({ layout: layout === 'object' ? 'batch' : 'object' });
    other.table.put(ticket);

    expect(wrongs(await audit(other, { reader: cruise.reader() }))).toEqual([]);
    other.table.put(changed);
    expect(wrongs(await audit(other, { reader: cruise.reader() }))).toEqual([
      ['outdated', 'Ticket', 'TICKET'],
    ]);
  });

  test('states in the other layout count even if the rule’s own layout has an older state', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(changed);
    const other = new CruiseArchive({ layout: layout === 'object' ? 'batch' : 'object' });
    await other.archived(ticket);
    copied(other, cruise);
    cruise.table.put(ticket);

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('a user’s deletion requires nothing if the rule keeps, and a last state if it archives', async () => {
    for (const [onDelete, expected] of [
      ['keep', []],
      ['archive', [['lost', 'Ticket', 'TICKET']]],
    ] as const) {
      const cruise = new CruiseArchive({ layout, onDelete });
      await cruise.archived(ticket);
      cruise.table.put(aTicket());
      cruise.table.delete(keyIn(ticket));

      expect(wrongs(await audit(cruise))).toEqual(expected);
    }
  });

  test('many problems are all reported, once each', async () => {
    const cruise = new CruiseArchive({ layout });
    for (let leg = 0; leg < 2_500; leg += 1) cruise.table.put(aLeg({ Sort: `LEG#${leg}`, EndsAt: 1_000 }));

    const { findings, counts } = await audit(cruise);

    expect(findings).toHaveLength(2_500);
    expect(new Set(findings.map(({ key }) => key?.sk)).size).toBe(2_500);
    expect(counts).toMatchObject({ exists: 2_500, findings: 2_500 });
  });
});
