import type { Item } from '../../src/model/item.ts';
import { item } from '../fixtures/model/items.ts';
import { each, type MakeScene } from './scene.ts';

interface Said {
  readonly user?: string;
  readonly status?: string;
  readonly total?: number;
  readonly day?: string;
}

const key = (index: number) => ({ pk: `ORDER#${index}`, sk: 'METADATA' });

/** Each order has an instant of its own. */
const createdAt = (index: number, day: string) => `2026-01-${day}T09:30:00.${String(index).padStart(6, '0')}`;

/** An order as the application writes it, without the keys that are derived. */
function written(
  index: number,
  { user = '42', status = 'PENDING', total = 59.97, day = '15' }: Said = {},
): Item {
  const CreatedAt = createdAt(index, day);
  const found = { GSI1PK: `USER#${user}`, GSI1SK: `ORDER#${CreatedAt}` };
  const said = { UserId: user, Status: status, Total: total, CreatedAt };
  return item({ PK: `ORDER#${index}`, SK: 'METADATA', Type: 'Order', ...said, ...found });
}

function order(index: number, said: Said = {}): Item {
  const { status = 'PENDING', day = '15' } = said;
  const keys = { GSI2PK: `STATUS#${status}`, GSI2SK: `ORDER#${createdAt(index, day)}` };
  return { ...written(index, said), ...item(keys) };
}

function userOrder(index: number, { user = '42', status = 'PENDING', total = 59.97, day = '15' }: Said = {}) {
  const said = { OrderId: String(index), Status: status, Total: total };
  return item({ PK: `USER#${user}`, SK: `ORDER#${createdAt(index, day)}`, Type: 'UserOrder', ...said });
}

function product(index: number, day: string | undefined): Item {
  const said = { ProductId: `p-${index}`, ProductName: 'Mug', Price: 19.99, Quantity: 3 };
  const keys = { GSI3PK: `PRODUCT#p-${index}`, GSI3SK: day && `SALE#${createdAt(0, day)}` };
  const derived = day === undefined ? {} : keys;
  return item({ PK: 'ORDER#0', SK: `ITEM#${index}`, Type: 'OrderItem', ...said, ...derived });
}

const shipped: Said = { status: 'SHIPPED', total: 10 };

export const statusScenes: Readonly<Record<string, MakeScene>> = {
  'orders ship': (copies) => ({
    before: each(copies, (index) => order(index)),
    change: (table) =>
      each(copies, (index) => table.update(key(index), { set: { Status: { S: 'SHIPPED' } } })),
    after: each(copies, (index) => order(index, { status: 'SHIPPED' })),
  }),
  'orders are put whole, without their keys': (copies) => ({
    before: each(copies, (index) => order(index)),
    change: (table) => each(copies, (index) => table.put(written(index, shipped))),
    after: each(copies, (index) => order(index, shipped)),
  }),
  'orders ship and are deleted': (copies) => ({
    before: each(copies, (index) => order(index)),
    change(table) {
      each(copies, (index) => table.put(written(index, shipped)));
      each(copies, (index) => table.delete(key(index)));
    },
    after: [],
  }),
};

export const userOrderScenes: Readonly<Record<string, MakeScene>> = {
  'orders ship, and their totals change': (copies) => ({
    before: both(copies),
    change: (table) => each(copies, (index) => table.put(written(index, shipped))),
    after: both(copies, shipped),
  }),
  'users’ orders are written from older orders': (copies) => ({
    before: each(copies, (index) => order(index, shipped)),
    change: (table) => each(copies, (index) => table.put(userOrder(index))),
    after: both(copies, shipped),
  }),
  'orders are deleted': (copies) => ({
    before: both(copies),
    change: (table) => each(copies, (index) => table.delete(key(index))),
    after: [],
  }),
  'orders expire, and users’ orders join': (copies) => ({
    before: each(copies, (index) => order(index)),
    change(table) {
      each(copies, (index) => table.expire(key(index)));
      each(copies, (index) => table.put(userOrder(index, shipped)));
    },
    after: each(copies, (index) => userOrder(index, shipped)),
  }),
  'orders move to another user, and the copy there is older': (copies) => ({
    before: both(copies),
    change(table) {
      each(copies, (index) => table.put(written(index, { ...shipped, user: '43' })));
      each(copies, (index) => table.put(userOrder(index, { user: '43' })));
    },
    after: both(copies, { ...shipped, user: '43' }),
  }),
  'orders move away and back': (copies) => ({
    before: both(copies),
    change(table) {
      each(copies, (index) => table.put(written(index, { user: '43' })));
      each(copies, (index) => table.put(written(index, shipped)));
    },
    after: both(copies, shipped),
  }),
};

export const orderItemScenes: Readonly<Record<string, MakeScene>> = {
  'an order gets another date': (copies) => ({
    before: [order(0), ...each(copies, (index) => product(index, '15'))],
    change: (table) => table.put(written(0, { day: '31' })),
    after: [order(0, { day: '31' }), ...each(copies, (index) => product(index, '31'))],
  }),
  'items join that have no keys yet': (copies) => ({
    before: [order(0)],
    change: (table) => each(copies, (index) => table.put(product(index, undefined))),
    after: [order(0), ...each(copies, (index) => product(index, '15'))],
  }),
  'an order gets another date and is deleted': (copies) => ({
    before: [order(0), ...each(copies, (index) => product(index, '15'))],
    change(table) {
      table.put(written(0, { day: '31' }));
      table.delete(key(0));
    },
    after: each(copies, (index) => product(index, '15')),
  }),
  'an order expires, and items join': (copies) => ({
    before: [order(0)],
    change(table) {
      table.expire(key(0));
      each(copies, (index) => table.put(product(index, '31')));
    },
    after: each(copies, (index) => product(index, '31')),
  }),
};

function both(copies: number, said: Said = {}): Item[] {
  return each(copies, (index) => [order(index, said), userOrder(index, said)]).flat();
}
