import {
  type Act,
  type Acts,
  drop,
  put,
  set,
  text,
  without,
} from '../../../src/develop/testing/simulation/scene.ts';
import {
  anyCopyKey,
  copyKeyOf,
  instants,
  itemKey,
  order,
  orderItem,
  orderKey,
  orders,
  products,
  userOrder,
  users,
} from './shop-items.ts';

const buy: Act = (scene) => {
  const key = orderKey(scene);
  const bought = order(scene, key);
  const copy = copyKeyOf(bought);
  const items = scene.random
    .some(products, 0.5)
    .map((product) => put(orderItem(scene, { pk: key.pk, sk: `ITEM#${product}` })));
  return [
    put(bought),
    ...(copy && scene.random.chance(0.8) ? [put(userOrder(scene, copy, bought))] : []),
    ...items,
  ];
};

const progress: Act = (scene) => {
  const key = orderKey(scene);
  const status = scene.random.pick(['PAID', 'DELIVERED', 'DELIVERED', 'CANCELLED', scene.fresh()]);
  return [
    scene.random.chance(0.7)
      ? set(key, { Status: text(status) })
      : set(key, { Status: text(status), Total: scene.freshNumber() }),
  ];
};

/** A whole order is put, as the application knows it: what is derived is gone. */
const rewrite: Act = (scene) => {
  const key = orderKey(scene);
  const seen = scene.seen(key);
  if (seen === undefined || scene.now(key) === undefined) return [];
  return [put({ ...without(seen, ['GSI2PK', 'GSI2SK']), Status: text(scene.fresh()) })];
};

/** An order goes to another user or time, with or without its copy. */
const move: Act = (scene) => {
  const key = orderKey(scene);
  const there = scene.now(key);
  if (there === undefined) return [];
  const moved = scene.random.chance(0.5)
    ? { UserId: text(scene.random.pick(users)) }
    : { CreatedAt: text(scene.random.pick(instants)) };
  const copy = copyKeyOf({ ...there, ...moved });
  const writes = [set(key, moved)];
  return copy && scene.random.chance(0.5) ? [...writes, put(userOrder(scene, copy, there))] : writes;
};

const spoil: Act = (scene) => [
  drop(orderKey(scene), scene.random.pick(['UserId', 'Status', 'CreatedAt', 'GSI2PK', 'GSI2SK', 'Total'])),
];

const repair: Act = (scene) => {
  const { UserId, Status, CreatedAt } = order(scene, orderKey(scene));
  return [
    set(orderKey(scene), {
      ...(UserId && { UserId }),
      ...(Status && { Status }),
      ...(CreatedAt && { CreatedAt }),
    }),
  ];
};

const remove: Act = (scene) => [{ delete: orderKey(scene) }];

const replace: Act = (scene) => {
  const key = orderKey(scene);
  const there = scene.now(key);
  if (there === undefined) return [];
  // Made anew just as it was, or in another state.
  const anew = scene.random.chance(0.3) ? there : { ...there, Status: text(scene.fresh()) };
  return [{ delete: key }, put(anew)];
};

const age: Act = (scene) => {
  const ExpiresAt = scene.expiry();
  return [set(scene.random.chance(0.7) ? orderKey(scene) : itemKey(scene), { ExpiresAt })];
};

const rejuvenate: Act = (scene) => [drop(orderKey(scene), 'ExpiresAt')];

/** A copy written by what the order was when the application looked, there where it was then. */
const list: Act = (scene) => {
  const seen = scene.seen(orderKey(scene));
  const copy = seen && copyKeyOf(seen);
  return copy === undefined || seen === undefined ? [] : [put(userOrder(scene, copy, seen))];
};

const scribbleCopy: Act = (scene) => {
  const key = anyCopyKey(scene);
  return [
    scene.random.pick([
      set(key, { Status: text(scene.fresh()) }),
      set(key, { Total: scene.freshNumber() }),
      set(key, { Note: text(scene.fresh()) }),
      drop(key, 'Status'),
      set(key, { OrderId: text(scene.random.pick(orders)) }),
    ]),
  ];
};

const unlist: Act = (scene) => [{ delete: anyCopyKey(scene) }];

const addItem: Act = (scene) => {
  const key = itemKey(scene);
  return [put(orderItem(scene, key))];
};

const scribbleItem: Act = (scene) => {
  const key = itemKey(scene);
  const { random } = scene;
  return [
    random.pick([
      set(key, { ProductId: text(random.pick(products)) }),
      set(key, { ProductId: text(random.pick(products)) }),
      set(key, { Quantity: { N: String(random.int(1, 9)) } }),
      drop(key, random.pick(['ProductId', 'GSI3PK', 'GSI3SK'])),
      set(key, { GSI3SK: text(scene.fresh()) }),
      set(key, { ProductId: text('p'.repeat(2045)) }),
    ]),
  ];
};

const removeItem: Act = (scene) => [{ delete: itemKey(scene) }];

const profile: Act = (scene) => {
  const pk = `USER#${scene.random.pick(users)}`;
  const ExpiresAt = scene.random.chance(0.5) ? { ExpiresAt: scene.expiry() } : {};
  return [
    put({
      PK: text(pk),
      SK: text('PROFILE'),
      Type: text('UserProfile'),
      Name: text(scene.fresh()),
      ...ExpiresAt,
    }),
  ];
};

export const shopActs: Acts = [
  [4, buy],
  [6, progress],
  [1.5, rewrite],
  [3, move],
  [1, spoil],
  [1, repair],
  [1.2, remove],
  [0.8, replace],
  [1.5, age],
  [0.5, rejuvenate],
  [3, list],
  [3, scribbleCopy],
  [0.8, unlist],
  [2, addItem],
  [3, scribbleItem],
  [0.5, removeItem],
  [0.7, profile],
];
