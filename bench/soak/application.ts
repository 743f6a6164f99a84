import type { ApplicationTable } from '../../scripts/demo/application-table.ts';
import type { ItemKey } from '../../src/model/items/item.ts';

/** How many of each sort of item the table has about: it does not grow, so that what grows in the worker is the worker's. */
const sizes = { users: 100, servers: 20, contenders: 20, incidents: 30, orders: 30 } as const;

/** How an incident or an order ends. */
type Ends = 'deleted' | 'expired';

export type Operation = keyof ReturnType<typeof application>;

/**
 * The four applications of this repository: each operation writes, one after the other, as one user of an application would. None
 * writes a copy after its root is removed or about to expire.
 * @param random from 0 to 1
 */
export function application(table: ApplicationTable, random: () => number) {
  let made = 0;
  const next = () => {
    made += 1;
    return made;
  };
  const upTo = (most: number) => Math.floor(random() * most);
  const incidents: number[] = [];
  const orders: { readonly id: number; readonly user: number; readonly createdAt: string }[] = [];

  const userKey = (user: number) => ({ pk: `USER#${user}`, sk: '#METADATA' });
  const membershipKey = (user: number, server: number) => ({ pk: `SERVER#${server}`, sk: `USER#${user}` });
  const incidentKey = (id: number) => ({ pk: 'acct_1#inc', sk: `inc_${id}` });
  const orderKey = (id: number) => ({ pk: `ORDER#${id}`, sk: 'METADATA' });
  const itemKey = (id: number, item: number) => ({ pk: `ORDER#${id}`, sk: `ITEM#${item}` });
  const put = ({ pk, sk }: ItemKey, item: object) => table.put({ PK: pk, SK: sk, ...item });
  const expire = (key: ItemKey, seconds: number) =>
    table.update(key, { ExpiresAt: Math.floor(Date.now() / 1000) + seconds });

  async function endIncident(how: Ends): Promise<void> {
    const id = incidents.shift();
    if (id === undefined) return;
    if (how === 'expired') await expire(incidentKey(id), 2);
    else await table.delete(incidentKey(id));
  }

  /** The user's order outlives one that expires: it is deleted here, or the table would grow. */
  async function endOrder(how: Ends): Promise<void> {
    const [order] = orders.splice(0, 1);
    if (order === undefined) return;
    const { id, user, createdAt } = order;
    if (how === 'expired') await table.delete({ pk: `USER#${user}`, sk: `ORDER#${createdAt}` });
    for (const key of [itemKey(id, 1), itemKey(id, 2), orderKey(id)])
      if (how === 'expired') await expire(key, 2);
      else await table.delete(key);
  }

  return {
    async rename() {
      const user = upTo(sizes.users);
      const said = { userId: `${user}`, username: `name ${next()}`, email: 'user@example.com' };
      await put(userKey(user), { Type: 'User', ...said });
    },

    async join() {
      const [user, server] = [upTo(sizes.users), upTo(sizes.servers)];
      await put(membershipKey(user, server), {
        ...{ Type: 'Membership', serverId: String(server), userId: String(user), role: 'member' },
        ...{ username: 'not known yet', GSI1PK: `USER#${user}`, GSI1SK: `SERVER#${server}` },
      });
    },

    leave: () => table.delete(membershipKey(upTo(sizes.users), upTo(sizes.servers))),

    removeUser: () => table.delete(userKey(upTo(sizes.users))),

    async incident() {
      if (incidents.length >= sizes.incidents) await endIncident(random() < 0.5 ? 'deleted' : 'expired');
      const id = next();
      const CreatedAt = Math.floor(Date.now() / 1000);
      const said = { ID: `inc_${id}`, Title: 'Errors', Status: 'TRIGGERED', State: 'OPEN', Number: id };
      await put(incidentKey(id), { ...said, CreatedAt, UpdatedAt: CreatedAt });
      for (const participant of ['user_1', 'user_2', 'team_1'])
        await put(
          { pk: `acct_1#inc_${id}#incpart`, sk: participant },
          {
            ...{ ...said, CreatedAt, UpdatedAt: CreatedAt, ParticipantID: participant },
            ...{ GSI1PK: `acct_1#${participant}#incpart`, GSI1SK: 'none yet' },
          },
        );
      incidents.push(id);
    },

    async incidentChanges() {
      const id = incidents[upTo(incidents.length)];
      if (id === undefined) return;
      const State = random() < 0.5 ? 'OPEN' : 'CLOSED';
      await table.update(incidentKey(id), { State, UpdatedAt: Math.floor(Date.now() / 1000) });
    },

    async order() {
      if (orders.length >= sizes.orders) await endOrder(random() < 0.5 ? 'deleted' : 'expired');
      const [id, user, createdAt] = [next(), upTo(sizes.users), new Date().toISOString()];
      const said = { Status: 'PENDING', Total: upTo(1000) };
      await put(orderKey(id), { ...{ Type: 'Order', ...said, UserId: `${user}`, CreatedAt: createdAt } });
      await put(
        { pk: `USER#${user}`, sk: `ORDER#${createdAt}` },
        { Type: 'UserOrder', ...said, OrderId: `${id}` },
      );
      for (const item of [1, 2])
        await put(itemKey(id, item), {
          ...{ Type: 'OrderItem', ProductId: String(upTo(50)), ProductName: 'Tea', Price: 5, Quantity: 1 },
        });
      orders.push({ id, user, createdAt });
    },

    async orderChanges() {
      const order = orders[upTo(orders.length)];
      if (order === undefined) return;
      await table.update(orderKey(order.id), { Status: random() < 0.5 ? 'SHIPPED' : 'DELIVERED' });
    },

    async vote() {
      const [one, other] = [upTo(sizes.contenders), upTo(sizes.contenders)].sort((a, b) => a - b);
      if (one === undefined || other === undefined || one === other) return;
      for (const name of [one, other])
        await table.update(
          { pk: `CONTENDER#${name}`, sk: 'metadata' },
          { Type: 'Contender', Name: `${name}`, SVG: '<svg/>' },
        );
      await put(
        { pk: `CONTENDER#${one}`, sk: `VS#${other}` },
        {
          ...{ Type: 'HeadToHead', Contender1: `${one}`, Contender2: `${other}` },
          ...{ Contender1Wins: upTo(100), Contender2Wins: upTo(100) },
        },
      );
    },

    async profile() {
      const user = upTo(sizes.users);
      await put(
        { pk: `USER#${user}`, sk: 'PROFILE' },
        {
          ...{ Type: 'UserProfile', Email: 'user@example.com', Name: `${next()}` },
          ExpiresAt: Math.floor(Date.now() / 1000) + 20,
        },
      );
    },
  };
}
