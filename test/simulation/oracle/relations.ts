import { createHash } from 'node:crypto';
import type { Relation, Wanted } from '../../../src/develop/testing/simulation/oracle/relation.ts';
import type { Item } from '../../../src/model/item.ts';
import { isContent, pkOf, skOf, textOf } from './attributes.ts';

/** An incident stands on its participations: a strict mirror, all but what is the participation's own. */
const participations: Relation = {
  rule: 'incident-on-participations',
  onDelete: 'delete',
  onExpire: 'delete',
  isRoot: ({ pk, sk }) => /^acct_[^#]+#inc$/.test(pk) && /^inc_./s.test(sk),
  isCopy: (item) => /^acct_[^#]+#inc_[^#]+#incpart$/.test(pkOf(item)),
  crosses: () => false,
  rootOf(copy) {
    const [, account, incident] = /^(acct_[^#]+)#(inc_[^#]+)#incpart$/.exec(pkOf(copy)) ?? [];
    return account === undefined || incident === undefined
      ? undefined
      : { pk: `${account}#inc`, sk: incident };
  },
  locations: () => true,
  wanted(root, copy) {
    const state = textOf(root, 'State');
    const created = root.CreatedAt;
    if (state === undefined || created === undefined || !('N' in created)) return undefined;
    const time = new Date(Number(created.N) * 1000);
    if (Number.isNaN(time.getTime())) return undefined;
    const names = [...Object.keys(root), ...Object.keys(copy)].filter(
      (name) => isContent(name) && name !== 'ParticipantID',
    );
    const wanted = new Map(names.map((name) => [name, root[name]]));
    return wanted.set('GSI1SK', { S: `${state}#${time.toISOString().slice(0, 19)}Z` });
  },
  writes: (attribute) => (isContent(attribute) && attribute !== 'ParticipantID') || attribute === 'GSI1SK',
  concerns: (attribute) => participations.writes(attribute),
};

/** A user's name stands on each of the user's memberships, and nothing else does. */
const memberships: Relation = {
  rule: 'username-on-memberships',
  onDelete: 'keep',
  onExpire: 'keep',
  isRoot: ({ pk, sk }) => /^USER#./s.test(pk) && sk === '#METADATA',
  isCopy: (item) =>
    /^SERVER#./s.test(pkOf(item)) &&
    /^USER#./s.test(skOf(item)) &&
    (item.Type === undefined || textOf(item, 'Type') === 'Membership'),
  crosses: () => false,
  rootOf(copy) {
    const user = textOf(copy, 'userId');
    return user === undefined ? undefined : { pk: `USER#${user}`, sk: '#METADATA' };
  },
  locations: (root, copy) =>
    textOf(copy, 'GSI1PK') === pkOf(root) && (textOf(copy, 'GSI1SK') ?? '').startsWith('SERVER#'),
  wanted: (root) => new Map([['username', root.username]]),
  writes: (attribute) => attribute === 'username',
  concerns: (attribute) => ['username', 'userId', 'GSI1PK', 'GSI1SK'].includes(attribute),
};

/** An order's status and total stand on its user's order, which stands where the order's user and time say. */
const userOrders: Relation = {
  rule: 'order-on-user-order',
  onDelete: 'delete',
  onExpire: 'keep',
  isRoot: isOrder,
  isCopy: (item) => /^USER#./s.test(pkOf(item)) && /^ORDER#./s.test(skOf(item)),
  crosses: () => false,
  rootOf(copy) {
    const order = textOf(copy, 'OrderId');
    return order === undefined ? undefined : { pk: `ORDER#${order}`, sk: 'METADATA' };
  },
  locations(root, copy) {
    const user = textOf(root, 'UserId');
    const created = textOf(root, 'CreatedAt');
    if (user === undefined || created === undefined) return undefined;
    return pkOf(copy) === `USER#${user}` && skOf(copy) === `ORDER#${created}`;
  },
  wanted: (root) =>
    new Map([
      ['Status', root.Status],
      ['Total', root.Total],
    ]),
  writes: (attribute) => attribute === 'Status' || attribute === 'Total',
  concerns: (attribute) => ['Status', 'Total', 'OrderId'].includes(attribute),
};

/** The items of an order are found by their product and the order's time. */
const orderItems: Relation = {
  rule: 'order-date-on-items',
  onDelete: 'keep',
  onExpire: 'keep',
  isRoot: isOrder,
  isCopy: (item) => /^ORDER#./s.test(pkOf(item)) && /^ITEM#./s.test(skOf(item)),
  crosses: () => false,
  rootOf: (copy) => ({ pk: pkOf(copy), sk: 'METADATA' }),
  locations: () => true,
  wanted(root, copy) {
    const product = textOf(copy, 'ProductId');
    const created = textOf(root, 'CreatedAt');
    if (product === undefined || created === undefined || product.length > 2000) return undefined;
    return keys('GSI3', `PRODUCT#${product}`, `SALE#${created}`);
  },
  writes: (attribute) => attribute === 'GSI3PK' || attribute === 'GSI3SK',
  concerns: (attribute) => ['GSI3PK', 'GSI3SK', 'ProductId'].includes(attribute),
};

/** A board stands on the pins of its shelf that name it. */
const pins: Relation = {
  rule: 'board-on-pins',
  onDelete: 'clear',
  onExpire: 'delete',
  isRoot: ({ pk }) => /^B./s.test(pk),
  isCopy: (item) => /^PIN./s.test(pkOf(item)),
  crosses: (root, copy) => pkOf(copy).slice('PIN'.length) !== root.pk.slice('B'.length),
  rootOf(copy) {
    const org = textOf(copy, 'BoardOrg');
    const board = textOf(copy, 'Board');
    return org === undefined || board === undefined ? undefined : { pk: `B${org}`, sk: board };
  },
  locations(root, copy) {
    if (isClosed(root)) return false;
    return textOf(root, 'Shelf') === undefined ? undefined : isOnShelf(root, copy);
  },
  isExcluded: isClosed,
  excludes: (root, copy) => isClosed(root) && isOnShelf(root, copy),
  wanted(root, copy) {
    if (pins.crosses({ pk: pkOf(root), sk: skOf(root) }, copy)) return undefined;
    const wanted = new Map(Object.entries(root).filter(([name]) => pins.writes(name)));
    return signsIn({ ...copy, ...Object.fromEntries(wanted) }) > 400 * 1024 ? undefined : wanted;
  },
  writes: (attribute) => isContent(attribute) && !['Board', 'BoardOrg', 'Note', 'Type'].includes(attribute),
  concerns: (attribute) => attribute !== 'Note',
};

function isClosed({ Closed }: Item): boolean {
  return Closed !== undefined && 'BOOL' in Closed && Closed.BOOL;
}

function isOnShelf(root: Item, copy: Item): boolean {
  const shelf = textOf(root, 'Shelf');
  return (
    shelf !== undefined &&
    textOf(copy, 'GSI2PK') === `SHELF#${shelf}` &&
    (textOf(copy, 'GSI2SK') ?? '').startsWith('PIN#')
  );
}

/** The length of all texts of an item: where there are long ones, the rest is little beside them. */
function signsIn(item: Item): number {
  return Object.values(item).reduce((sum, value) => sum + ('S' in value ? value.S.length : 0), 0);
}

/** An order's status and time decide where it is found among all orders: it is its own copy. */
function statusKeys(shards: number): Relation {
  return {
    rule: 'order-status-keys',
    onDelete: 'keep',
    onExpire: 'keep',
    isRoot: isOrder,
    isCopy: (item) => isOrder({ pk: pkOf(item), sk: skOf(item) }),
    crosses: () => false,
    rootOf: (copy) => ({ pk: pkOf(copy), sk: skOf(copy) }),
    locations: () => true,
    wanted(root) {
      const status = textOf(root, 'Status');
      const created = textOf(root, 'CreatedAt');
      if (status === undefined || created === undefined) return undefined;
      const digest = createHash('sha256').update(pkOf(root).slice('ORDER#'.length)).digest();
      const shard = shards === 1 ? '' : `#${digest.readUInt32BE() % shards}`;
      return keys('GSI2', `STATUS#${status}${shard}`, `ORDER#${created}`);
    },
    writes: (attribute) => attribute === 'GSI2PK' || attribute === 'GSI2SK',
    concerns: () => true,
  };
}

function isOrder({ pk, sk }: { readonly pk: string; readonly sk: string }): boolean {
  return /^ORDER#./s.test(pk) && sk === 'METADATA';
}

function keys(index: string, pk: string, sk: string): Wanted {
  return new Map([
    [`${index}PK`, { S: pk }],
    [`${index}SK`, { S: sk }],
  ]);
}

/** Every relation of the data, with as many partitions for each order status. No item is a copy of two of them. */
export function relations(statusShards: number): readonly Relation[] {
  return [participations, memberships, userOrders, orderItems, pins, statusKeys(statusShards)];
}
