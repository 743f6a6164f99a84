import { type Item, type ItemKey, keyOf, keyText } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import type { DriftKind } from '../../src/worker/verify/drift.ts';
import { item, type Plain } from '../fixtures/model/items.ts';

/** What is wrong with an item, by the rule that says so. */
export interface Wrong {
  readonly rule: string;
  readonly kind: DriftKind;
  readonly copy: ItemKey;
  /** Whether a repair leaves it alone because it would lose what no rule names. */
  readonly unmapped: boolean;
}

export interface Drifted {
  readonly items: readonly Item[];
  readonly wrong: readonly Wrong[];
  readonly roots: number;
  readonly copies: number;
}

type Plains = Readonly<Record<string, Plain | undefined>>;

/**
 * Applications' items over all example rules: `families` of 20 roots and 100 copies. Some copies in each are wrong, one way
 * after another; what is no drift though it looks odd is among them.
 */
export function driftedItems(families: number): Drifted {
  const made = new Making();
  for (let family = 0; family < families; family += 1) {
    for (let root = 0; root < 8; root += 1) incident(made, family, root);
    for (let root = 0; root < 6; root += 1) user(made, family, root);
    for (let root = 0; root < 6; root += 1) order(made, family, root);
  }
  return { items: made.items, wrong: made.wrong, roots: families * 20, copies: made.copies };
}

class Making {
  readonly items: Item[] = [];
  readonly wrong: Wrong[] = [];
  copies = 0;

  root(plain: Plains): void {
    this.items.push(item(plain));
  }

  copy(rule: string, plain: Plains, kind?: DriftKind, unmapped = false): void {
    this.copies += 1;
    this.root(plain);
    if (kind !== undefined) this.report(rule, plain, kind, unmapped);
  }

  report(rule: string, plain: Plains, kind: DriftKind, unmapped = false): void {
    const copy = keyOf(table, item(plain));
    if (copy === undefined) throw new Error('Expected a key');
    this.wrong.push({ rule, kind, copy, unmapped });
  }
}

/**
 * Which of the ways to be wrong the first root of a family shows: one of so many, in turn; -1 for none. Two families of
 * seven show one, which makes one copy in a hundred wrong.
 */
function way(family: number, root: number, ways: number): number {
  const shown = Math.floor(family / 7) * 2 + (family % 7);
  return root === 0 && family % 7 < 2 ? shown % ways : -1;
}

function incident(made: Making, family: number, root: number): void {
  const rule = 'incident-on-participations';
  const account = `acct_${family % 50}`;
  const id = `inc_${family}x${root}`;
  const is = way(family, root, 8);
  const said = {
    ID: id,
    Title: `Error rate of service ${root}`,
    Status: 'RESOLVED',
    State: 'CLOSED',
    Number: family,
    CreatedAt: 1_614_194_921,
    UpdatedAt: 1_614_194_982,
    Severity: 'high',
  };
  const rootIs = is === 6 ? 'gone' : is === 7 ? 'invalid' : 'there';
  if (rootIs !== 'gone')
    made.root({
      PK: `${account}#inc`,
      SK: id,
      ...said,
      ...(rootIs === 'invalid' && { State: undefined }),
    });
  for (let copy = 0; copy < 5; copy += 1) {
    const right = {
      ...{ PK: `${account}#${id}#incpart`, SK: `user_${copy}`, ParticipantID: `user_${copy}` },
      ...{ GSI1PK: `${account}#user_${copy}#incpart`, GSI1SK: 'CLOSED#2021-02-24T19:28:41Z', ...said },
    };
    const broken: readonly Plains[] = [
      { Title: 'as it was' },
      { Status: undefined },
      { GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
      // What the incident has lost and a schema names.
      { Number: 7.5, UpdatedAt: undefined },
      // What no rule names.
      { Notes: 'a colleague wrote this' },
      { Severity: 'low' },
    ];
    if (rootIs === 'gone') made.copy(rule, right, 'orphan');
    else if (rootIs === 'invalid') made.copy(rule, right, 'invalid');
    else if (copy === 0 && is >= 0) made.copy(rule, { ...right, ...broken[is] }, 'differs', is === 4);
    else made.copy(rule, right);
  }
}

function user(made: Making, family: number, root: number): void {
  const rule = 'username-on-memberships';
  const id = `u${family}x${root}`;
  const is = way(family, root, 5);
  if (is !== 4)
    made.root({
      PK: `USER#${id}`,
      SK: '#METADATA',
      Type: 'User',
      userId: id,
      username: `name of ${id}`,
      email: 'a@b.c',
    });
  for (let copy = 0; copy < 5; copy += 1) {
    const right = {
      ...{
        PK: `SERVER#s${family}x${copy}`,
        SK: `USER#${id}`,
        Type: 'Membership',
        serverId: `s${family}x${copy}`,
      },
      ...{
        userId: id,
        role: 'member',
        username: `name of ${id}`,
        GSI1PK: `USER#${id}`,
        GSI1SK: `SERVER#s${copy}`,
      },
    };
    if (copy > 0 || is < 0 || is === 4) made.copy(rule, right);
    else if (is === 0) made.copy(rule, { ...right, username: 'a former name' }, 'differs');
    else if (is === 1) made.copy(rule, { ...right, username: undefined }, 'differs');
    else if (is === 2) made.copy(rule, { ...right, GSI1PK: 'USER#somebody else' }, 'foreign');
    // On no index: no change ever reaches it, and it is no drift.
    else made.copy(rule, { ...right, username: 'a former name', GSI1PK: undefined });
  }
}

function order(made: Making, family: number, root: number): void {
  const id = `o${family}x${root}`;
  const CreatedAt = `2026-03-${String(1 + (family % 28)).padStart(2, '0')}T10:00:0${root}`;
  const is = way(family, root, 9);
  const right = {
    ...{
      PK: `ORDER#${id}`,
      SK: 'METADATA',
      Type: 'Order',
      UserId: `c${family}`,
      Status: 'SHIPPED',
      Total: 59.97,
    },
    ...{ CreatedAt, GSI1PK: `USER#c${family}`, GSI1SK: `ORDER#${CreatedAt}` },
    ...{ GSI2PK: 'STATUS#SHIPPED', GSI2SK: `ORDER#${CreatedAt}` },
  };
  const keys = 'order-status-keys';
  if (is === 0) {
    const wrong = { ...right, GSI2PK: 'STATUS#PENDING' };
    made.root(wrong);
    made.report(keys, wrong, 'derived');
  } else if (is === 1) {
    const wrong = { ...right, GSI2PK: undefined, GSI2SK: undefined };
    made.root(wrong);
    made.report(keys, wrong, 'derived');
  } else if (is === 2) {
    // Nothing of it can be derived, and nothing be said of its copies' places. Their Status is what it says: none.
    const wrong = { ...right, Status: undefined };
    made.root(wrong);
    made.report(keys, wrong, 'invalid');
  } else if (is !== 3) made.root(right);
  const copied = {
    ...{ PK: `USER#c${family}`, SK: `ORDER#${CreatedAt}`, Type: 'UserOrder', OrderId: id },
    ...{ Status: is === 2 ? undefined : 'SHIPPED', Total: 59.97 },
  };
  const onUser = 'order-on-user-order';
  if (is === 4) made.copy(onUser, { ...copied, Status: 'PENDING', Total: undefined }, 'differs');
  else if (is === 5) made.copy(onUser, { ...copied, SK: 'ORDER#another time' }, 'foreign');
  else if (is === 6) made.copy(onUser, { ...copied, OrderId: undefined }, 'invalid');
  else made.copy(onUser, copied);
  const onItems = 'order-date-on-items';
  for (let copy = 0; copy < 4; copy += 1) {
    const line = {
      ...{
        PK: `ORDER#${id}`,
        SK: `ITEM#${copy}`,
        Type: 'OrderItem',
        ProductId: `p${copy}`,
        ProductName: 'Lamp',
      },
      ...{ Price: 9.5, Quantity: 2, GSI3PK: `PRODUCT#p${copy}`, GSI3SK: `SALE#${CreatedAt}` },
    };
    if (copy === 0 && is === 7)
      made.copy(onItems, { ...line, GSI3PK: undefined, GSI3SK: 'SALE#never' }, 'differs');
    else if (copy === 0 && is === 8) made.copy(onItems, { ...line, ProductId: undefined }, 'invalid');
    else made.copy(onItems, line);
  }
}

/** A text for one finding, to compare what was found with what is wrong. */
export function textOf({ rule, kind, copy }: Pick<Wrong, 'rule' | 'kind' | 'copy'>): string {
  return `${rule} ${kind} ${keyText(copy)}`;
}
