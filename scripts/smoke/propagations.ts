import type { AttributeValue } from '../../src/model/attribute-value.ts';
import { type Item, type ItemKey, keyIn } from '../../src/model/item.ts';
import { statusPartition, statusPartitions } from '../../src/rules/order-status-keys.ts';
import { GSI1, GSI2, GSI3, table } from '../../src/table.ts';

/** What an item must come to hold: for each attribute, any one of these values. */
export interface Expected {
  readonly key: ItemKey;
  readonly attributes: Readonly<Record<string, readonly AttributeValue[]>>;
}

/** What shows that a rule works: a root and copies as applications write them, a change, and what then holds. */
export interface Scene {
  readonly rule: string;
  readonly root: Item;
  readonly copies: readonly Item[];
  readonly changed: Item;
  readonly expected: readonly Expected[];
  /** Whether the copies go with their root. */
  readonly copiesGo: boolean;
}

/**
 * A scene for each rule and aggregate of this table. If you add one, add a scene here. Statuses are such that no application
 * lists these items under its own ones; on the leaderboard, they come last.
 * @param run part of every partition key
 */
export function scenes(run: string, statusShards: number): readonly Scene[] {
  return [
    incidentOnParticipations(run),
    usernameOnMemberships(run),
    orderStatusKeys(run, statusShards),
    orderOnUserOrder(run),
    orderDateOnItems(run),
    leaderboardKeys(run),
    headToHeadKeys(run),
    contenderTotals(run),
  ];
}

function incidentOnParticipations(run: string): Scene {
  const account = `acct_${run}`;
  const incident = {
    ...strings({ ID: `inc_${run}`, Title: 'smoke', Status: 'TRIGGERED', State: 'OPEN' }),
    ...{ Number: { N: '1' }, CreatedAt: { N: '1614194921' }, UpdatedAt: { N: '1614194921' } },
  };
  const root = { ...keyed(`${account}#inc`, `inc_${run}`), ...incident };
  const copies = ['user_1', 'team_2'].map((participant) => ({
    ...keyed(`${account}#inc_${run}#incpart`, participant),
    ...incident,
    ...strings({ ParticipantID: participant, [GSI1.pk]: `${account}#${participant}#incpart` }),
    ...strings({ [GSI1.sk]: 'OPEN#2021-02-24T19:28:41Z' }),
  }));
  const changed = { ...root, ...strings({ State: 'CLOSED', Title: 'smoke changed' }) };
  const attributes = {
    ...{ State: [{ S: 'CLOSED' }], Title: [{ S: 'smoke changed' }] },
    [GSI1.sk]: [{ S: 'CLOSED#2021-02-24T19:28:41Z' }],
  };
  const expected = copies.map((copy) => ({ key: keyIn(table, copy), attributes }));
  return { rule: 'incident-on-participations', root, copies, changed, expected, copiesGo: true };
}

function usernameOnMemberships(run: string): Scene {
  const root = {
    ...keyed(`USER#${run}`, '#METADATA'),
    ...strings({ Type: 'User', userId: run, username: 'smoke', email: 'smoke@example.com' }),
  };
  const copies = ['a', 'b', 'c'].map((one) => ({
    ...keyed(`SERVER#${run}-${one}`, `USER#${run}`),
    ...strings({
      Type: 'Membership',
      serverId: `${run}-${one}`,
      userId: run,
      role: 'member',
      username: 'smoke',
    }),
    ...strings({ [GSI1.pk]: `USER#${run}`, [GSI1.sk]: `SERVER#${run}-${one}` }),
  }));
  const expected = copies.map((copy) => ({
    key: keyIn(table, copy),
    attributes: { username: [{ S: 'smoke changed' }] },
  }));
  const changed = { ...root, ...strings({ username: 'smoke changed' }) };
  return { rule: 'username-on-memberships', root, copies, changed, expected, copiesGo: false };
}

function orderStatusKeys(run: string, statusShards: number): Scene {
  const root = order(`${run}-keys`);
  const pks = statusPartitions('SMOKE-CHANGED', statusShards).map((S) => ({ S }));
  return {
    ...{
      rule: 'order-status-keys',
      root,
      copies: [],
      changed: { ...root, ...strings({ Status: 'SMOKE-CHANGED' }) },
    },
    expected: [
      { key: keyIn(table, root), attributes: { [GSI2.pk]: pks, [GSI2.sk]: [{ S: `ORDER#${createdAt}` }] } },
    ],
    copiesGo: false,
  };
}

function orderOnUserOrder(run: string): Scene {
  const root = order(`${run}-user`);
  const copy = {
    ...keyed(`USER#u-${run}-user`, `ORDER#${createdAt}`),
    ...strings({ Type: 'UserOrder', OrderId: `${run}-user`, Status: 'SMOKE' }),
    Total: { N: '9.99' },
  };
  const changed = { ...root, ...strings({ Status: 'SMOKE-CHANGED' }), Total: { N: '10.01' } };
  const attributes = { Status: [{ S: 'SMOKE-CHANGED' }], Total: [{ N: '10.01' }] };
  const expected = [{ key: keyIn(table, copy), attributes }];
  return { rule: 'order-on-user-order', root, copies: [copy], changed, expected, copiesGo: true };
}

function orderDateOnItems(run: string): Scene {
  const root = order(`${run}-items`);
  const products = ['1', '2'];
  const copies = products.map((product) => ({
    ...keyed(`ORDER#${run}-items`, `ITEM#${product}`),
    ...strings({ Type: 'OrderItem', ProductId: `${run}-${product}`, ProductName: 'smoke' }),
    ...{ Price: { N: '1' }, Quantity: { N: '1' } },
  }));
  const later = '2020-01-02T00:00:00Z';
  const expected = products.map((product) => ({
    key: { pk: `ORDER#${run}-items`, sk: `ITEM#${product}` },
    attributes: {
      [GSI3.pk]: [{ S: `PRODUCT#${run}-${product}` }],
      [GSI3.sk]: [{ S: `SALE#${later}` }],
    },
  }));
  const changed = { ...root, ...strings({ CreatedAt: later }) };
  return { rule: 'order-date-on-items', root, copies, changed, expected, copiesGo: false };
}

function headToHeadKeys(run: string): Scene {
  const root = headToHead(`${run}-one`, `${run}-other`);
  const changed = { ...root, ...strings({ Contender2: `${run}-another` }) };
  const attributes = {
    [GSI1.pk]: [{ S: `CONTENDER#${run}-another` }],
    [GSI1.sk]: [{ S: `VS#${run}-one` }],
  };
  const expected = [{ key: keyIn(table, root), attributes }];
  return { rule: 'head-to-head-keys', root, copies: [], changed, expected, copiesGo: false };
}

/** The score is what its head-to-head adds up to, because any other is corrected. */
function leaderboardKeys(run: string): Scene {
  const root = contender(`${run}-ranked`);
  const copies = [headToHead(`${run}-ranked`, `${run}-other`)];
  const totals = { Wins: { N: '0' }, Losses: { N: '999999999993' }, Score: { N: '-999999999993' } };
  const changed = { ...root, ...strings({ Name: 'smoke changed' }), ...totals };
  const attributes = {
    [GSI2.pk]: [{ S: 'LEADERBOARD' }],
    [GSI2.sk]: [{ S: '0000000000007#smoke changed' }],
  };
  const expected = [{ key: keyIn(table, root), attributes }];
  return { rule: 'leaderboard-keys', root, copies, changed, expected, copiesGo: false };
}

function contenderTotals(run: string): Scene {
  const target = contender(`${run}-counted`);
  const root = headToHead(`${run}-counted`, `${run}-other`);
  const changed = { ...root, Contender1Wins: { N: '3' } };
  const attributes = {
    ...{ Wins: [{ N: '3' }], Losses: [{ N: '999999999993' }] },
    Score: [{ N: '-999999999990' }],
  };
  const expected = [{ key: keyIn(table, target), attributes }];
  return { rule: 'contender-totals', root, copies: [target], changed, expected, copiesGo: false };
}

function contender(name: string) {
  return {
    ...keyed(`CONTENDER#${name}`, 'metadata'),
    ...strings({ Type: 'Contender', Name: 'smoke', SVG: '' }),
  };
}

/** A contender who has never won, and has lost so often that nobody is below. */
function headToHead(one: string, other: string) {
  return {
    ...keyed(`CONTENDER#${one}`, `VS#${other}`),
    ...strings({ Type: 'HeadToHead', Contender1: one, Contender2: other }),
    ...{ Contender1Wins: { N: '0' }, Contender2Wins: { N: '999999999993' } },
  };
}

const createdAt = '2020-01-01T00:00:00Z';

/** An order in a status of its own. */
export function order(id: string) {
  return {
    ...keyed(`ORDER#${id}`, 'METADATA'),
    ...strings({ Type: 'Order', UserId: `u-${id}`, Status: 'SMOKE', CreatedAt: createdAt }),
    Total: { N: '9.99' },
  };
}

/** What {@link order} has in GSI2. */
export function orderKeys(id: string, statusShards: number) {
  return { pk: { S: statusPartition('SMOKE', id, statusShards) }, sk: { S: `ORDER#${createdAt}` } };
}

function keyed(pk: string, sk: string) {
  return { [table.pk]: { S: pk }, [table.sk]: { S: sk } };
}

function strings<Name extends string>(values: Readonly<Record<Name, string>>): Record<string, { S: string }> {
  return Object.fromEntries(Object.entries<string>(values).map(([name, S]) => [name, { S }]));
}
