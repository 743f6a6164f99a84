import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  aParticipation,
  aUser,
  aUserOrder,
} from '../../fixtures/world/items.ts';
import { userOrder } from '../../fixtures/world/kinds.ts';
import {
  onParticipations,
  orderOnUserOrder,
  orderThatIsValid,
  usernameOnMembershipsThat,
} from '../../fixtures/world/rules.ts';
import { justBefore } from '../../fixtures/world/table-faults.ts';
import { about, keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { registryOf, workerOver } from '../../fixtures/world/world.ts';

const theIncident = keyIn(anIncident());

const atTwoKeys: Rule = {
  ...orderOnUserOrder,
  located: {
    in: 'keys',
    at: ({ UserId, CreatedAt }) =>
      [UserId, '00'].map((user) => userOrder.key({ user: String(user), createdAt: String(CreatedAt) })),
  },
};

describe('a root that was deleted', () => {
  test.each<[string, Rule, readonly [Item, Item, Item], (worker: ModelWorker) => void]>([
    [
      'removal',
      { ...onParticipations('State'), onDelete: 'clear' },
      [anIncident(), anIncident({ State: 'LATE' }), aParticipation('g', { State: undefined })],
      ({ table }) => table.delete(theIncident),
    ],
    [
      'move',
      { ...orderOnUserOrder, onDelete: 'clear' },
      [anOrder(), anOrder({ Status: 'LATE' }), aUserOrder({ Status: undefined, Total: undefined })],
      ({ table }) => table.put(anOrder({ UserId: '43' })),
    ],
    [
      'removal in pages',
      { ...atTwoKeys, onDelete: 'clear' },
      [anOrder(), anOrder({ Status: 'LATE' }), aUserOrder({ Status: undefined, Total: undefined })],
      ({ table }) => table.delete(keyIn(anOrder())),
    ],
  ])(
    'clears a copy of a write that was planned before the %s and made after it',
    async (_, rule, items, end) => {
      const [root, changed, bare] = items;
      const worker = workerOver([root, bare], { pageLimit: 1 }, rule);
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
});

describe('a root that becomes an item of another kind', () => {
  const tombstone = anOrder({ Kind: 'Tombstone', Status: undefined });
  const key = keyIn(anOrder());
  const bare = aUserOrder({ Status: undefined, Total: undefined });

  function workerThat(onDelete: RemovalPolicy, onExpire: RemovalPolicy = 'keep'): ModelWorker {
    const rule = { ...orderOnUserOrder, onDelete, onExpire };
    return workerOver([anOrder(), aUserOrder()], {}, rule);
  }

  function copyIn(worker: ModelWorker): Item | undefined {
    return worker.table.read(keyIn(aUserOrder()));
  }

  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', bare],
    ['keep', aUserOrder()],
  ])('is deleted: its copies follow onDelete, here %s', async (policy, left) => {
    const worker = workerThat(policy);
    worker.table.put(tombstone);
    await worker.rest();

    expect(copyIn(worker)).toEqual(left);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test.each<[string, (worker: ModelWorker) => void]>([
    ['that is gone', ({ table: items }) => items.delete(key)],
    ['of a third kind', ({ table: items }) => items.put(anOrder({ Kind: 'Other' }))],
    ['without a type', ({ table: items }) => items.put(anOrder({ Kind: undefined }))],
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
      const again = () => worker.table.put(anOrder({ Total: 1 }));
      if (justThen) justBefore(worker, 'remove', again);
      else again();
      await worker.rest();

      expect(copyIn(worker)).toEqual(aUserOrder({ Total: 1 }));
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

test('a root that its rule excludes is deleted, even if it expires first', async () => {
  const registry = registryOf(orderThatIsValid('delete', 'keep'));
  const worker = workerOver([anOrder(), aUserOrder()], {}, registry);
  worker.table.put(anOrder({ Status: 'ANNULLED' }));
  worker.table.expire(keyIn(anOrder()));
  await worker.rest();

  expect(worker.table.items()).toEqual([]);
});

test('a copy that becomes an item of another kind is left alone', async () => {
  const other = aUserOrder({ Kind: 'Voucher', Total: 1 });
  const worker = workerOver([anOrder(), aUserOrder()]);
  worker.table.put(other);
  worker.table.delete(keyIn(anOrder()));
  await worker.rest();

  expect(worker.table.items()).toEqual([other]);
  expect(worker.queue.deadLettered).toEqual([]);
});

test('a check that finds no root leaves the orphan alone and counts it', async () => {
  const worker = workerOver([]);
  worker.table.put(aParticipation('g'));
  worker.table.put(aUserOrder());

  await worker.rest();

  expect(worker.table.items()).toEqual([aParticipation('g'), aUserOrder()]);
  expect(worker.telemetry.checks).toEqual([{ copies: 2, differing: 0, orphans: 2 }]);
  expect(spent(worker)).toEqual({ getMany: 1 });
});

describe('a root that is invalid', () => {
  const both = { ...atTwoKeys, onDelete: 'delete' } as const;
  const left = aUserOrder();
  const stays = aUserOrder({ Part: 'USER#00' });

  test('removes copies where it has left, from a page with others, which stay', async () => {
    for (const settings of [{ rounds: 1 }, { rounds: 4 }, { pageLimit: 1 }]) {
      const worker = workerOver([anOrder(), left, stays], settings, both);
      worker.table.put(anOrder({ UserId: '43', Status: undefined }));
      await worker.rest();

      expect(worker.table.read(keyIn(left))).toBeUndefined();
      expect(worker.table.read(keyIn(stays))).toEqual(stays);
      expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(['root.invalid']);
    }
  });

  test('removes such a copy later if it was not available, beside others', async () => {
    const also = aUserOrder({ Part: 'USER#44' });
    const worker = workerOver([anOrder(), also, left, stays], {}, both);
    const locations = [left, also, stays].map((one) => ({ in: 'key', ...keyIn(one) }) as const);
    worker.table.put(anOrder({ UserId: '43', Status: undefined }));
    worker.stream.take();
    const { transact } = worker.port;
    worker.port.transact = async (...asked) => {
      worker.port.transact = transact;
      return asked[1].map(() => 'unavailable');
    };
    await propagate(worker.context, about(both.name, anOrder(), { locations }));
    await worker.rest();

    expect(worker.table.items().map(keyIn)).toEqual([keyIn(anOrder()), keyIn(stays)]);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(['root.invalid']);
  });

  test('lets go of a copy that stops naming it, also beside one that differs', async () => {
    const rule = { ...usernameOnMembershipsThat('keep', 'keep'), onUnlink: 'delete' } as const;
    const [x, y] = [aMembership('x'), aMembership('y')];
    const worker = workerOver([aUser({ Name: undefined }), x, y], {}, rule);
    worker.table.put(aMembership('x', { UserId: undefined }));
    worker.table.put(aMembership('y', { Name: 'other' }));
    await worker.rest();

    expect(worker.table.items().map(keyIn)).toEqual([keyIn(aUser()), keyIn(y)]);
  });
});
