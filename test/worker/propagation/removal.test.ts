import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import type { Item } from '../../../src/model/item.ts';
import type { Message } from '../../../src/model/message.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rule.ts';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
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
import {
  cruises,
  nameOnCrewThat,
  nameOnRankThat,
  onBookings,
  ticketOnGuestTicket,
} from '../../fixtures/cruises/cruise-rules.ts';
import { about, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, throttle } from '../../fixtures/cruises/table-faults.ts';
import { table } from '../../fixtures/model/table.ts';

const theVoyage = keyIn(aVoyage());
const theTicket = keyIn(aTicket());
const [f, g] = [keyIn(aBooking('f')), keyIn(aBooking('g'))];
const copyKey = keyIn(aGuestTicket());

/** A worker with a voyage that has just been deleted, and the bookings of these guests. */
function afterDeletion(...guests: readonly string[]): ModelWorker {
  const worker = workerOver([aVoyage(), ...guests.map((guest) => aBooking(guest))]);
  worker.table.delete(theVoyage);
  return worker;
}

describe('a root that was deleted', () => {
  test('removes its copies, in a transaction that requires its absence', async () => {
    const worker = afterDeletion('f', 'g');

    await worker.rest();

    expect(worker.table.items()).toEqual([]);
    expect(worker.port.counts).toMatchObject({ remove: 1, itemsRemoved: 2, itemsWritten: 0 });
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'deleted', removed: 2 }]);
  });

  test.each([
    ['delete', 'keep', 'delete', undefined],
    ['clear', 'keep', 'delete', aCrewing('s', { Name: undefined })],
    ['keep', 'delete', 'delete', aCrewing('s')],
    ['keep', 'delete', 'expire', undefined],
    ['delete', 'clear', 'expire', aCrewing('s', { Name: undefined })],
    ['delete', 'keep', 'expire', aCrewing('s')],
  ] as const)(
    'leaves of its copies what the rule says: onDelete %s, onExpire %s, %s',
    async (onDelete, onExpire, how, left) => {
      const worker = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat(onDelete, onExpire)));
      worker.table[how](keyIn(aSailor()));

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

  test.each<[string, Rule, readonly [Item, Item, Item], (worker: ModelWorker) => void]>([
    [
      'removal',
      { ...onBookings('State'), onDelete: 'clear' },
      [aVoyage(), aVoyage({ State: 'LATE' }), aBooking('g', { State: undefined })],
      ({ table }) => table.delete(theVoyage),
    ],
    [
      'move',
      { ...ticketOnGuestTicket, onDelete: 'clear' },
      [aTicket(), aTicket({ Status: 'LATE' }), aGuestTicket({ Status: undefined, Price: undefined })],
      ({ table }) => table.put(aTicket({ GuestId: '43' })),
    ],
  ])(
    'clears a copy of which a write was planned before the %s and made after it',
    async (_, rule, items, end) => {
      const [root, changed, bare] = items;
      const worker = workerOver([root, bare], {}, makeRegistry(table, [rule]));
      worker.table.put(changed);
      const { update } = worker.port;
      worker.port.update = async (updates) => {
        worker.port.update = update;
        end(worker);
        await oneBatch(worker);
        return update.call(worker.port, updates);
      };

      await oneBatch(worker);
      await worker.rest();

      expect(worker.table.read(keyIn(bare))).toEqual(bare);
    },
  );

  const there = { in: 'partition', pk: 'line_1#voyage_a#bookings' } as const;
  const before = { in: 'partition', pk: 'line_1#voyage_0#bookings' } as const;

  test.each<[string, RemovalPolicy, RemovalPolicy, Partial<Message>, boolean]>([
    ['that was deleted', 'clear', 'keep', { cause: 'deleted', locations: [there] }, true],
    [
      'that was deleted after a move',
      'clear',
      'keep',
      { cause: 'expired', locations: [before, there] },
      true,
    ],
    ['that expired', 'delete', 'clear', { cause: 'expired', locations: [there] }, true],
    ['that expired, and is kept', 'clear', 'keep', { cause: 'expired', locations: [there] }, false],
    ['that was deleted, and is kept', 'keep', 'clear', { cause: 'deleted', locations: [there] }, false],
    ['whose copies are deleted', 'delete', 'delete', { cause: 'deleted', locations: [there] }, false],
    ['that changed', 'clear', 'clear', { cause: 'changed', locations: [there] }, false],
    ['that a repair asks about', 'clear', 'clear', { cause: 'repair', locations: [before, there] }, false],
    ['that is rechecked', 'clear', 'clear', { cause: 'deleted', locations: [there], recheck: true }, false],
  ])('in partitions, %s (onDelete %s, onExpire %s), is looked at once more or not', async (...row) => {
    const [, onDelete, onExpire, more, again] = row;
    const rule = { ...onBookings('State'), onDelete, onExpire };
    const worker = workerOver([aBooking('g')], {}, makeRegistry(table, [rule]));

    await propagateMessage(worker.context, about(rule.name, aVoyage(), more));

    expect(worker.queue.sent.map(({ message }) => message.recheck)).toEqual(again ? [true] : []);
  });

  test('removes more copies than a page', async () => {
    const guests = Array.from({ length: 250 }, (_, index) => aBooking(`guest-${index}`));
    const worker = workerOver([aVoyage(), ...guests], { pageLimit: 120 });
    worker.table.delete(theVoyage);

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
    const worker = afterDeletion('f', 'g');
    justBefore(worker, 'remove', () => worker.table.update(g, { set: { State: { S: 'odd' } } }));

    await worker.rest();

    expect(worker.table.items()).toEqual([]);
    expect(worker.telemetry.propagations[0]).toMatchObject({ lost: 1, removed: 2 });
  });

  test('keeps a copy that became another root’s meanwhile', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.delete(theTicket);
    justBefore(worker, 'remove', () => worker.table.put(aGuestTicket({ TicketId: 'u' })));

    await worker.rest();

    expect(worker.table.items()).toEqual([aGuestTicket({ TicketId: 'u' })]);
  });

  test('removes its copies later if the table was throttled', async () => {
    const worker = afterDeletion('g');
    const recover = throttle(worker, 'remove');

    expect([...(await oneBatch(worker))]).toEqual([]);
    recover();
    await worker.rest();

    expect(worker.table.items()).toEqual([]);
  });

  test('removes a copy later that could not be removed with the others', async () => {
    const worker = afterDeletion('f', 'g');
    worker.port.answer = ({ sk }, outcome) => (sk === 'f' ? 'unavailable' : outcome);

    await oneBatch(worker);

    const message = { cause: 'deleted', copies: [f], locations: [{ in: 'partition' }] };
    expect(worker.queue.sent).toMatchObject([{ message }]);
  });

  test('is dead-lettered if its last image did not locate its copies', async () => {
    const worker = workerOver([aTicket({ GuestId: undefined })]);
    worker.table.delete(theTicket);

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'root.unlocatable', message: { cause: 'deleted' } },
    ]);
  });
});

describe('a root that was deleted and put again', () => {
  test('before its propagation keeps its copies, which are updated', async () => {
    const worker = afterDeletion('g');
    const removal = worker.stream.take();
    worker.table.put(aVoyage({ State: 'AGAIN' }));

    await propagateBatch(worker.context, removal);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'AGAIN' }, Cabin: { S: 'cabin of g' } });
  });

  test('just before its copies would be removed wins: the transaction fails', async () => {
    const worker = afterDeletion('f', 'g');
    justBefore(worker, 'remove', () => worker.table.put(aVoyage({ State: 'AGAIN' })));

    await oneBatch(worker);

    expect(worker.port.counts).toMatchObject({ remove: 1, itemsRemoved: 0 });
    for (const copy of [f, g]) expect(worker.table.read(copy)).toMatchObject({ State: { S: 'AGAIN' } });
  });

  test('keeps its copies when a late duplicate of the removal comes', async () => {
    const worker = afterDeletion('g');
    const removal = worker.stream.take();
    await propagateBatch(worker.context, removal);
    worker.table.put(aVoyage());
    worker.table.put(aBooking('h'));
    await worker.rest();

    await propagateBatch(worker.context, [...removal, ...removal]);
    await worker.rest();

    expect(worker.table.items()).toEqual([aVoyage(), aBooking('h')]);
  });

  test('in the same batch keeps its copies', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.delete(theTicket);
    worker.table.put(aTicket({ Price: 1 }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });

  test('while its removal was in the queue keeps its copies', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    const locations = [{ in: 'partition', pk: 'line_1#voyage_a#bookings' } as const];

    await propagateMessage(
      worker.context,
      about('voyage-on-bookings', aVoyage(), { cause: 'deleted', locations }),
    );

    expect(worker.table.read(g)).toEqual(aBooking('g'));
  });
});

test('a check that finds no root leaves the orphan alone and counts it', async () => {
  const worker = workerOver([]);
  worker.table.put(aBooking('g'));
  worker.table.put(aGuestTicket());

  await worker.rest();

  expect(worker.table.items()).toEqual([aBooking('g'), aGuestTicket()]);
  expect(worker.telemetry.checks).toEqual([{ copies: 2, differing: 0, orphans: 2 }]);
  expect(spent(worker)).toEqual({ getMany: 1 });
});

describe('a root that moves its copies', () => {
  const moved = aTicket({ GuestId: '43', Status: 'USED' });
  const there = aGuestTicket({ Part: 'GUEST#43' });
  const other = aGuestTicket({ TicketId: 'u' });
  const upToDate = aGuestTicket({ Part: 'GUEST#43', Status: 'USED' });

  test.each<[string, readonly Item[], readonly Item[]]>([
    ['updates the copy there, and the old copy is deleted', [aGuestTicket(), there], [upToDate]],
    ['to a location without a copy creates none', [aGuestTicket()], []],
    ['does not remove a copy in the old location that names another root', [other], [other]],
  ])('%s', async (_, before, left) => {
    const worker = workerOver([aTicket(), ...before]);
    worker.table.put(moved);

    await worker.rest();

    expect(worker.table.items().filter(({ TicketId }) => TicketId !== undefined)).toEqual(left);
  });

  test('and moves them back before the propagation keeps the copy', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(moved);
    worker.table.put(aTicket({ Price: 1 }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });

  test('and moves them back just before the old copy would be removed keeps the copy', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(moved);
    justBefore(worker, 'remove', () => worker.table.put(aTicket({ Price: 1 })));

    await oneBatch(worker);

    expect(worker.port.counts.remove).toBe(1);
    expect(worker.table.read(copyKey)).toMatchObject({ Price: { N: '1' } });
  });

  test('in an index: the copy in the old partition is removed, and the copy in the new one is updated', async () => {
    const [old, now] = [
      aCrewing('old', { OwnerPart: 'RANK#mate' }),
      aCrewing('new', { OwnerPart: 'RANK#captain' }),
    ];
    const worker = workerOver([aSailor(), old, now], {}, cruises(nameOnRankThat('delete', 'keep')));
    worker.table.put(aSailor({ Rank: 'captain', Name: 'Queequeg' }));

    await worker.rest();

    expect(worker.table.read(keyIn(old))).toBeUndefined();
    expect(worker.table.read(keyIn(now))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test.each([
    ['is deleted before the propagation: both copies are removed', 'delete', []],
    [
      'expires before the propagation: the copy in the location that it left is removed, and the other stays',
      'expire',
      [there],
    ],
  ] as const)('and %s', async (_, how, left) => {
    const worker = workerOver([aTicket(), aGuestTicket(), there]);
    worker.table.put(moved);
    worker.table[how](theTicket);

    await worker.rest();

    expect(worker.table.items()).toEqual(left);
  });

  test('and can no longer locate them is dead-lettered; the old copy stays', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ GuestId: undefined }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'root.invalid', message: { root: theTicket } }]);
  });
});

describe('two roots that share the key of their copies', () => {
  const other = aTicket({ Part: 'TICKET#u', Status: 'NEW', Price: 7 });

  test('do not write one another’s copy', async () => {
    const worker = workerOver([aTicket(), other, aGuestTicket()]);
    worker.table.put({ ...other, Status: { S: 'USED' } });

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
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

test.each(['delete', 'expire'] as const)('copies stay under a rule that keeps them: %s', async (how) => {
  const worker = workerOver([aTicket(), aLeg()]);
  worker.table[how](theTicket);

  await worker.rest();

  expect(worker.table.items()).toEqual([aLeg()]);
});
