import type { ApplicationItem, ApplicationTable } from '../../scripts/demo/application-table.ts';

/** What an event of `events/` is about: what stood in the table, and what an application did. */
export interface EventExample {
  /** The file in `events/`, without its ending. */
  readonly name: string;
  readonly function: 'Propagate' | 'Archive' | 'FanOut';
  readonly before: readonly ApplicationItem[];
  change(application: ApplicationTable): Promise<void>;
  /** Rules of the propagations that the function takes on it; for the archive, none. */
  readonly rules: readonly string[];
}

const account = 'acct_1eSuXwHoigx1WzTqBimRK2mvvEj';
const incidentId = 'inc_1owPwtJ5JZbNMlR4Cccqm3qC7PH';
const incidentKey = { pk: `${account}#inc`, sk: incidentId };
const opened = {
  ...{ ID: incidentId, CreatedAt: 1614194921, UpdatedAt: 1614194921, Number: 859, Status: 'TRIGGERED' },
  ...{ State: 'OPEN', Title: 'Application error rate exceeded 1%' },
};
const incident = { PK: incidentKey.pk, SK: incidentKey.sk, ...opened };
const participations = ['team_1h0QJANrGKFC', 'user_4m7YZDSpNMGH', 'user_5q9ZAETrPQHJ'].map((id) => ({
  ...{ PK: `${account}#${incidentId}#incpart`, SK: id, ...opened, ParticipantID: id },
  ...{ GSI1PK: `${account}#${id}#incpart`, GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
}));

const userKey = { pk: 'USER#42', sk: '#METADATA' };
const user = {
  PK: userKey.pk,
  SK: userKey.sk,
  Type: 'User',
  userId: '42',
  username: 'ada',
  email: 'ada@example.com',
};
const memberships = ['compilers', 'engines'].map((server) => ({
  PK: `SERVER#${server}`,
  SK: 'USER#42',
  Type: 'Membership',
  serverId: server,
  userId: '42',
  role: 'member',
  ...{ username: 'ada', GSI1PK: 'USER#42', GSI1SK: `SERVER#${server}` },
}));

const CreatedAt = '2026-01-15T09:30:00Z';
const orderKey = { pk: 'ORDER#1001', sk: 'METADATA' };
const order = {
  PK: orderKey.pk,
  SK: orderKey.sk,
  Type: 'Order',
  UserId: '42',
  Status: 'PENDING',
  Total: 59.97,
  CreatedAt,
  ...{ GSI1PK: 'USER#42', GSI1SK: `ORDER#${CreatedAt}` },
};
const userOrder = {
  PK: 'USER#42',
  SK: `ORDER#${CreatedAt}`,
  Type: 'UserOrder',
  OrderId: '1001',
  Status: 'PENDING',
  Total: 59.97,
};
const orderItem = {
  PK: orderKey.pk,
  SK: 'ITEM#7',
  Type: 'OrderItem',
  ProductId: '7',
  ProductName: 'Mug',
  Price: 19.99,
  Quantity: 3,
};

const bearKey = { pk: 'CONTENDER#bear', sk: 'metadata' };
const contenders = ['bear', 'books'].map((name) => ({
  ...{ PK: `CONTENDER#${name}`, SK: 'metadata', Type: 'Contender', Name: name, SVG: '<svg/>' },
}));
const recordKey = { pk: 'CONTENDER#bear', sk: 'VS#books' };
const record = {
  ...{ PK: recordKey.pk, SK: recordKey.sk, Type: 'HeadToHead', Contender1: 'bear', Contender2: 'books' },
  ...{ Contender1Wins: 12, Contender2Wins: 2 },
};
const foundRecord = { ...record, GSI1PK: 'CONTENDER#books', GSI1SK: 'VS#bear' };

const close = { State: 'CLOSED', Status: 'RESOLVED', UpdatedAt: 1614194982 };

/** At least one for each function and each propagation. */
export const eventExamples: readonly EventExample[] = [
  {
    name: 'incident-closed',
    function: 'Propagate',
    before: [incident, ...participations],
    change: (application) => application.update(incidentKey, close),
    rules: ['incident-on-participations'],
  },
  {
    name: 'incident-deleted',
    function: 'Propagate',
    before: [incident, ...participations],
    change: (application) => application.delete(incidentKey),
    rules: ['incident-on-participations'],
  },
  {
    name: 'user-renamed',
    function: 'Propagate',
    before: [user, ...memberships],
    change: (application) => application.update(userKey, { username: 'countess' }),
    rules: ['username-on-memberships'],
  },
  {
    name: 'order-created',
    function: 'Propagate',
    before: [],
    async change(application) {
      for (const item of [order, orderItem, userOrder]) await application.put(item);
    },
    rules: ['order-date-on-items', 'order-on-user-order', 'order-status-keys'],
  },
  {
    name: 'order-shipped',
    function: 'Propagate',
    before: [order, orderItem, userOrder],
    change: (application) => application.update(orderKey, { Status: 'SHIPPED' }),
    rules: ['order-on-user-order', 'order-status-keys'],
  },
  {
    name: 'head-to-head-created',
    function: 'Propagate',
    before: contenders,
    change: (application) => application.put(record),
    rules: ['contender-totals', 'contender-totals', 'head-to-head-keys'],
  },
  {
    name: 'vote-cast',
    function: 'Propagate',
    before: [...contenders, foundRecord],
    change: (application) => application.add(recordKey, 'Contender1Wins', 1),
    rules: ['contender-totals', 'contender-totals'],
  },
  {
    name: 'totals-written',
    function: 'Propagate',
    before: [...contenders, foundRecord],
    change: (application) => application.update(bearKey, { Wins: 12, Losses: 2, Score: 10 }),
    rules: ['contender-totals', 'leaderboard-keys'],
  },
  {
    name: 'order-expiring',
    function: 'Archive',
    before: [order],
    change: (application) => application.update(orderKey, { ExpiresAt: 4102444800 }),
    rules: [],
  },
  {
    name: 'order-expired',
    function: 'Archive',
    before: [],
    change: (application) => application.put({ ...order, ExpiresAt: Math.floor(Date.now() / 1000) - 60 }),
    rules: [],
  },
  {
    name: 'rest-of-a-large-fan-out',
    function: 'FanOut',
    before: [incident, ...participations],
    change: (application) => application.update(incidentKey, close),
    rules: ['incident-on-participations'],
  },
  {
    name: 'recheck',
    function: 'FanOut',
    before: [user, ...memberships.slice(0, 1)],
    change: (application) => application.update(userKey, { username: 'countess' }),
    rules: ['username-on-memberships'],
  },
];
