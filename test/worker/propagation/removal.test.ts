import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/errors.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const g = keyIn(aBooking('g'));
const copyKey = keyIn(aGuestTicket());

describe('a root that was deleted', () => {
  test('removes its copies, in a transaction that requires its absence', async () => {
    const worker = workerOver([aVoyage(), aBooking('f'), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));

    await worker.rest();

    expect(worker.table.items()).toEqual([]);
    expect(worker.port.counts).toMatchObject({ remove: 1, itemsRemoved: 2, itemsWritten: 0 });
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'deleted', removed: 2 }]);
  });

  test.each([
    ['delete', 'keep', 'deleted', undefined],
    ['clear', 'keep', 'deleted', aCrewing('s', { Name: undefined })],
    ['keep', 'delete', 'deleted', aCrewing('s')],
    ['keep', 'delete', 'expired', undefined],
    ['delete', 'clear', 'expired', aCrewing('s', { Name: undefined })],
    ['delete', 'keep', 'expired', aCrewing('s')],
  ] as const)(
    'leaves of its copies what the rule says: onDelete %s, onExpire %s, %s',
    async (onDelete, onExpire, how, left) => {
      const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat(onDelete, onExpire)));
      if (how === 'deleted') worker.table.delete(keyIn(aSailor()));
      else worker.table.expire(keyIn(aSailor()));

      await worker.rest();

      expect(worker.table.read(keyIn(aCrewing('s')))).toEqual(left);
    },
  );

  test('leaves a cleared copy alone afterwards, as an orphan', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('clear', 'keep')));
    worker.table.delete(keyIn(aSailor()));
    await oneBatch(worker);
    spent(worker);

    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('itemsWritten');
    expect(worker.telemetry.checks).toEqual([{ copies: 1, differing: 0, orphans: 1 }]);
  });

  test('removes more copies than a page', async () => {
    const worker = workerOver(
      [aVoyage(), ...Array.from({ length: 250 }, (_, index) => aBooking(`guest-${index}`))],
      { pageLimit: 120 },
    );
    worker.table.delete(keyIn(aVoyage()));

    await worker.rest();

    expect(worker.table.items()).toEqual([]);
    expect(worker.port.counts.itemsRemoved).toBe(250);
  });

  test('does not remove items that are not its copies', async () => {
    const others = [
      aCrewing('1', { SailorId: '2' }),
      aCrewing('2', { OwnerPart: 'SAILOR#2' }),
      aCrewing('3', { Kind: 'Pirate' }),
    ];
    const worker = workerOver([aSailor(), ...others], {}, cruises(nameOnCrewThat('delete', 'delete')));
    worker.table.delete(keyIn(aSailor()));

    await worker.rest();

    expect(worker.table.items()).toEqual(others);
  });

  test('removes a copy that changed meanwhile, after it is read again', async () => {
    const worker = workerOver([aVoyage(), aBooking('f'), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    let meanwhile = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'remove' && meanwhile === 0) {
        meanwhile += 1;
        worker.table.update(g, { set: { State: { S: 'odd' } } });
      }
    };

    await worker.rest();

    expect(meanwhile).toBe(1);
    expect(worker.table.items()).toEqual([]);
    expect(worker.telemetry.propagations[0]).toMatchObject({ lost: 1, removed: 2 });
  });

  test('keeps a copy that became another root’s meanwhile', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.delete(keyIn(aTicket()));
    worker.port.before = ({ kind }) => {
      if (kind === 'remove') worker.table.put(aGuestTicket({ TicketId: 'u' }));
    };

    await worker.rest();

    expect(worker.table.items()).toEqual([aGuestTicket({ TicketId: 'u' })]);
  });

  test('removes its copies later if the table was throttled', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    let refusals = 2;
    worker.port.before = ({ kind }) => {
      if (kind !== 'remove' || refusals === 0) return;
      refusals -= 1;
      throw new TransientError('aws.throttled', 'was throttled');
    };

    const failed = await oneBatch(worker);
    await worker.rest();

    expect([...failed]).toEqual([]);
    expect(worker.table.items()).toEqual([]);
  });

  test('removes a copy later that could not be removed with the others', async () => {
    const worker = workerOver([aVoyage(), aBooking('f'), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    let answers = 0;
    worker.port.answer = (key, outcome) => {
      answers += 1;
      return answers === 1 && key.sk === 'f' ? 'unavailable' : outcome;
    };

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([
      { message: { cause: 'deleted', copies: [{ sk: 'f' }], locations: [{ in: 'partition' }] } },
    ]);
  });

  test('is dead-lettered if its last image did not locate its copies', async () => {
    const worker = workerOver([aTicket({ GuestId: undefined })]);
    worker.table.delete(keyIn(aTicket()));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'root.unlocatable', message: { cause: 'deleted' } },
    ]);
  });
});

describe('a root that was deleted and put again', () => {
  test('while its removal was in the queue keeps its copies, which are updated', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    const removal = worker.stream.take();
    worker.table.put(aVoyage({ State: 'AGAIN' }));

    await propagateBatch(worker.context, removal);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'AGAIN' } });
    await worker.rest();
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'AGAIN' }, Cabin: { S: 'cabin of g' } });
  });

  test('just before its copies would be removed wins: the transaction fails', async () => {
    const worker = workerOver([aVoyage(), aBooking('f'), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    let again = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'remove' && again === 0) {
        again += 1;
        worker.table.put(aVoyage({ State: 'AGAIN' }));
      }
    };

    await oneBatch(worker);

    expect(again).toBe(1);
    expect(worker.port.counts.itemsRemoved).toBe(0);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'AGAIN' } });
    expect(worker.table.read(keyIn(aBooking('f')))).toMatchObject({ State: { S: 'AGAIN' } });
  });

  test('keeps its copies when a late duplicate of the removal comes', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    const removal = worker.stream.take();
    await propagateBatch(worker.context, removal);
    worker.table.put(aVoyage());
    worker.table.put(aBooking('h'));
    await worker.rest();

    await propagateBatch(worker.context, removal);
    await propagateBatch(worker.context, [...removal, ...removal]);
    await worker.rest();

    expect(worker.table.items()).toEqual([aVoyage(), aBooking('h')]);
  });

  test('in the same batch keeps its copies', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.delete(keyIn(aTicket()));
    worker.table.put(aTicket({ Price: 1 }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });
});

describe('a check that finds no root', () => {
  test('leaves the orphan alone and counts it', async () => {
    const worker = workerOver([]);
    worker.table.put(aBooking('g'));
    worker.table.put(aGuestTicket());

    await worker.rest();

    expect(worker.table.items()).toEqual([aBooking('g'), aGuestTicket()]);
    expect(worker.telemetry.checks).toEqual([{ copies: 2, differing: 0, orphans: 2 }]);
    expect(spent(worker)).toEqual({ getMany: 1 });
  });
});

describe('a root that moves its copies', () => {
  test('to another location: the copy there is updated, and the old copy is deleted', async () => {
    const worker = workerOver([
      aTicket(),
      aGuestTicket(),
      aGuestTicket({ Part: 'GUEST#43', Status: 'stale' }),
    ]);
    worker.table.put(aTicket({ GuestId: '43', Status: 'USED' }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toBeUndefined();
    expect(worker.table.read({ ...copyKey, pk: 'GUEST#43' })).toMatchObject({ Status: { S: 'USED' } });
  });

  test('to a location without a copy: no copy is created', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ SoldAt: '2027-01-01' }));

    await worker.rest();

    expect(worker.table.items().map(keyIn)).toEqual([keyIn(aTicket())]);
  });

  test('does not remove a copy in the old location that names another root', async () => {
    const other = aGuestTicket({ TicketId: 'u' });
    const worker = workerOver([aTicket(), other]);
    worker.table.put(aTicket({ GuestId: '43' }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(other);
  });

  test('and moves them back before the propagation keeps the copy', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.put(aTicket({ Price: 1 }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });

  test('and moves them back just before the old copy would be removed keeps the copy', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ GuestId: '43' }));
    let back = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'remove' && back === 0) {
        back += 1;
        worker.table.put(aTicket({ Price: 1 }));
      }
    };

    await oneBatch(worker);

    expect(back).toBe(1);
    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });

  test('in an index: the copy in the old partition is removed, and the copy in the new one is updated', async () => {
    const worker = workerOver(
      [
        aSailor(),
        aCrewing('old', { OwnerPart: 'RANK#mate' }),
        aCrewing('new', { OwnerPart: 'RANK#captain' }),
      ],
      {},
      cruises(nameOnRankThat('delete', 'keep')),
    );
    worker.table.put(aSailor({ Rank: 'captain', Name: 'Queequeg' }));

    await worker.rest();

    expect(worker.table.read(keyIn(aCrewing('old')))).toBeUndefined();
    expect(worker.table.read(keyIn(aCrewing('new')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('and is deleted before the propagation: both copies are removed', async () => {
    const worker = workerOver([aTicket(), aGuestTicket(), aGuestTicket({ Part: 'GUEST#43' })]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.delete(keyIn(aTicket()));

    await worker.rest();

    expect(worker.table.items()).toEqual([]);
  });

  test('and expires before the propagation: the copy in the location that it left is removed, and the other stays', async () => {
    const moved = aGuestTicket({ Part: 'GUEST#43' });
    const worker = workerOver([aTicket(), aGuestTicket(), moved]);
    worker.table.put(aTicket({ GuestId: '43' }));
    worker.table.expire(keyIn(aTicket()));

    await worker.rest();

    expect(worker.table.items()).toEqual([moved]);
  });

  test('and can no longer locate them is dead-lettered; the old copy stays', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ GuestId: undefined }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'root.invalid', message: { root: keyIn(aTicket()) } },
    ]);
  });
});

describe('two roots that share the key of their copies', () => {
  const other = aTicket({ Part: 'TICKET#u', Status: 'NEW', Price: 7 });

  test('do not write one another’s copy', async () => {
    const worker = workerOver([aTicket(), other, aGuestTicket()]);
    worker.table.put({ ...other, Status: { S: 'USED' } });

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
    worker.table.put(aTicket({ Status: 'USED' }));
    await worker.rest();
    expect(worker.table.read(copyKey)).toEqual(aGuestTicket({ Status: 'USED' }));
  });

  test('do not remove one another’s copy', async () => {
    const worker = workerOver([aTicket(), other, aGuestTicket()]);
    worker.table.delete(keyIn(other));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
  });

  test('pass a copy on when it names the other root, even if nothing else changes', async () => {
    const worker = workerOver([aTicket(), { ...other, Status: { S: 'PAID' } }, aGuestTicket()]);
    worker.table.update(copyKey, { set: { TicketId: { S: 'u' } } });

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket({ TicketId: 'u', Price: 7 }));
  });
});

describe('legs whose ticket is removed', () => {
  test.each(['deleted', 'expired'] as const)('stay: %s', async (how) => {
    const worker = workerOver([aTicket(), aLeg()]);
    if (how === 'deleted') worker.table.delete(keyIn(aTicket()));
    else worker.table.expire(keyIn(aTicket()));

    await worker.rest();

    expect(worker.table.items()).toEqual([aLeg()]);
  });
});

describe('a removal in the queue', () => {
  test('does nothing if the root exists again', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    await worker.queue.send([
      {
        rule: 'voyage-on-bookings',
        root: keyIn(aVoyage()),
        cause: 'deleted',
        locations: [{ in: 'partition', pk: 'line_1#voyage_a#bookings' }],
        attempts: 0,
      },
    ]);

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });
});
