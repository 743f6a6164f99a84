import { expect, test, vi } from 'vitest';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
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

const createdAt = '2026-01-15T09:30:00';
const user = { pk: 'USER#1', sk: '#METADATA', type: 'User', userId: '1', username: 'John' };
const membership = {
  ...{ pk: 'SERVER#1', sk: 'USER#1', type: 'Membership', gs1pk: 'USER#1', gs1sk: 'SERVER#1' },
  ...{ serverId: '1', userId: '1', role: 'Admin', username: 'John' },
};
const ban = { ...membership, pk: 'SERVER#2', gs1sk: 'SERVER#2', type: 'Ban' };
const order = {
  ...{ pk: 'ORDER#o', sk: 'METADATA', type: 'Order' },
  ...{ UserId: '42', Status: 'PENDING', Total: 59.97, CreatedAt: createdAt },
};
const userOrder = {
  ...{ pk: 'USER#42', sk: `ORDER#${createdAt}`, type: 'UserOrder' },
  ...{ OrderId: 'o', Status: 'PENDING', Total: 59.97 },
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
  ...{ pk: 'acct_1#inc_2#incpart', sk: 'team_3', gs1pk: 'acct_1#team_3#incpart' },
  ParticipantID: 'team_3',
};

type Plain = Parameters<typeof item>[0];

function workerOver(...items: readonly Plain[]): ModelWorker {
  const worker = new ModelWorker(loadRules({ statusShards: 1 }));
  for (const one of items) worker.table.put(item(one));
  worker.stream.take();
  return worker;
}

test('on a table with other names, rules propagate by partition, by index, by key and on the item itself', async () => {
  const worker = workerOver(user, membership, ban, order, userOrder, incident, participation);
  const expiring = {
    ...incident,
    State: 'CLOSED',
    Note: undefined,
    ttl: 1,
    gs1pk: 'x',
    gs1sk: 'y',
    gs3pk: 'z',
  };
  for (const one of [orderItem, { ...user, username: 'Jane' }, { ...order, Status: 'SHIPPED' }, expiring])
    worker.table.put(item(one));

  await worker.rest();

  for (const copy of [
    { ...membership, username: 'Jane' },
    ban,
    { ...order, Status: 'SHIPPED', gs2pk: 'STATUS#SHIPPED', gs2sk: `ORDER#${createdAt}` },
    { ...userOrder, Status: 'SHIPPED' },
    { ...orderItem, gs3pk: 'PRODUCT#p', gs3sk: `SALE#${createdAt}` },
    {
      ...{ ...participation, ID: 'inc_2', State: 'CLOSED', CreatedAt: 1614194921 },
      gs1sk: 'CLOSED#2021-02-24T19:28:41Z',
    },
  ])
    expect(worker.table.read({ pk: copy.pk, sk: copy.sk })).toEqual(item(copy));
  expect(worker.queue.deadLettered).toEqual([]);
});
