import { describe, expect, test } from 'vitest';
import { recordOf } from '../../../src/develop/testing/table-model/model-stream.ts';
import { type Item, keyText } from '../../../src/model/item.ts';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
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
import {
  about,
  afterClosing,
  keyIn,
  oneBatch,
  spent,
  workerOver,
} from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, requestsOf } from '../../fixtures/cruises/table-faults.ts';
import { item } from '../../fixtures/model/items.ts';

const g = keyIn(aBooking('g'));

describe('a copy that does not exist', () => {
  test.each<[string, readonly Item[], Item]>([
    ['in the partition of its root', [aVoyage()], aVoyage({ Wind: 'N' })],
    ['at the key where its root places it', [], aTicket()],
  ])('is not created: %s', async (_, items, root) => {
    const worker = workerOver(items);
    worker.table.put(root);

    await worker.rest();

    expect(worker.table.items()).toEqual([root]);
  });
});

describe('a copy that names a root elsewhere', () => {
  test('in its attribute but not in its key gets nothing', async () => {
    const odd = aGuestTicket({ Part: 'GUEST#mallory' });
    const worker = workerOver([aTicket(), odd]);
    worker.table.put(aTicket({ Status: 'secret', StatePart: 'STATUS#secret' }));
    worker.table.update(keyIn(odd), { set: { Price: { N: '0' } } });

    await worker.rest();

    expect(worker.table.read(keyIn(odd))).toEqual(aGuestTicket({ Part: 'GUEST#mallory', Price: 0 }));
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

  test('of another tenant gets nothing of it', async () => {
    const odd = aBooking('g', { Part: 'line_2#voyage_a#bookings' });
    const worker = workerOver([aVoyage(), odd]);
    worker.table.put(aVoyage({ Captain: 'secret' }));
    worker.table.update(keyIn(odd), { set: { State: { S: 'x' } } });

    await worker.rest();

    expect(JSON.stringify(worker.table.read(keyIn(odd)))).not.toContain('secret');
  });
});

describe('an item that is its own copy', () => {
  const keyless = { StatePart: undefined, StateSort: undefined };

  test('gets its derived keys back after a whole-item put that dropped them', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aTicket(keyless));

    await worker.rest();

    expect(worker.table.read(keyIn(aTicket()))).toEqual(aTicket());
    expect(worker.port.counts).toMatchObject({ itemsWritten: 1, getMany: 1, get: 0 });
  });

  test('gets them from its state at the time of the write', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket({ ...keyless, Status: 'NEW' }));
    justBefore(worker, 'update', () =>
      worker.table.update(keyIn(aTicket()), { set: { Status: { S: 'USED' } } }),
    );

    await worker.rest();

    expect(worker.table.read(keyIn(aTicket()))).toEqual(
      aTicket({ Status: 'USED', StatePart: 'STATUS#USED' }),
    );
  });

  test('is not created again if it was deleted meanwhile', async () => {
    const worker = workerOver([]);
    worker.table.put(aTicket(keyless));
    const batch = worker.stream.take();
    worker.table.delete(keyIn(aTicket()));

    await propagateBatch(worker.context, batch);
    await worker.rest();

    expect(worker.table.items()).toEqual([]);
  });
});

test('roots that are copies propagate what they received, level by level', async () => {
  const worker = workerOver([aFleet(), aVoyage(), aBooking('g')]);
  worker.table.put(aFleet({ Brand: 'Cunard' }));

  await worker.rest();

  for (const key of [keyIn(aVoyage()), g])
    expect(worker.table.read(key)).toMatchObject({ Brand: { S: 'Cunard' } });
});

describe('keys', () => {
  test.each([
    ['a hash', 'a#b'],
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
    const [root, copies] = [{ Part: `line_${line}#voyages` }, { Part: `line_${line}#voyage_a#bookings` }];
    const worker = workerOver([aVoyage(root), aBooking('g', copies)]);
    worker.table.put(aVoyage({ ...root, Captain: 'Nemo' }));

    await worker.rest();

    expect(worker.table.partition(copies.Part)).toMatchObject([{ Captain: { S: 'Nemo' } }]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('that join to the same text are two items', async () => {
    const [one, other] = [
      { pk: 'SHIP#a', sk: 'CREW#1' },
      { pk: 'SHIP#aCREW#', sk: '1' },
    ];
    const worker = workerOver([aSailor()]);
    worker.table.put(aCrewing('a', { Name: 'x' }));
    worker.table.put(item({ Part: other.pk, Sort: other.sk, Name: 'x' }));

    await oneBatch(worker);

    expect(keyText(one)).not.toBe(keyText(other));
    expect(worker.table.read(one)).toMatchObject({ Name: { S: 'Ishmael' } });
    expect(worker.table.read(other)).toMatchObject({ Name: { S: 'x' } });
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

    expect(worker.table.read(g)).toEqual({ ...aBooking('g'), ...odd });
    spent(worker);
    worker.table.put({ ...aVoyage(), ...odd, Huge: { N: '1' }, Sets: { NS: ['2', '3', '1.0'] } });
    await oneBatch(worker);
    expect(worker.port.counts.itemsWritten).toBe(1);
    expect(worker.table.history.at(-1)?.before).toMatchObject({ Huge: { N: '1E+100' } });
  });

  test('replace values of another type, and may have the names of inherited object properties', async () => {
    const changes = { Captain: new Set(['Ahab', 'Nemo']), constructor: 'Harland', toString: 1 };
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage(changes));

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect(worker.table.read(g)).toEqual(aBooking('g', changes));
  });
});

describe('a root that changes and changes back', () => {
  test('in one batch still propagates to its copies', async () => {
    const worker = workerOver([aVoyage(), aBooking('g', { State: 'stale' })]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    worker.table.put(aVoyage());

    await oneBatch(worker);

    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });

  test('during a propagation is corrected by the check of the resulting write', async () => {
    const worker = afterClosing(['g']);
    const batch = worker.stream.take();
    justBefore(worker, 'update', () => worker.table.put(aVoyage()));
    await propagateBatch(worker.context, batch);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });

    const ownWrites = worker.table.history.filter(({ by }) => by === 'worker').map(recordOf);
    await propagateBatch(worker.context, ownWrites);

    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });
});

describe('a copy never goes back', () => {
  test('to an older root, even if a newer propagation interrupts an older one', async () => {
    const worker = afterClosing(['g']);
    justBefore(worker, 'update', () => {
      worker.table.put(aVoyage({ State: 'third' }));
      worker.table.update(g, { set: { State: { S: 'third' }, OwnerSort: { S: 'third#100' } } });
    });
    const seen: unknown[] = [];
    worker.table.watcher = ({ key, after }) => {
      if (key.sk === 'g') seen.push(after?.State);
    };

    await worker.rest();

    expect(seen).toEqual([{ S: 'third' }]);
  });

  test('because each page is read before its root, and each retry reads the copy before the root', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    justBefore(worker, 'update', () =>
      worker.table.update(keyIn(aCrewing('s')), { set: { Name: { S: 'odd' } } }),
    );
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const again = ['getMany', 'get', 'update'];
    expect(requests.map(({ kind }) => kind)).toEqual(['queryIndex', ...again, ...again]);
  });
});

describe('a propagation', () => {
  test('names its rule in each update, so that a report can name it', async () => {
    const worker = afterClosing(['g']);
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const updates = requests.flatMap((request) => (request.kind === 'update' ? request.updates : []));
    expect(updates.map(({ rule }) => rule)).toEqual(['voyage-on-bookings']);
  });

  test('reads nothing but the root if that does not exist and was not removed', async () => {
    const worker = workerOver([aCrewing('s')]);

    await propagateMessage(worker.context, about('name-on-crew', aSailor(), { cause: 'repair' }));

    expect(spent(worker)).toEqual({ get: 1 });
  });

  test('reports its counts and the time of the change, and no item content', async () => {
    const current = { State: 'CLOSED', OwnerSort: 'CLOSED#100' };
    const worker = workerOver([
      aVoyage(),
      aBooking('f'),
      aBooking('g', current),
      aBooking('h', { Kind: 'x' }),
    ]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await oneBatch(worker);

    const none = {
      removed: 0,
      lost: 0,
      orphans: 0,
      foreign: 0,
      deadLettered: 0,
      requeued: 0,
      narrowed: 0,
      skipped: 0,
    };
    expect(worker.telemetry.propagations).toEqual([
      {
        ...{ rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'changed', recheck: false },
        ...{ ...none, written: 2, unchanged: 1, changedAt: 0 },
      },
    ]);
  });

  test('reports the time of the earliest change of the item', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    for (const state of ['a', 'b']) worker.table.put(aVoyage({ State: state }));
    const records = worker.stream.take().map((record, index) => {
      return { ...record, says: { ...record.says, at: 5000 - index } };
    });

    await propagateBatch(worker.context, records);

    expect(worker.telemetry.propagations).toMatchObject([{ changedAt: 4999 }]);
  });

  test.each<[string, readonly Item[], object]>([
    [
      'items that are not copies of its root',
      [aTicket(), aLeg({ Kind: 'Arm' })],
      { foreign: 1, orphans: 0, unchanged: 0 },
    ],
    ['copies whose root does not exist', [aLeg(), aLeg({ Sort: 'LEG#2' })], { orphans: 2, foreign: 0 }],
  ])('counts %s', async (_, items, counts) => {
    const worker = workerOver(items);
    const locations = [{ in: 'partition', pk: 'TICKET#t', begins: 'LEG#' } as const];

    expect(
      await propagateMessage(worker.context, about('date-on-legs', aTicket(), { locations })),
    ).toMatchObject(counts);
  });
});
