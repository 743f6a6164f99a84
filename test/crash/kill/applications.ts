import type { Random } from '../../../src/develop/testing/simulation/random.ts';
import type { Ledger } from './ledger.ts';
import { kindAt, type PlainItem, type PlainKey } from './plain-item.ts';

/** Writes something, as one of the applications would, and notes what it may rely on from then on. */
export type Step = (ledger: Ledger, random: Random) => Promise<void>;

/** Far enough for no round to see it. */
const later = () => Math.floor(Date.now() / 1000) + 7 * 86_400;
const now = () => Math.floor(Date.now() / 1000);

/** One of the two incidents of an account: it changes, is removed, comes back; teams and users take part and leave. */
export const incidents: Step = async (ledger, random) => {
  const key = { PK: 'acct_1#inc', SK: `inc_${random.int(1, 2)}` };
  const { presence, expires } = ledger.known(key);
  if (expires === true) return;
  const part = { PK: `acct_1#${key.SK}#incpart`, SK: `user_${random.int(1, 4)}` };
  if (presence === 'gone' || random.chance(0.4)) await ledger.put(anIncident(key, random));
  else if (random.chance(0.15)) {
    doubtAll(ledger, ({ PK }) => PK === part.PK);
    await remove(ledger, key, random);
  } else if (random.chance(0.8)) await ledger.put(aParticipation(part, key, random));
  else await ledger.delete(part);
};

function anIncident(key: PlainKey, random: Random): PlainItem {
  return {
    ...key,
    ID: key.SK,
    Title: `Title ${random.int(1, 5)}`,
    State: random.pick(['OPEN', 'CLOSED']),
    Number: random.int(1, 3),
    CreatedAt: 1614194921 + random.int(0, 2),
    ...(random.chance(0.5) && { Severity: random.pick(['high', 'low']) }),
    ...(random.chance(0.3) && { ExpiresAt: later() }),
  };
}

function aParticipation(part: PlainKey, incident: PlainKey, random: Random): PlainItem {
  const { PK: _, SK: __, ExpiresAt: ___, ...stale } = anIncident(incident, random);
  const GSI1PK = `acct_1#${part.SK}#incpart`;
  return { ...part, ...stale, ParticipantID: part.SK, GSI1PK, GSI1SK: 'OPEN#', Left: 'over' };
}

/** Users are renamed, leave and come back; they join servers, change their role, hand their seat to another. */
export const chat: Step = async (ledger, random) => {
  const user = String(random.int(1, 2));
  const key = { PK: `USER#${user}`, SK: '#METADATA' };
  const seat = { PK: `SERVER#${random.int(1, 5)}`, SK: 'USER#seat' };
  if (random.chance(0.4)) {
    const said = { username: `Name ${random.int(1, 5)}`, email: 'a@b.example' };
    await ledger.put({ ...key, Type: 'User', userId: user, ...said });
  } else if (random.chance(0.1)) await ledger.delete(key);
  else if (random.chance(0.15)) await ledger.delete(seat);
  else {
    const said = { serverId: seat.PK.slice(7), userId: user, role: `Role ${random.int(1, 9)}` };
    const location = { GSI1PK: `USER#${user}`, GSI1SK: seat.PK };
    await ledger.put({ ...seat, Type: 'Membership', ...said, ...location, username: 'Stale' });
  }
};

/** Orders change, ship, move to another user or time, are removed and come back; their copies are written late. */
export const shop: Step = async (ledger, random) => {
  const id = String(random.int(1, 3));
  const key = { PK: `ORDER#${id}`, SK: 'METADATA' };
  const { presence, expires, item } = ledger.known(key);
  if (expires === true) return;
  if (presence === 'gone' || item === undefined || random.chance(0.4)) {
    const order = anOrder(key, id, random);
    const moves = item?.['UserId'] !== order['UserId'] || item?.['CreatedAt'] !== order['CreatedAt'];
    if (moves) doubtUserOrders(ledger, id);
    await ledger.put(order);
  } else if (random.chance(0.1)) {
    doubtUserOrders(ledger, id);
    await remove(ledger, key, random);
  } else if (random.chance(0.5)) {
    const location = { PK: `USER#${item['UserId']}`, SK: `ORDER#${item['CreatedAt']}` };
    await ledger.put({ ...location, Type: 'UserOrder', OrderId: id, Status: 'STALE' });
  } else {
    const product = { PK: key.PK, SK: `ITEM#${random.int(1, 3)}` };
    const said = { ProductId: `p-${random.int(1, 3)}`, Price: 19.99, Quantity: random.int(1, 9) };
    if (random.chance(0.2)) await ledger.delete(product);
    else await ledger.put({ ...product, Type: 'OrderItem', ...said });
  }
};

/** Each order's times are its own: two orders of one instant share a place, which is another story. */
function anOrder(key: PlainKey, id: string, random: Random): PlainItem {
  return {
    ...key,
    Type: 'Order',
    UserId: `buyer-${random.int(1, 2)}`,
    Status: random.pick(['PENDING', 'PAID', 'SHIPPED']),
    Total: random.int(1, 99),
    CreatedAt: `2026-01-1${random.int(1, 2)}T09:30:0${id}`,
    ...(random.chance(0.3) && { ExpiresAt: later() }),
  };
}

function doubtUserOrders(ledger: Ledger, id: string): void {
  doubtAll(ledger, (key, item) => kindAt(key) === 'user order' && item?.['OrderId'] === id);
}

/** Copies of a root that is removed, or placed elsewhere, are gone when the worker has seen it, and only then. */
function doubtAll(ledger: Ledger, which: (key: PlainKey, item: PlainItem | undefined) => boolean): void {
  for (const { key, item } of [...ledger.entries.values()]) if (which(key, item)) ledger.doubt(key);
}

/** Deletes a root, or lets it expire: then its key is not used again. */
async function remove(ledger: Ledger, key: PlainKey, random: Random): Promise<void> {
  const { item, presence } = ledger.known(key);
  if (item === undefined || presence !== 'there' || random.chance(0.7)) return ledger.delete(key);
  await ledger.letExpire({ ...item, ExpiresAt: now() });
}
