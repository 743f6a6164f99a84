import { describe, expect, test, vi } from 'vitest';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { type Item, keyOf } from '../../../src/model/item.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { item } from '../../fixtures/model/items.ts';

// The only file that a user with another table changes.
vi.mock('../../../src/table.ts', () => {
  const indexes = {
    GSI1: { name: 'gsi1', pk: 'gs1pk', sk: 'gs1sk' },
    GSI2: { name: 'gsi2', pk: 'gs2pk', sk: 'gs2sk' },
    GSI3: { name: 'gsi3', pk: 'gs3pk', sk: 'gs3sk' },
  };
  return { table: { pk: 'pk', sk: 'sk', indexes, ttl: 'ttl', type: 'type' }, ...indexes };
});

const registry = loadRules({ statusShards: 1, disabled: [] });

const user = { pk: 'USER#1', sk: '#METADATA', type: 'User', userId: '1', username: 'John' };
const membership = {
  pk: 'SERVER#1',
  sk: 'USER#1',
  type: 'Membership',
  serverId: '1',
  userId: '1',
  role: 'Admin',
  username: 'John',
  gs1pk: 'USER#1',
  gs1sk: 'SERVER#1',
};
const order = {
  pk: 'ORDER#o',
  sk: 'METADATA',
  type: 'Order',
  UserId: '42',
  Status: 'PENDING',
  Total: 59.97,
  CreatedAt: '2026-01-15T09:30:00',
};
const userOrder = {
  pk: 'USER#42',
  sk: 'ORDER#2026-01-15T09:30:00',
  type: 'UserOrder',
  OrderId: 'o',
  Status: 'PENDING',
  Total: 59.97,
};
const orderItem = { pk: 'ORDER#o', sk: 'ITEM#p', type: 'OrderItem', ProductId: 'p' };
const incident = {
  pk: 'acct_1#inc',
  sk: 'inc_2',
  ID: 'inc_2',
  State: 'OPEN',
  CreatedAt: 1614194921,
  Note: 'x',
};
const participation = {
  pk: 'acct_1#inc_2#incpart',
  sk: 'team_3',
  ParticipantID: 'team_3',
  gs1pk: 'acct_1#team_3#incpart',
};

describe('the worker and the six rules on a table with other names', () => {
  test('propagate by partition, by index, by key and on the item itself', async () => {
    const worker = workerOver(user, membership, order, userOrder, incident, participation);
    worker.table.put(item(orderItem));
    worker.table.put(item({ ...user, username: 'Jane' }));
    worker.table.put(item({ ...order, Status: 'SHIPPED' }));
    worker.table.put(item({ ...incident, State: 'CLOSED', Note: undefined }));

    await worker.rest();

    expect(now(worker, membership)).toEqual(item({ ...membership, username: 'Jane' }));
    expect(now(worker, order)).toEqual(
      item({ ...order, Status: 'SHIPPED', gs2pk: 'STATUS#SHIPPED', gs2sk: 'ORDER#2026-01-15T09:30:00' }),
    );
    expect(now(worker, userOrder)).toEqual(item({ ...userOrder, Status: 'SHIPPED' }));
    expect(now(worker, orderItem)).toEqual(
      item({ ...orderItem, gs3pk: 'PRODUCT#p', gs3sk: 'SALE#2026-01-15T09:30:00' }),
    );
    expect(now(worker, participation)).toEqual(
      item({
        ...participation,
        ID: 'inc_2',
        State: 'CLOSED',
        CreatedAt: 1614194921,
        gs1sk: 'CLOSED#2021-02-24T19:28:41Z',
      }),
    );
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('distinguish kinds by the type attribute of that table', async () => {
    const stranger = { ...membership, sk: 'USER#1', type: 'Ban' };
    const worker = workerOver(user, stranger);
    worker.table.put(item({ ...user, username: 'Jane' }));

    await worker.rest();

    expect(now(worker, stranger)).toEqual(item(stranger));
  });

  test('do not copy its keys, index keys or expiry', async () => {
    const worker = workerOver(incident, participation);
    worker.table.put(item({ ...incident, ttl: 1, gs1pk: 'x', gs1sk: 'y', gs3pk: 'z', State: 'CLOSED' }));

    await worker.rest();

    const copy = now(worker, participation);
    expect(copy).toMatchObject({ gs1pk: { S: 'acct_1#team_3#incpart' }, State: { S: 'CLOSED' } });
    expect(copy).not.toHaveProperty('ttl');
    expect(copy).not.toHaveProperty('gs3pk');
  });

  test('delete the copies of a removed root', async () => {
    const worker = workerOver(incident, participation, order, userOrder);
    worker.table.delete(key(incident));
    worker.table.expire(key(order));

    await worker.rest();

    expect(worker.table.items()).toEqual([item(userOrder)]);
  });

  test('archive items with its TTL attribute', async () => {
    const worker = workerOver(order);
    worker.table.put(item({ ...order, ttl: 1 }));
    worker.table.put(item({ ...userOrder, ttl: 1 }));

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual(['archive/Order/ORDER%23o/METADATA.json']);
  });
});

type Plain = Parameters<typeof item>[0];

function workerOver(...items: readonly Plain[]): ModelWorker {
  const worker = new ModelWorker(registry);
  for (const one of items) worker.table.put(item(one));
  worker.stream.take();
  worker.archiveStream.take();
  return worker;
}

function now(worker: ModelWorker, plain: Plain): Item | undefined {
  return worker.table.read(key(plain));
}

function key(plain: Plain) {
  const found = keyOf(registry.table, item(plain));
  if (found === undefined) throw new Error('Expected an item with a key');
  return found;
}
