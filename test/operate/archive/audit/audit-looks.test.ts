import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import { claimsOfItems } from '../../../../src/operate/archive/audit/claim.ts';
import { CruiseArchive, layouts, watchedReader } from '../../../fixtures/cruises/cruise-archive.ts';
import { audit, auditing, wrongs } from '../../../fixtures/cruises/cruise-audit.ts';
import { aLeg, aTicket } from '../../../fixtures/cruises/cruise-items.ts';
import { keyed, keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';

const ticket = aTicket({ EndsAt: 1_000 });

describe.each(layouts)('in the layout %s', (layout) => {
  test('a claim that holds at the first check needs no wait and no read of the table', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    const clock = new VirtualClock();
    const began = clock.now();

    await audit(cruise, { clock });

    expect(cruise.worker.port.counts.getMany).toBe(0);
    expect(clock.now()).toBe(began);
  });

  test('an unchanged item that is wrong is reported after one grace period', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    cruise.table.put(aLeg({ EndsAt: 1_000 }));
    cruise.table.expire(keyIn(aLeg()));
    const clock = new VirtualClock();
    const began = clock.now();

    expect(wrongs(await audit(cruise, { clock })).toSorted()).toEqual([
      ['lost', 'Leg', 'LEG#1'],
      ['missing', 'Ticket', 'TICKET'],
    ]);
    expect(clock.now() - began).toBe(10_000);
  });

  test('an item that keeps changing is reported after five more checks', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    let price = 0;
    cruise.worker.port.before = ({ kind }) => {
      if (kind !== 'getMany' || price === 100) return;
      price += 1;
      cruise.table.put(aTicket({ EndsAt: 1_000, Price: price }));
    };
    const clock = new VirtualClock();
    const began = clock.now();

    expect(wrongs(await audit(cruise, { clock }))).toEqual([['missing', 'Ticket', 'TICKET']]);
    expect(clock.now() - began).toBe(50_000);
  });

  test('a stop ends the grace period, and problems that were found only once are not reported', async () => {
    const cruise = new CruiseArchive({ layout });
    cruise.table.put(ticket);
    const clock = new VirtualClock();
    const began = clock.now();

    const { findings } = await audit(cruise, { clock, stop: () => clock.now() - began > 1_000 });

    expect(findings).toEqual([]);
    expect(clock.now() - began).toBeLessThan(3_000);
  });

  test('a body that is compared is read once, and its metadata is read once', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    const { reader, asked } = watchedReader(cruise.reader());

    await audit(cruise, { reader, read: true });

    const [objectKey] = cruise.worker.archive.keys();
    const ofObject = asked.filter((request) => request.includes(' archive/'));
    expect(ofObject).toEqual([`details ${objectKey}`, `read ${objectKey}`]);
  });

  test('a body that is temporarily unavailable is read again, and one that is denied is not damage', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(ticket);
    let failures: Error[] = [];
    const { reader: failing } = watchedReader(cruise.reader(), (request) => {
      const failure = request.startsWith('read archive/') ? failures.shift() : undefined;
      if (failure !== undefined) throw failure;
    });

    failures = [new TransientError('aws.throttled', 'GetObject was throttled')];
    expect(await audit(cruise, { reader: failing, read: true })).toMatchObject({
      findings: [],
      counts: { read: 1 },
    });
    failures = [new FatalError('aws.denied', 'GetObject was denied')];
    await expect(audit(cruise, { reader: failing, read: true })).rejects.toThrow('GetObject was denied');
  });
});

test('the grace period is exact to the millisecond', async () => {
  const cruise = new CruiseArchive();
  cruise.table.put(ticket);
  const clock = new VirtualClock();
  const began = clock.now();

  await audit(cruise, { clock, grace: 300 });

  expect(clock.now() - began).toBe(300);
});

test('a thousand suspects are checked again before more are taken up', async () => {
  const cruise = new CruiseArchive();
  for (let leg = 0; leg < 1_000; leg += 1) cruise.table.put(aLeg({ Sort: `LEG#${leg}`, EndsAt: 1_000 }));
  const { running, work, findings } = auditing(cruise);
  const [first, ...others] = claimsOfItems(work.registry, cruise.table.items().map(keyed));

  await running.look(others);
  expect(findings).toHaveLength(0);
  await running.look(first === undefined ? [] : [first]);
  expect(findings).toHaveLength(1_000);
});

test('the second check reads only existing items from the table', async () => {
  const cruise = new CruiseArchive();
  cruise.table.put(ticket);
  cruise.table.put(aLeg({ EndsAt: 1_000 }));
  cruise.table.expire(keyIn(aLeg()));
  const asked: unknown[] = [];
  cruise.worker.port.before = (request) => {
    if (request.kind === 'getMany') asked.push(...request.keys);
  };

  await audit(cruise);

  expect(asked).toEqual([keyIn(ticket)]);
});

test('an item that ended twice, with neither last state archived, is reported twice', async () => {
  const cruise = new CruiseArchive();
  for (const price of [1, 2]) {
    cruise.table.put(aTicket({ EndsAt: 1_000, Price: price }));
    cruise.table.expire(keyIn(ticket));
  }

  expect(wrongs(await audit(cruise))).toEqual([
    ['lost', 'Ticket', 'TICKET'],
    ['lost', 'Ticket', 'TICKET'],
  ]);
});
