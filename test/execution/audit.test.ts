import { describe, expect, test } from 'vitest';
import { manifestPrefixOf } from '../../src/domain/archive-batch-object.ts';
import { objectKeyOf } from '../../src/domain/archive-object.ts';
import type { ArchiveRuleSpec } from '../../src/domain/archive-rule.ts';
import { Unavailable } from '../../src/domain/errors.ts';
import { Audit, type AuditCounts, type Auditing } from '../../src/execution/audit/audit.ts';
import { auditErasures, auditHistory, auditItems } from '../../src/execution/audit/audit-table.ts';
import type { AuditFinding } from '../../src/execution/audit/claim.ts';
import { Budget } from '../../src/execution/budget.ts';
import type { ArchiveReader, ClockPort } from '../../src/execution/ports.ts';
import { wholeTable } from '../../src/execution/scan-table.ts';
import { ModelHistory } from '../model/model-history.ts';
import { ModelScan } from '../model/model-scan.ts';
import { VirtualClock } from '../model/virtual-clock.ts';
import { CruiseArchive, layouts } from './fixtures/cruise-archive.ts';
import { aBooking, aLeg, aTicket, aVoyage } from './fixtures/cruise-items.ts';
import { keyIn } from './fixtures/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const changed = aTicket({ EndsAt: 1_000, Price: 1 });

interface Audited {
  readonly findings: readonly AuditFinding[];
  readonly counts: AuditCounts;
}

async function audit(cruise: CruiseArchive, settings: Partial<Auditing> = {}): Promise<Audited> {
  const findings: AuditFinding[] = [];
  const clock = new VirtualClock();
  const { registry } = cruise.worker.engine;
  const work: Auditing = {
    registry,
    reader: cruise.reader(),
    table: cruise.worker.port,
    clock,
    grace: 10_000,
    read: false,
    concurrency: 8,
    stop: () => false,
    onFinding: (finding) => findings.push(finding),
    ...settings,
  };
  const running = new Audit(work);
  await auditHistory(running, registry, { history: new ModelHistory(cruise.table), clock, pause: 0 });
  await auditItems(running, registry, {
    scan: new ModelScan(cruise.table),
    budget: new Budget(100, clock),
    point: wholeTable(4),
    concurrency: 2,
  });
  await auditErasures(running, work, () => {});
  await running.finish();
  return { findings, counts: running.counts };
}

function wrongs({ findings }: Audited) {
  return findings.map(({ wrong, kind, key }) => [wrong, kind, key?.sk]);
}

describe.each(layouts)('in the layout %s', (layout) => {
  test('a table whose items are archived as they are, and as they last were, is in order', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(aTicket({ Part: 'TICKET#u', EndsAt: 1 }), aLeg({ Part: 'TICKET#u', EndsAt: 1 }));
    await cruise.archived(ticket, aLeg({ EndsAt: 1_000 }), aVoyage({ EndsAt: 1_000 }));
    cruise.table.put(aTicket({ Part: 'TICKET#v' }));
    cruise.table.put(aBooking('g', { EndsAt: 1 }));

    expect(await audit(cruise, { read: true })).toEqual({
      findings: [],
      counts: { stands: 3, ended: 2, erased: 0, findings: 0, read: 5, unread: 0 },
    });
  });

  test('an item that is going to expire and is not archived is missing', async () => {
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

  test('an item that has changed since it was archived is outdated, also where it once was like that', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    await cruise.archived(changed);
    cruise.table.put(ticket);

    expect(wrongs(await audit(cruise))).toEqual([['outdated', 'Ticket', 'TICKET']]);
  });

  test('of many items that were like that once and are archived in a newer state each is outdated', async () => {
    const cruise = new CruiseArchive({ layout });
    const tickets = Array.from({ length: 8 }, (_, at) => ({ Part: `TICKET#${at}`, EndsAt: 1_000 }));
    for (const each of tickets) await cruise.archived(aTicket(each));
    for (const each of tickets) await cruise.archived(aTicket({ ...each, Price: 1 }));
    for (const each of tickets) cruise.table.put(aTicket(each));

    expect(wrongs(await audit(cruise)).map(([wrong]) => wrong)).toEqual(tickets.map(() => 'outdated'));
  });

  test('an item that ended a second time as it had the first is lost, where that end is not archived', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    await cruise.archived(changed);
    cruise.table.put(ticket);
    cruise.table.expire(keyIn(ticket));

    expect(wrongs(await audit(cruise))).toEqual([['lost', 'Ticket', 'TICKET']]);
  });

  test('an item that has ended, and whose last state is not archived, is lost', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    cruise.table.put(changed);
    cruise.table.expire(keyIn(ticket));
    const removal = cruise.table.history.at(-1)?.sequence;

    const { findings } = await audit(cruise);

    expect(findings).toMatchObject([
      { wrong: 'lost', kind: 'Ticket', key: keyIn(ticket), sequence: removal },
    ]);
  });

  test('a last state is found though the item was made anew, and archived again', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    await cruise.archived(changed);
    await cruise.archived(aTicket({ EndsAt: 1_000, Price: 2 }));

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('what is archived within the time of grace is in order', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);

    expect(wrongs(await audit(cruise, { clock: graceFor(() => cruise.worker.archiveRest()) }))).toEqual([]);
  });

  test('what is gone, or does not expire any more, after the time of grace is no matter', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    cruise.table.put(aLeg({ EndsAt: 1_000 }));
    const clock = new VirtualClock();
    clock.sleep(5_000).then(() => {
      cruise.table.delete(keyIn(ticket));
      cruise.table.put(aLeg());
    });

    expect(wrongs(await audit(cruise, { clock }))).toEqual([]);
  });

  test('an item that keeps changing is looked at again, and told after five looks', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    const clock = new VirtualClock();
    let price = 0;
    const again = (): void => {
      clock.sleep(5_000).then(() => {
        price += 1;
        if (price > 100) return;
        cruise.table.put(aTicket({ EndsAt: 1_000, Price: price }));
        again();
      });
    };
    again();
    const began = clock.now();

    expect(wrongs(await audit(cruise, { clock }))).toEqual([['missing', 'Ticket', 'TICKET']]);
    expect(clock.now() - began).toBeGreaterThanOrEqual(40_000);
  });

  test('a body that is not what was put is damaged, where bodies are read', async () => {
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

  test('a body in Glacier is not read, and counted', async () => {
    const cruise = new CruiseArchive({ layout, storageClass: 'GLACIER' });
    await cruise.archived(ticket);

    expect(await audit(cruise, { read: true })).toMatchObject({
      findings: [],
      counts: { read: 0, unread: 1 },
    });
  });

  test('what the other layout holds counts too: the rule may have changed', async () => {
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

  test('an archive that answers late is asked again', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    const reader = cruise.reader();
    let failures = 2;
    const failing: ArchiveReader = {
      ...reader,
      async details(objectKey, versionId) {
        failures -= 1;
        if (failures >= 0) throw new Unavailable('aws.throttled', 'HeadObject was throttled');
        return reader.details(objectKey, versionId);
      },
    };

    expect(wrongs(await audit(cruise, { reader: failing }))).toEqual([]);
  });

  test('a user’s deletion claims nothing where the rule keeps, and a last state where it archives', async () => {
    for (const [onDelete, expected] of [
      ['keep', []],
      ['archive', [['lost', 'Ticket', 'TICKET']]],
    ] as const) {
      const cruise = new CruiseArchive({ layout, onDelete });
      cruise.table.put(aTicket());
      cruise.table.delete(keyIn(ticket));

      expect(wrongs(await audit(cruise))).toEqual(expected);
    }
  });

  test('many that are wrong are all told, once each', async () => {
    const cruise = new CruiseArchive({ layout });
    for (let leg = 0; leg < 2_500; leg += 1) cruise.table.put(aLeg({ Sort: `LEG#${leg}`, EndsAt: 1_000 }));

    const { findings, counts } = await audit(cruise);

    expect(findings).toHaveLength(2_500);
    expect(new Set(findings.map(({ key }) => key?.sk)).size).toBe(2_500);
    expect(counts).toMatchObject({ stands: 2_500, findings: 2_500 });
  });
});

test('a batch that is gone, its manifest being left, is damaged', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  await cruise.archived(ticket);
  const { archive } = cruise.worker;
  const [objectKey = ''] = archive.keys();
  for (const { etag } of archive.versions(objectKey)) archive.eraseVersion(objectKey, etag);

  expect(wrongs(await audit(cruise))).toEqual([['damaged', 'Ticket', 'TICKET']]);
});

describe('under a rule that erases', () => {
  const erasing: Partial<ArchiveRuleSpec> = { onDelete: 'erase' };

  test('a deletion that has taken everything is in order, and so is a life after it', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.expired(ticket);
    await cruise.archived(changed);
    cruise.table.delete(keyIn(ticket));
    await cruise.worker.archiveRest();
    await cruise.archived(aTicket({ EndsAt: 1_000, Price: 2 }));

    expect(await audit(cruise)).toMatchObject({ findings: [], counts: { stands: 1, ended: 1, erased: 1 } });
  });

  test('states that a deletion ought to have taken are left, and told once', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.delete(keyIn(ticket));

    expect(wrongs(await audit(cruise))).toEqual([['left', 'Ticket', 'TICKET']]);
  });

  test('states that an erasure has left are told, however long ago it was', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.delete(keyIn(ticket));
    const { archive } = cruise.worker;
    const erase = archive.erase.bind(archive);
    archive.erase = async () => {};
    await cruise.worker.archiveRest();
    archive.erase = erase;
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual([['left', 'Ticket', 'TICKET']]);
  });

  test('a last state that a later erasure has left is told', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.expired(ticket);
    await cruise.archived(changed);
    cruise.table.delete(keyIn(ticket));
    const { archive } = cruise.worker;
    const erase = archive.erase.bind(archive);
    archive.erase = async () => {};
    await cruise.worker.archiveRest();
    archive.erase = erase;
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual([['left', 'Ticket', 'TICKET']]);
  });

  test('an item that has expired is not to be erased', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.expired(ticket);
    cruise.table.history.length = 0;

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('a deletion on its way is none that has failed', async () => {
    const cruise = new CruiseArchive(erasing);
    await cruise.archived(ticket);
    cruise.table.delete(keyIn(ticket));

    expect(wrongs(await audit(cruise, { clock: graceFor(() => cruise.worker.archiveRest()) }))).toEqual([]);
  });
});

/** A clock on which this is done, however long it really takes, while an audit waits for its second look. */
function graceFor(work: () => Promise<void>): ClockPort {
  const clock = new VirtualClock();
  let done: Promise<void> | undefined;
  return {
    now: () => clock.now(),
    async sleep(milliseconds) {
      // Shorter pauses are those of the scan's budget.
      if (milliseconds >= 100) done ??= work();
      await done;
      await clock.sleep(milliseconds);
    },
  };
}

test('who asks to stop is not kept waiting for a grace', async () => {
  const cruise = new CruiseArchive();
  cruise.table.put(ticket);
  const clock = new VirtualClock();
  const began = clock.now();

  await audit(cruise, { clock, stop: () => clock.now() - began > 1_000 });

  expect(clock.now() - began).toBeLessThan(3_000);
});
