import { type ItemKey, keyText } from '../../src/model/items/item.ts';
import type { DriftKind } from '../../src/worker/verify/drift.ts';
import type { Attributes, Key } from '../deployed/application.ts';
import { incidentItems, orderItems, userItems } from '../deployed/items.ts';

/** What is wrong with an item, by the rule that says so. */
export interface Wrong {
  readonly rule: string;
  readonly kind: DriftKind;
  readonly copy: ItemKey;
  /** Whether a repair leaves it alone because it would lose what no rule names. */
  readonly unmapped: boolean;
}

export interface Drifted {
  readonly items: readonly (Key & Attributes)[];
  readonly wrong: readonly Wrong[];
  readonly roots: number;
  readonly copies: number;
}

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

/** What the keys of a root of a family contain. */
export function familyId(family: number, root: number): string {
  return `${family}x${root}`;
}

class Making {
  readonly items: (Key & Attributes)[] = [];
  readonly wrong: Wrong[] = [];
  copies = 0;

  copy(rule: string, item: Key & Attributes, kind?: DriftKind, unmapped = false): void {
    this.copies += 1;
    this.item(rule, item, kind, unmapped);
  }

  item(rule: string, item: Key & Attributes, kind?: DriftKind, unmapped = false): void {
    this.items.push(item);
    if (kind === undefined) return;
    this.wrong.push({ rule, kind, copy: { pk: item.PK, sk: item.SK }, unmapped });
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

function incident(made: Making, family: number, number: number): void {
  const rule = 'incident-on-participations';
  const is = way(family, number, 8);
  const { root, said, copies } = incidentItems(5, familyId(family, number));
  const [isGone, isInvalid] = [is === 6, is === 7];
  const Severity = 'high';
  if (!isGone) made.item(rule, { ...root, ...said, Severity, ...(isInvalid && { State: undefined }) });
  const broken: readonly Attributes[] = [
    { Title: 'as it was' },
    { Status: undefined },
    { GSI1SK: 'CLOSED#2021-02-24T19:28:41Z' },
    // What the incident has lost and a schema names.
    { Number: 7.5, UpdatedAt: undefined },
    // What no rule names.
    { Notes: 'a colleague wrote this' },
    { Severity: 'low' },
  ];
  for (const [index, copy] of copies.entries()) {
    const right = { ...copy, Severity };
    if (isGone) made.copy(rule, right, 'orphan');
    else if (isInvalid) made.copy(rule, right, 'invalid');
    else if (index === 0 && is >= 0) made.copy(rule, { ...right, ...broken[is] }, 'differs', is === 4);
    else made.copy(rule, right);
  }
}

function user(made: Making, family: number, number: number): void {
  const rule = 'username-on-memberships';
  const is = way(family, number, 5);
  const { root, said, copies } = userItems(5, familyId(family, number));
  if (is !== 4) made.item(rule, { ...root, ...said });
  for (const [index, right] of copies.entries()) {
    if (index > 0 || is < 0 || is === 4) made.copy(rule, right);
    else if (is === 0) made.copy(rule, { ...right, username: 'a former name' }, 'differs');
    else if (is === 1) made.copy(rule, { ...right, username: undefined }, 'differs');
    else if (is === 2) made.copy(rule, { ...right, GSI1PK: 'USER#somebody else' }, 'foreign');
    // On no index: no change ever reaches it, and it is no drift.
    else made.copy(rule, { ...right, username: 'a former name', GSI1PK: undefined });
  }
}

function order(made: Making, family: number, number: number): void {
  const is = way(family, number, 9);
  const { root, said, userOrder, userSaid, items, CreatedAt } = orderItems(4, familyId(family, number));
  const right = { ...root, ...said, GSI2PK: 'STATUS#PENDING', GSI2SK: `ORDER#${CreatedAt}` };
  const keys = 'order-status-keys';
  if (is === 0) made.item(keys, { ...right, GSI2PK: 'STATUS#SHIPPED' }, 'derived');
  else if (is === 1) made.item(keys, { ...right, GSI2PK: undefined, GSI2SK: undefined }, 'derived');
  // Nothing of it can be derived, and nothing be said of its copies' places.
  else if (is === 2) made.item(keys, { ...right, Status: undefined }, 'invalid');
  else if (is !== 3) made.item(keys, right);
  const copied = { ...userOrder, ...userSaid, ...(is === 2 && { Status: undefined }) };
  const onUser = 'order-on-user-order';
  if (is === 4) made.copy(onUser, { ...copied, Status: 'SHIPPED', Total: undefined }, 'differs');
  else if (is === 5) made.copy(onUser, { ...copied, SK: 'ORDER#another time' }, 'foreign');
  else if (is === 6) made.copy(onUser, { ...copied, OrderId: undefined }, 'invalid');
  // The order lacks what its schema requires: what the copy should be is unknown.
  else if (is === 2) made.copy(onUser, copied, 'invalid');
  else made.copy(onUser, copied);
  const onItems = 'order-date-on-items';
  for (const [index, item] of items.entries()) {
    const line = { ...item, GSI3PK: `PRODUCT#${item.ProductId}`, GSI3SK: `SALE#${CreatedAt}` };
    if (index === 0 && is === 7)
      made.copy(onItems, { ...line, GSI3PK: undefined, GSI3SK: 'SALE#never' }, 'differs');
    else if (index === 0 && is === 8) made.copy(onItems, { ...line, ProductId: undefined }, 'invalid');
    else made.copy(onItems, line);
  }
}

/** A text for one finding, to compare what was found with what is wrong. */
export function textOf({ rule, kind, copy }: Pick<Wrong, 'rule' | 'kind' | 'copy'>): string {
  return `${rule} ${kind} ${keyText(copy)}`;
}
