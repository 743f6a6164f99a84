import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import type { Message } from '../../../src/model/work/message.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { guestTicket } from '../../fixtures/cruises/cruise-kinds.ts';
import {
  nameOnCrewThat,
  onBookings,
  ticketOnGuestTicket,
  ticketThatIsValid,
} from '../../fixtures/cruises/cruise-rules.ts';
import { about, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore } from '../../fixtures/cruises/table-faults.ts';
import { table } from '../../fixtures/model/table.ts';

const theVoyage = keyIn(aVoyage());

const atTwoKeys: Rule = {
  ...ticketOnGuestTicket,
  located: {
    in: 'keys',
    at: ({ GuestId, SoldAt }) =>
      [GuestId, '00'].map((guest) => guestTicket.key({ guest: String(guest), soldAt: String(SoldAt) })),
  },
};

describe('a root that was deleted', () => {
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
    [
      'removal in pages',
      { ...atTwoKeys, onDelete: 'clear' },
      [aTicket(), aTicket({ Status: 'LATE' }), aGuestTicket({ Status: undefined, Price: undefined })],
      ({ table }) => table.delete(keyIn(aTicket())),
    ],
  ])(
    'clears a copy of which a write was planned before the %s and made after it',
    async (_, rule, items, end) => {
      const [root, changed, bare] = items;
      const worker = workerOver([root, bare], { pageLimit: 1 }, makeRegistry(table, [rule]));
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
  const moved = [{ in: 'partition', pk: 'line_1#voyage_0#bookings' } as const, there];

  test.each<[string, RemovalPolicy, RemovalPolicy, Partial<Message>, boolean]>([
    ['that was deleted', 'clear', 'keep', { cause: 'deleted', locations: [there] }, true],
    ['that was deleted after a move', 'clear', 'keep', { cause: 'expired', locations: moved }, true],
    ['that expired', 'delete', 'clear', { cause: 'expired', locations: [there] }, true],
    ['that expired after a move', 'keep', 'clear', { cause: 'expired', locations: moved }, true],
    ['that was deleted, and is kept', 'keep', 'clear', { cause: 'deleted', locations: [there] }, false],
    ['that changed', 'clear', 'clear', { cause: 'changed', locations: [there] }, false],
    ['that a repair asks about', 'clear', 'clear', { cause: 'repair', locations: moved }, false],
    ['that is rechecked', 'clear', 'clear', { cause: 'deleted', locations: [there], recheck: true }, false],
  ])('in partitions, %s (onDelete %s, onExpire %s), is looked at once more or not', async (...row) => {
    const [, onDelete, onExpire, more, again] = row;
    const rule = { ...onBookings('State'), onDelete, onExpire };
    const worker = workerOver([aBooking('g')], {}, makeRegistry(table, [rule]));

    await propagate(worker.context, about(rule.name, aVoyage(), more));

    expect(worker.queue.sent.map(({ message }) => message.recheck)).toEqual(again ? [true] : []);
  });
});

describe('a root that becomes an item of another kind', () => {
  const tombstone = aTicket({ Kind: 'Tombstone', Status: undefined });
  const key = keyIn(aTicket());
  const bare = aGuestTicket({ Status: undefined, Price: undefined });

  function workerThat(onDelete: RemovalPolicy, onExpire: RemovalPolicy = 'keep'): ModelWorker {
    const rule = { ...ticketOnGuestTicket, onDelete, onExpire };
    return workerOver([aTicket(), aGuestTicket()], {}, makeRegistry(table, [rule]));
  }

  function copyIn(worker: ModelWorker): Item | undefined {
    return worker.table.read(keyIn(aGuestTicket()));
  }

  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', bare],
    ['keep', aGuestTicket()],
  ])('is deleted: its copies follow onDelete, here %s', async (policy, left) => {
    const worker = workerThat(policy);
    worker.table.put(tombstone);
    await worker.rest();

    expect(copyIn(worker)).toEqual(left);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test.each<[string, (worker: ModelWorker) => void]>([
    ['that is gone', ({ table: items }) => items.delete(key)],
    ['of a third kind', ({ table: items }) => items.put(aTicket({ Kind: 'Other' }))],
    ['without a type', ({ table: items }) => items.put(aTicket({ Kind: undefined }))],
  ])('is deleted even if that item, just before the write or earlier, is one %s', async (_, then) => {
    for (const justThen of [false, true]) {
      const worker = workerThat('delete');
      worker.table.put(tombstone);
      if (justThen) justBefore(worker, 'remove', () => then(worker));
      else then(worker);
      await worker.rest();

      expect(copyIn(worker)).toBeUndefined();
    }
  });

  test('and then a root again, just before the write or earlier, keeps its copies', async () => {
    for (const justThen of [false, true]) {
      const worker = workerThat('delete');
      worker.table.put(tombstone);
      const again = () => worker.table.put(aTicket({ Price: 1 }));
      if (justThen) justBefore(worker, 'remove', again);
      else again();
      await worker.rest();

      expect(copyIn(worker)).toEqual(aGuestTicket({ Price: 1 }));
    }
  });

  test.each<['delete' | 'expire', Item | undefined]>([
    ['delete', bare],
    ['expire', undefined],
  ])('after a record of its own (%s) follows the policy of that record', async (end, left) => {
    const worker = workerThat('clear', 'delete');
    worker.table[end](key);
    worker.table.put(tombstone);
    await worker.rest();

    expect(copyIn(worker)).toEqual(left);
  });
});

test('a root that its rule excludes is deleted, even if it expires before the worker looks', async () => {
  const registry = makeRegistry(table, [ticketThatIsValid('delete', 'keep')]);
  const worker = workerOver([aTicket(), aGuestTicket()], {}, registry);
  worker.table.put(aTicket({ Status: 'ANNULLED' }));
  worker.table.expire(keyIn(aTicket()));
  await worker.rest();

  expect(worker.table.items()).toEqual([]);
});

test('a copy that becomes an item of another kind is left alone, whatever its root does', async () => {
  const other = aGuestTicket({ Kind: 'Voucher', Price: 1 });
  const worker = workerOver([aTicket(), aGuestTicket()]);
  worker.table.put(other);
  worker.table.delete(keyIn(aTicket()));
  await worker.rest();

  expect(worker.table.items()).toEqual([other]);
  expect(worker.queue.deadLettered).toEqual([]);
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

describe('a root that is invalid', () => {
  const both = { ...atTwoKeys, onDelete: 'delete' } as const;
  const left = aGuestTicket();
  const stays = aGuestTicket({ Part: 'GUEST#00' });

  test('removes copies where it has left, from a page with others, which stay', async () => {
    for (const settings of [{ rounds: 1 }, { rounds: 4 }, { pageLimit: 1 }]) {
      const worker = workerOver([aTicket(), left, stays], settings, makeRegistry(table, [both]));
      worker.table.put(aTicket({ GuestId: '43', Status: undefined }));
      await worker.rest();

      expect(worker.table.read(keyIn(left))).toBeUndefined();
      expect(worker.table.read(keyIn(stays))).toEqual(stays);
      expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(['root.invalid']);
    }
  });

  test('removes such a copy later if it was not available, beside others', async () => {
    const also = aGuestTicket({ Part: 'GUEST#44' });
    const worker = workerOver([aTicket(), also, left, stays], {}, makeRegistry(table, [both]));
    const locations = [left, also, stays].map((one) => ({ in: 'key', ...keyIn(one) }) as const);
    worker.table.put(aTicket({ GuestId: '43', Status: undefined }));
    worker.stream.take();
    const { transact } = worker.port;
    worker.port.transact = async (...asked) => {
      worker.port.transact = transact;
      return asked[1].map(() => 'unavailable');
    };
    await propagate(worker.context, about(both.name, aTicket(), { locations }));
    await worker.rest();

    expect(worker.table.items().map(keyIn)).toEqual([keyIn(aTicket()), keyIn(stays)]);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(['root.invalid']);
  });

  test('lets go of a copy that stops naming it, also beside one that differs', async () => {
    const rule = { ...nameOnCrewThat('keep', 'keep'), onUnlink: 'delete' } as const;
    const [x, y] = [aCrewing('x'), aCrewing('y')];
    const worker = workerOver([aSailor({ Name: undefined }), x, y], {}, makeRegistry(table, [rule]));
    worker.table.put(aCrewing('x', { SailorId: undefined }));
    worker.table.put(aCrewing('y', { Name: 'other' }));
    await worker.rest();

    expect(worker.table.items().map(keyIn)).toEqual([keyIn(aSailor()), keyIn(y)]);
  });
});
