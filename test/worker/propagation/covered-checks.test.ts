import { describe, expect, test } from 'vitest';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aBooking, aGuestTicket, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

describe('a copy whose root matches in the same batch', () => {
  test('is still checked if another rule matches', async () => {
    const registry = makeRegistry(table, [only('State'), only('Captain')]);
    const worker = workerOver([aVoyage(), aBooking('g')], {}, registry);
    worker.table.put(aVoyage({ Captain: 'Nemo' }));
    worker.table.update(keyIn(aBooking('g')), { set: { State: { S: 'MEDDLED' } } });

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({
      State: { S: 'OPEN' },
      Captain: { S: 'Nemo' },
    });
  });

  test('is not checked if it is in a location of a root that moves', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.put(aGuestTicket({ Part: 'GUEST#43', Price: 1 }));

    await oneBatch(worker);

    const propagations = worker.telemetry.propagations.filter(
      ({ rule }) => rule === 'ticket-on-guest-ticket',
    );
    expect(propagations).toMatchObject([{ cause: 'changed', written: 1 }]);
    expect(worker.telemetry.checks).toEqual([]);
  });

  test('is checked if no record of its root locates the copies', async () => {
    const worker = workerOver([aTicket({ GuestId: undefined })]);
    worker.table.put(aTicket({ GuestId: undefined, Price: 1 }));
    worker.table.put(aGuestTicket());

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(worker.telemetry.checks).toMatchObject([{ copies: 1 }]);
  });
});

test('a copy is checked by each rule that copies from its root', async () => {
  const registry = makeRegistry(table, [only('State'), only('Captain')]);
  const worker = workerOver([aVoyage()], {}, registry);
  worker.table.put(aBooking('g', { State: 'stale', Captain: 'stale' }));

  await oneBatch(worker);

  expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({
    State: { S: 'OPEN' },
    Captain: { S: 'Ahab' },
  });
});

describe('a check that finds nothing to do', () => {
  test('runs no propagation', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('g'));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 1, itemsRead: 1 });
    expect(worker.telemetry.propagations).toEqual([]);
  });
});

test('an invalid record is delivered again if it cannot be dead-lettered', async () => {
  const worker = workerOver([]);
  worker.queue.refusing = true;

  const failed = await propagateBatch(worker.context, [
    { id: 'r', says: { unreadable: 'Expected both images', record: 'r' } },
  ]);

  expect([...failed.keys()]).toEqual(['r']);
});

/** A rule that copies one attribute of a voyage to its bookings. */
function only(name: string): Rule {
  return {
    ...voyageOnBookings,
    name: `only-${name.toLowerCase()}`,
    reads: { root: [], copy: [] },
    copies: [name],
    derive: {},
    own: [],
    unknown: 'keep',
  };
}
