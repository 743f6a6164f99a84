import { randomUUID } from 'node:crypto';
import type { Attributes, Key } from './application.ts';

/** A name that no other test uses. */
export function fresh(): string {
  return randomUUID().slice(0, 8);
}

/** The expiry of what expires in a week. */
export function inAWeek(): number {
  return Math.floor(Date.now() / 1000) + 7 * 86_400;
}

/** An incident with participations, as the incident application writes them. */
export function incidentItems(participants: number, id = fresh()) {
  const account = `acct_${id}`;
  const incident = `inc_${id}`;
  const said = {
    ID: incident,
    CreatedAt: 1614194921,
    UpdatedAt: 1614194921,
    Title: 'Application error rate exceeded 1%',
    Status: 'TRIGGERED',
    State: 'OPEN',
    Number: 859,
  };
  const root = { PK: `${account}#inc`, SK: incident };
  const data = { PK: `${account}#${incident}`, SK: 'data' };
  const copies = Array.from({ length: participants }, (_, index): Key & Attributes => {
    const participant = `user_${String(index).padStart(5, '0')}`;
    return {
      ...{ PK: `${account}#${incident}#incpart`, SK: participant, ...said, ParticipantID: participant },
      ...{ GSI1PK: `${account}#${participant}#incpart`, GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
    };
  });
  return { root, said, data, copies };
}

/** A chat user with memberships, of which the first may be left out of the index. */
export function userItems(memberships: number, id = fresh()) {
  const root = { PK: `USER#${id}`, SK: '#METADATA' };
  const said = { Type: 'User', userId: id, username: `old-${id}`, email: `${id}@example.com` };
  const copies = Array.from({ length: memberships }, (_, index) => {
    const server = `${id}-${String(index).padStart(5, '0')}`;
    return {
      ...{ PK: `SERVER#${server}`, SK: `USER#${id}`, Type: 'Membership', serverId: server, userId: id },
      ...{ role: 'member', username: `old-${id}`, GSI1PK: `USER#${id}`, GSI1SK: `SERVER#${server}` },
    };
  });
  return { root, said, copies };
}

/** Contenders without totals, and a record of two of them, as the voting application writes it: without index keys. */
export function voteItems(id = fresh()) {
  const [one, other] = [`bear-${id}`, `books-${id}`];
  const contender = (Name: string) => ({
    ...{ PK: `CONTENDER#${Name}`, SK: 'metadata', Type: 'Contender', Name, SVG: '<svg/>' },
  });
  const record = {
    ...{ PK: `CONTENDER#${one}`, SK: `VS#${other}`, Type: 'HeadToHead', Contender1: one, Contender2: other },
    ...{ Contender1Wins: 0, Contender2Wins: 0 },
  };
  return { winner: contender(one), loser: contender(other), record };
}

/** An order with items and its user's order, as the shop writes them: base attributes only. */
export function orderItems(products: number, id = fresh()) {
  const CreatedAt = '2026-01-15T09:30:00.123456';
  const root = { PK: `ORDER#${id}`, SK: 'METADATA' };
  const said = {
    ...{ Type: 'Order', UserId: `u-${id}`, Status: 'PENDING', Total: 119.94, CreatedAt },
    ...{ GSI1PK: `USER#u-${id}`, GSI1SK: `ORDER#${CreatedAt}` },
  };
  const userOrder = { PK: `USER#u-${id}`, SK: `ORDER#${CreatedAt}` };
  const userSaid = { Type: 'UserOrder', OrderId: id, Status: 'PENDING', Total: 119.94 };
  const items = Array.from({ length: products }, (_, index) => ({
    ...{ PK: root.PK, SK: `ITEM#p-${index}`, Type: 'OrderItem', ProductId: `p-${index}` },
    ...{ ProductName: 'Mug', Price: 19.99, Quantity: 3 },
  }));
  return { root, said, userOrder, userSaid, items, CreatedAt };
}
