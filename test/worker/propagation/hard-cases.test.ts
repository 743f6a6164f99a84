import { describe, expect, test } from 'vitest';
import { recordOf } from '../../../src/develop/testing/table-model/model-stream.ts';
import { keyText } from '../../../src/model/item.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { cruises, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { afterClosing, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { item } from '../../fixtures/model/items.ts';

describe('copies that do not exist', () => {
  test('are not created, not even to add an attribute', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ Wind: 'N' }));
    worker.table.delete(keyIn(aBooking('g')));

    await worker.rest();

    expect(worker.table.items()).toEqual([aVoyage({ Wind: 'N' })]);
  });

  test('are not created in the location of their root', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket());

    await worker.rest();

    expect(worker.table.items()).toEqual([aTicket()]);
  });
});

describe('a copy that names a root elsewhere', () => {
  test('in its attribute but not in its key gets nothing', async () => {
    const worker = workerOver([aTicket(), aGuestTicket({ Part: 'GUEST#mallory' })]);
    worker.table.put(aTicket({ Status: 'secret', StatePart: 'STATUS#secret' }));
    worker.table.update({ pk: 'GUEST#mallory', sk: 'TICKET#2026-01-15' }, { set: { Price: { N: '0' } } });

    await worker.rest();

    expect(JSON.stringify(worker.table.partition('GUEST#mallory'))).not.toContain('secret');
  });

  test('in its attribute but not in its index key gets nothing from either', async () => {
    const odd = aCrewing('s', { SailorId: '2', Name: 'Starbuck' });
    const worker = workerOver([aSailor(), aSailor({ Part: 'SAILOR#2', Name: 'Ahab' }), odd]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    worker.table.put(aSailor({ Part: 'SAILOR#2', Name: 'Nemo' }));
    worker.table.update(keyIn(odd), { set: { Name: { S: 'Flask' } } });

    await worker.rest();

    expect(worker.table.read(keyIn(odd))).toMatchObject({ Name: { S: 'Flask' } });
  });
});

describe('a copy that is checked', () => {
  test('is corrected if it was written late, from a stale root', async () => {
    const worker = workerOver([aSailor({ Name: 'Queequeg' })]);
    worker.table.put(aCrewing('s'));

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aCrewing('s')))).toEqual(aCrewing('s', { Name: 'Queequeg' }));
    expect(worker.telemetry.checks).toEqual([{ copies: 1, differing: 1, orphans: 0 }]);
  });

  test('is corrected if an application overwrites it, and keeps its own attributes', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(item({ Part: 'line_1#voyage_a#bookings', Sort: 'g', Cabin: 'suite', Stray: 1 }));

    await worker.rest();

    expect(worker.table.read(keyIn(aBooking('g')))).toEqual({
      ...aBooking('g', { Cabin: 'suite', OwnerPart: undefined }),
    });
  });

  test('follows a change of its root, even if the rule reads nothing else of it', async () => {
    const worker = workerOver([aTicket(), aLeg()]);
    worker.table.update(keyIn(aLeg()), { set: { PortId: { S: 'q' } } });

    await worker.rest();

    expect(worker.table.read(keyIn(aLeg()))).toEqual(aLeg({ PortId: 'q', OwnerPart: 'PORT#q' }));
  });

  test('is left alone if its root does not exist yet, and is updated when the root is inserted', async () => {
    const worker = workerOver([]);
    worker.table.put(aLeg({ OwnerPart: undefined, OwnerSort: undefined }));
    await worker.rest();
    expect(worker.port.counts.itemsWritten).toBe(0);

    worker.table.put(aTicket());
    await worker.rest();

    expect(worker.table.read(keyIn(aLeg()))).toEqual(aLeg());
  });

  test('reads each root once for many copies', async () => {
    const guests = Array.from({ length: 30 }, (_, index) => `g${index}`);
    const worker = workerOver([aVoyage(), aVoyage({ Sort: 'voyage_b' })]);
    for (const guest of guests) {
      worker.table.put(aBooking(guest));
      worker.table.put(aBooking(guest, { Part: 'line_1#voyage_b#bookings', State: 'stale' }));
    }

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 2, get: 1, update: 1, itemsRead: 2 + 30 + 1, itemsWritten: 30 });
  });

  test('is written alone if the others are correct', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('f'));
    worker.table.put(aBooking('g', { State: 'stale' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'check', written: 1, unchanged: 0 }]);
  });

  test('is dead-lettered if it lacks an attribute that a derivation reads', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aLeg({ PortId: undefined }));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.invalid', message: { copies: [keyIn(aLeg())] } },
    ]);
    expect(worker.port.counts.itemsWritten).toBe(0);
  });

  test('is checked once per batch, even with several records', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    for (const state of ['a', 'b', 'c'])
      worker.table.update(keyIn(aBooking('g')), { set: { State: { S: state } } });

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ itemsWritten: 1 });
  });
});

describe('an item that is its own copy', () => {
  test('gets its derived keys back after a whole-item put that dropped them', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aTicket({ StatePart: undefined, StateSort: undefined }));

    await worker.rest();

    expect(worker.table.read(keyIn(aTicket()))).toEqual(aTicket());
    expect(worker.port.counts).toMatchObject({ itemsWritten: 1, getMany: 1, get: 0 });
  });

  test('gets them from its state at the time of the write', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket({ StatePart: undefined, Status: 'NEW' }));
    let meanwhile = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'update' && meanwhile === 0) {
        meanwhile += 1;
        worker.table.update(keyIn(aTicket()), { set: { Status: { S: 'USED' } } });
      }
    };

    await worker.rest();

    expect(worker.table.read(keyIn(aTicket()))).toMatchObject({
      Status: { S: 'USED' },
      StatePart: { S: 'STATUS#USED' },
    });
  });

  test('is not created again if it was deleted meanwhile', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket({ StatePart: undefined }));
    const batch = worker.stream.take();
    worker.table.delete(keyIn(aTicket()));

    await propagateBatch(worker.context, batch);
    await worker.rest();

    expect(worker.table.items()).toEqual([]);
  });
});

describe('roots that are copies', () => {
  test('propagate what they received, level by level', async () => {
    const worker = workerOver([
      aFleet(),
      aVoyage({ Brand: 'White Star' }),
      aBooking('g', { Brand: 'White Star' }),
    ]);
    worker.table.put(aFleet({ Brand: 'Cunard' }));

    await worker.rest();

    expect(worker.table.read(keyIn(aVoyage()))).toMatchObject({ Brand: { S: 'Cunard' } });
    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({ Brand: { S: 'Cunard' } });
  });
});

describe('keys', () => {
  test.each([
    ['a hash', 'a#b'],
    ['a slash', 'a/b'],
    ['a section sign', 'bear§books'],
    ['an emoji', '🐻'],
    ['two dots', '..'],
    ['1,024 bytes', 's'.repeat(1024)],
  ])('with %s stay exact', async (_, guest) => {
    const worker = workerOver([aVoyage(), aBooking(guest, { Cabin: '1' })], { pageLimit: 1 });
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await worker.rest();

    expect(worker.table.partition('line_1#voyage_a#bookings')).toEqual([
      aBooking(guest, { Cabin: '1', State: 'CLOSED', OwnerSort: 'CLOSED#100' }),
    ]);
  });

  test('with 2,048 bytes of partition key stay exact', async () => {
    const line = 'l'.repeat(2048 - 'line_#voyage_a#bookings'.length);
    const worker = workerOver([
      aVoyage({ Part: `line_${line}#voyages` }),
      aBooking('g', { Part: `line_${line}#voyage_a#bookings`, State: 'stale' }),
    ]);
    worker.table.put(aVoyage({ Part: `line_${line}#voyages`, Captain: 'Nemo' }));

    await worker.rest();

    expect(worker.table.partition(`line_${line}#voyage_a#bookings`)).toMatchObject([
      { Captain: { S: 'Nemo' } },
    ]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('that join to the same text are two items', async () => {
    const one = { Part: 'SHIP#a', Sort: 'CREW#1', SailorId: '1' };
    const other = { Part: 'SHIP#aCREW#', Sort: '1' };
    const worker = workerOver([aSailor()]);
    worker.table.put({ ...aCrewing('a'), ...item({ ...one, Name: 'x' }) });
    worker.table.put(item({ ...other, Name: 'x' }));

    await oneBatch(worker);

    expect(keyText({ pk: one.Part, sk: one.Sort })).not.toBe(keyText({ pk: other.Part, sk: other.Sort }));
    expect(worker.table.read({ pk: one.Part, sk: one.Sort })).toMatchObject({ Name: { S: 'Ishmael' } });
    expect(worker.table.read({ pk: other.Part, sk: other.Sort })).toMatchObject({ Name: { S: 'x' } });
  });
});

describe('values', () => {
  test('of every type are copied exactly, and cost nothing the second time', async () => {
    const odd = {
      Digits: { N: '12345678901234567890123456789012345678' },
      Huge: { N: '1E+100' },
      Bytes: { B: new Uint8Array([0, 255]) },
      Sets: { NS: ['3', '1', '2'] },
      Empty: { S: '' },
      Nested: { L: [{ M: { a: { L: [] } } }, { NULL: true as const }, { BOOL: false }] },
    };
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put({ ...aVoyage(), ...odd });

    await worker.rest();

    expect(worker.table.read(keyIn(aBooking('g')))).toEqual({ ...aBooking('g'), ...odd });
    spent(worker);
    worker.table.put({ ...aVoyage(), ...odd, Huge: { N: '1' }, Sets: { NS: ['2', '3', '1.0'] } });
    await oneBatch(worker);
    expect(worker.port.counts.itemsWritten).toBe(1);
    expect(worker.table.history.at(-1)?.before).toMatchObject({ Huge: { N: '1E+100' } });
  });

  test('are not written if the copy has them in another spelling or order', async () => {
    const worker = workerOver([
      { ...aVoyage(), Fare: { N: '1' }, Ports: { SS: ['a', 'b'] } },
      { ...aBooking('g'), Fare: { N: '1.0' }, Ports: { SS: ['b', 'a'] } },
    ]);
    await worker.queue.send([
      { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'repair', attempts: 0 },
    ]);

    await worker.rest();

    expect(worker.port.counts).toMatchObject({ queryPartition: 1, update: 0 });
  });

  test('replace values of another type', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ Captain: new Set(['Ahab', 'Nemo']) }));

    await worker.rest();

    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({ Captain: { SS: ['Ahab', 'Nemo'] } });
  });

  test('may have the names of inherited object properties', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ constructor: 'Harland', toString: 1 }));

    expect([...(await oneBatch(worker))]).toEqual([]);
    expect(worker.table.read(keyIn(aBooking('g')))).toEqual(
      aBooking('g', { constructor: 'Harland', toString: 1 }),
    );
  });
});

describe('a very large number of attributes', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`attribute-${index}`, 'x']));

  test('is copied in one propagation, in writes within the limits of an expression', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage(many));

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aBooking('g')))).toEqual(aBooking('g', many));
    expect(worker.telemetry.propagations).toMatchObject([{ written: 3, narrowed: 3, requeued: 0 }]);
  });

  test('is cleared in one propagation', async () => {
    const worker = workerOver(
      [aVoyage(many), aBooking('g', many)],
      {},
      cruises({ ...voyageOnBookings, onDelete: 'clear' }),
    );
    worker.table.delete(keyIn(aVoyage()));

    await oneBatch(worker);

    expect(Object.keys(worker.table.read(keyIn(aBooking('g'))) ?? {}).sort()).toEqual([
      'Cabin',
      'OwnerPart',
      'Part',
      'Sort',
    ]);
  });
});

describe('a root that changes and changes back', () => {
  test('in one batch still propagates to its copies', async () => {
    const worker = workerOver([aVoyage(), aBooking('g', { State: 'stale' })]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    worker.table.put(aVoyage());

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aBooking('g')))).toEqual(aBooking('g'));
  });

  test('during a propagation is corrected by the check of the resulting write', async () => {
    const worker = afterClosing(['g']);
    const batch = worker.stream.take();
    let back = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'update' && back === 0) {
        back += 1;
        worker.table.put(aVoyage());
      }
    };
    await propagateBatch(worker.context, batch);
    expect(worker.table.read(keyIn(aBooking('g')))).toMatchObject({ State: { S: 'CLOSED' } });

    await propagateBatch(
      worker.context,
      worker.table.history.filter(({ by }) => by === 'worker').map(recordOf),
    );

    expect(worker.table.read(keyIn(aBooking('g')))).toEqual(aBooking('g'));
  });
});

describe('a copy never goes back', () => {
  test('to an older root, even if a newer propagation interrupts an older one', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ State: 'second' }));
    const older = worker.stream.take();
    let interrupted = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'update' || interrupted > 0) return;
      interrupted += 1;
      worker.table.put(aVoyage({ State: 'third' }));
      worker.table.update(keyIn(aBooking('g')), {
        set: { State: { S: 'third' }, OwnerSort: { S: 'third#100' } },
      });
    };
    const seen: unknown[] = [];
    worker.table.watcher = ({ key, after }) => {
      if (key.sk === 'g') seen.push(after?.State);
    };

    await propagateBatch(worker.context, older);
    await worker.rest();

    expect(seen).toEqual([{ S: 'third' }]);
  });

  test('because each page is read before its root, and each retry reads the copy before the root', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    const asked: string[] = [];
    let lost = 0;
    worker.port.before = ({ kind }) => {
      asked.push(kind);
      if (kind !== 'update' || lost > 0) return;
      lost += 1;
      worker.table.update(keyIn(aCrewing('s')), { set: { Name: { S: 'odd' } } });
    };

    await oneBatch(worker);

    expect(asked).toEqual(['queryIndex', 'getMany', 'get', 'update', 'getMany', 'get', 'update']);
  });
});

describe('a tenant', () => {
  test('gets nothing of another tenant, even if its copy names that root', async () => {
    const worker = workerOver([aVoyage(), aBooking('g', { Part: 'line_2#voyage_a#bookings' })]);
    worker.table.put(aVoyage({ Captain: 'secret' }));
    worker.table.update({ pk: 'line_2#voyage_a#bookings', sk: 'g' }, { set: { State: { S: 'x' } } });

    await worker.rest();

    expect(JSON.stringify(worker.table.partition('line_2#voyage_a#bookings'))).not.toContain('secret');
  });
});

describe('reports', () => {
  test('contain the counts of a propagation and the time of the change, and no item content', async () => {
    const worker = workerOver([
      aVoyage(),
      aBooking('f'),
      aBooking('g', { State: 'CLOSED', OwnerSort: 'CLOSED#100' }),
      aBooking('h', { Kind: 'x' }),
    ]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toEqual([
      {
        rule: 'voyage-on-bookings',
        root: keyIn(aVoyage()),
        cause: 'changed',
        recheck: false,
        written: 2,
        removed: 0,
        unchanged: 1,
        lost: 0,
        orphans: 0,
        foreign: 0,
        deadLettered: 0,
        requeued: 0,
        narrowed: 0,
        skipped: 0,
        changedAt: 0,
      },
    ]);
  });

  test('contain the time of the earliest change of the item', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ State: 'a' }));
    worker.table.put(aVoyage({ State: 'b' }));
    const [first, second] = worker.stream.take();
    if (first === undefined || second === undefined) throw new Error('Expected two records');

    await propagateBatch(worker.context, [
      { ...first, says: { ...first.says, at: 5000 } },
      { ...second, says: { ...second.says, at: 4000 } },
    ]);

    expect(worker.telemetry.propagations).toMatchObject([{ changedAt: 4000 }]);
  });
});
