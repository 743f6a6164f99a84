import { beatMessage } from '../../src/model/work/heartbeat.ts';
import type { Application } from './application.ts';
import { queueEvent, record, streamEvent } from './invoke.ts';
import { inAWeek, incidentItems, orderItems, userItems } from './items.ts';

export type FunctionId = 'Propagate' | 'Archive' | 'FanOut' | 'Sweep' | 'Verify' | 'Heartbeat';

/** Invocations of a function: each puts what must stand in the table before it, and returns the event. */
type Plays = Readonly<Record<string, (application: Application) => Promise<unknown>>>;

/** What happens to incidents, users and orders, told by the stream. */
const propagatePlays: Plays = {
  async 'an incident changes'(application) {
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said, State: 'CLOSED' }, ...copies);
    return streamEvent(record('MODIFY', root, { before: said, after: { ...said, State: 'CLOSED' } }));
  },
  async 'an incident gets an attribute with an unusual name'(application) {
    const { root, said, copies } = incidentItems(2);
    const after = { ...said, 'Escalated to': 'second level' };
    await application.put({ ...root, ...after }, ...copies);
    return streamEvent(record('MODIFY', root, { before: said, after }));
  },
  async 'an incident is deleted'(application) {
    const { root, said, copies } = incidentItems(2);
    await application.put(...copies);
    return streamEvent(record('REMOVE', root, { before: said }));
  },
  async 'an incident expires'(application) {
    const { root, said, copies } = incidentItems(2);
    await application.put(...copies);
    return streamEvent(record('REMOVE', root, { before: { ...said, ExpiresAt: 1 }, byService: true }));
  },
  async 'an incident of more than a page changes'(application) {
    const { root, said, copies } = incidentItems(12);
    await application.put({ ...root, ...said, Title: 'New' });
    await application.putMany(copies);
    return streamEvent(record('MODIFY', root, { before: said, after: { ...said, Title: 'New' } }));
  },
  async 'a user is renamed'(application) {
    const { root, said, copies } = userItems(2);
    await application.put({ ...root, ...said, username: 'new' }, ...copies);
    return streamEvent(record('MODIFY', root, { before: said, after: { ...said, username: 'new' } }));
  },
  async 'an order ships, and its items and its copy are checked'(application) {
    const { root, said, userOrder, userSaid, items } = orderItems(2);
    const after = { ...said, Status: 'SHIPPED' };
    await application.put({ ...root, ...after }, { ...userOrder, ...userSaid }, ...items);
    return streamEvent(
      record('MODIFY', root, { before: said, after }),
      record('INSERT', userOrder, { after: userSaid }),
      ...items.map((item) => record('INSERT', { PK: item.PK, SK: item.SK }, { after: item })),
    );
  },
  async 'an incident that cannot be projected is dead-lettered'(application) {
    const { root, said, copies } = incidentItems(1);
    const { State: _, ...after } = said;
    await application.put({ ...root, ...after }, ...copies);
    return streamEvent(record('INSERT', root, { after }));
  },
};

const archivePlays: Plays = {
  async 'an order gets an expiry, and changes once more'(application) {
    const { root, said } = orderItems(0);
    const after = { ...said, ExpiresAt: inAWeek() };
    await application.put({ ...root, ...after });
    return streamEvent(record('MODIFY', root, { before: said, after }));
  },
  async 'an item that stands in the archive changes'(application) {
    const root = { PK: 'ORDER#archived', SK: 'METADATA' };
    const after = { ...orderItems(0).said, Total: Math.random(), ExpiresAt: inAWeek() };
    await application.put({ ...root, ...after });
    return streamEvent(record('INSERT', root, { after }));
  },
  async 'an order expires that was not archived as it was last'() {
    const { root, said } = orderItems(0);
    return streamEvent(record('REMOVE', root, { before: { ...said, ExpiresAt: 1 }, byService: true }));
  },
  async 'a record that is none is dead-lettered'() {
    return { Records: [{ eventID: '1', eventSource: 'aws:dynamodb', eventName: 'INSERT', dynamodb: {} }] };
  },
};

/** The same propagations, asked for by messages. */
const fanOutPlays: Plays = {
  async 'the rest of an incident'(application) {
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said, State: 'CLOSED' }, ...copies);
    return queueEvent(message('incident-on-participations', root, 'changed'));
  },
  async 'an incident with an unusual attribute'(application) {
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said, 'Escalated to': 'second level' }, ...copies);
    return queueEvent(message('incident-on-participations', root, 'changed'));
  },
  async 'a beat that arrives'(application) {
    const key = { PK: '~denorm#HEARTBEAT', SK: 'HEARTBEAT' };
    await application.put({ ...key, 'fan-out:1': true });
    return queueEvent(beatMessage({ pk: key.PK, sk: key.SK }, 1));
  },
  async 'a deleted incident'(application) {
    const { root, copies } = incidentItems(2);
    await application.put(...copies);
    const locations = [{ in: 'partition', pk: copies[0]?.PK }];
    return queueEvent({ ...message('incident-on-participations', root, 'deleted'), locations });
  },
  async 'more than a page of an incident'(application) {
    const { root, said, copies } = incidentItems(12);
    await application.put({ ...root, ...said, Title: 'New' });
    await application.putMany(copies);
    return queueEvent(message('incident-on-participations', root, 'changed'));
  },
  async 'a recheck over an index'(application) {
    const { root, said, copies } = userItems(2);
    await application.put({ ...root, ...said, username: 'new' }, ...copies);
    return queueEvent({ ...message('username-on-memberships', root, 'changed'), recheck: true });
  },
  async 'a message of a rule that there is no more'() {
    return queueEvent(message('of-yesterday', { PK: 'a', SK: 'b' }, 'changed'));
  },
};

/** What has aged, found by the index and by the scan. */
const sweepPlays: Plays = {
  async 'orders were delivered long ago, one of them with an attribute of an unusual name'(application) {
    for (const more of [{}, { 'Gift wrap': 'red' }]) {
      const { root, said, items } = orderItems(2);
      const found = { GSI2PK: 'STATUS#DELIVERED', GSI2SK: 'ORDER#2024-01-15' };
      const after = { ...said, Status: 'DELIVERED', CreatedAt: '2024-01-15T09:30:00Z', ...found, ...more };
      await application.put({ ...root, ...after }, ...items);
    }
    return {};
  },
  async 'an incident was closed long ago'(application) {
    const { root, said, data } = incidentItems(0);
    await application.put({ ...root, ...said, State: 'CLOSED' }, { ...data, Details: '{}' });
    return {};
  },
};

/**
 * Copies of several roots side by side, and copies that stand alone: with keys that are always the same, so that whichever
 * parts of the table a scan reads together, it meets both.
 */
const verifyPlays: Plays = {
  async 'copies of two orders in one partition, the memberships of one user in many, a contender and its record'(
    application,
  ) {
    const user = { PK: 'USER#verified', SK: '#METADATA', Type: 'User', userId: 'verified', username: 'v' };
    const memberships = Array.from({ length: 8 }, (_, number) => ({
      ...{ PK: `SERVER#verified${number}`, SK: 'USER#verified', Type: 'Membership', userId: 'verified' },
      ...{ username: 'v', GSI1PK: 'USER#verified', GSI1SK: `SERVER#verified${number}` },
    }));
    const orders = ['1', '2'].map((id) => ({
      ...{ PK: `ORDER#verified${id}`, SK: 'METADATA', Type: 'Order', UserId: 'verifier', Total: 1 },
      ...{ Status: 'PAID', CreatedAt: id, GSI2PK: 'STATUS#PAID', GSI2SK: `ORDER#${id}` },
    }));
    const copies = ['1', '2'].map((id) => ({
      ...{ PK: 'USER#verifier', SK: `ORDER#${id}`, Type: 'UserOrder', OrderId: `verified${id}` },
      ...{ Status: 'PAID', Total: 1 },
    }));
    const contender = { PK: 'CONTENDER#verified', SK: 'metadata', Type: 'Contender', Name: 'v' };
    const record = {
      PK: 'CONTENDER#other',
      SK: 'VS#verified',
      Type: 'HeadToHead',
      GSI1PK: contender.PK,
      GSI1SK: 'VS#other',
      ...{ Contender1: 'other', Contender2: 'verified', Contender1Wins: 1, Contender2Wins: 2 },
    };
    const totals = { Wins: 2, Losses: 1, Score: 1 };
    await application.put(user, ...memberships, ...orders, ...copies, { ...contender, ...totals }, record);
    return {};
  },
};

function message(rule: string, { PK, SK }: { PK: string; SK: string }, cause: string) {
  return { rule, root: { pk: PK, sk: SK }, cause, attempts: 0 };
}

export const plays: Readonly<Record<FunctionId, Plays>> = {
  Propagate: propagatePlays,
  Archive: archivePlays,
  FanOut: fanOutPlays,
  Sweep: sweepPlays,
  Verify: verifyPlays,
  Heartbeat: { 'a beat': async () => ({}) },
};
