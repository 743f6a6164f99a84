import { type Scene, text } from '../../../src/develop/testing/simulation/scene.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';

/** Two of them with an item each have keys that read the same when joined. */
export const orders = ['1', '1ITEM#2', '3', '../4'];
export const users = ['1', '2'];
/** Few, so that two orders of one user often share an instant, and so a copy's key. */
export const instants = ['2026-01-15T09:30:00.123456', '2024-01-16'];
export const products = ['2', '3', '2ITEM#3', 'p'];

export function orderKey({ random }: Scene): ItemKey {
  return { pk: `ORDER#${random.pick(orders)}`, sk: 'METADATA' };
}

/** The key of an order's copy, by what an image of the order says. */
export function copyKeyOf({ UserId, CreatedAt }: Item): ItemKey | undefined {
  const user = UserId && 'S' in UserId ? UserId.S : undefined;
  const created = CreatedAt && 'S' in CreatedAt ? CreatedAt.S : undefined;
  return user && created ? { pk: `USER#${user}`, sk: `ORDER#${created}` } : undefined;
}

export function anyCopyKey({ random }: Scene): ItemKey {
  return { pk: `USER#${random.pick(users)}`, sk: `ORDER#${random.pick(instants)}` };
}

export function itemKey(scene: Scene): ItemKey {
  const { pk } = orderKey(scene);
  const there = scene.world.table.partition(pk, 'ITEM#');
  const one = there.length === 0 ? undefined : scene.random.pick(there).SK;
  const sk = one && 'S' in one && scene.random.chance(0.7) ? one.S : `ITEM#${scene.random.pick(products)}`;
  return { pk, sk };
}

/** An order as the application writes it: without what is derived. */
export function order(scene: Scene, key: ItemKey): Item {
  const user = scene.random.pick(users);
  const created = scene.random.pick(instants);
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('Order'),
    UserId: text(user),
    Status: text(scene.random.pick(['PENDING', 'PENDING', 'DELIVERED'])),
    Total: scene.freshNumber(),
    CreatedAt: text(created),
    GSI1PK: text(`USER#${user}`),
    GSI1SK: text(`ORDER#${created}`),
  };
}

/** The copy of an order, as of an image of it. */
export function userOrder(scene: Scene, at: ItemKey, image: Item): Item {
  const { PK, Status, Total } = image;
  const orderId = PK && 'S' in PK ? PK.S.slice('ORDER#'.length) : '';
  return {
    PK: text(at.pk),
    SK: text(at.sk),
    Type: text('UserOrder'),
    OrderId: text(orderId),
    ...(Status && { Status }),
    ...(Total && { Total: scene.respelled(Total) }),
  };
}

export function orderItem(scene: Scene, key: ItemKey): Item {
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('OrderItem'),
    ProductId: text(key.sk.slice('ITEM#'.length)),
    ProductName: text(scene.fresh()),
    Price: scene.freshNumber(),
    Quantity: { N: '1' },
  };
}
