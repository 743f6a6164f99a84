import type { AttributeValue } from '../items/attribute-value.ts';
import { addDecimals } from '../items/decimal.ts';
import type { Item, ItemKey } from '../items/item.ts';
import { postsName } from '../rules/ledger.ts';
import type { Message } from './message.ts';

/** The condition of a write: the value of each attribute; undefined means that it must be missing. */
export type Expectation = Readonly<Record<string, AttributeValue | undefined>>;

/** Of the message for which the worker writes. */
export type WrittenFor = Pick<Message, 'rule' | 'root' | 'cause'>;

export interface GuardedUpdate {
  readonly key: ItemKey;
  readonly set: Readonly<Record<string, AttributeValue>>;
  readonly remove: readonly string[];
  readonly expect: Expectation;
  readonly writtenFor?: WrittenFor;
}

export interface GuardedRemoval extends Posting {
  readonly key: ItemKey;
  /** Attributes to write instead of deleting the item: only of the worker's own items. */
  readonly put?: Readonly<Record<string, AttributeValue>>;
  /** Attributes to remove; undefined deletes the copy. */
  readonly clear: readonly string[] | undefined;
  readonly expect: Expectation;
  /** The copy's size in bytes, for the limit of a transaction. */
  readonly size: number;
  /** Present if the root is excluded by `when`, and so its copies are removed. Commands do that only if allowed. */
  readonly excluded?: true;
  /** Present if it is a target without members. Commands remove it only if allowed. */
  readonly empty?: true;
}

export interface GuardedCreation extends Posting {
  readonly key: ItemKey;
  readonly item: Item;
  readonly size: number;
}

/** What the write of an entry adds to the head of its ledger, in the same transaction. */
export interface Posting {
  readonly adds?: Readonly<Record<string, string>>;
}

export type GuardedAction = GuardedCreation | GuardedRemoval;

export function isCreation(action: GuardedAction): action is GuardedCreation {
  return 'item' in action;
}

/**
 * On the root, in the transaction that creates or removes copies; or the head to which what the actions add is added. With `none`,
 * there is no condition beside those of the actions: a target has no root.
 */
export interface RootCondition {
  readonly key: ItemKey;
  readonly expect: 'none' | 'absent' | 'head' | Expectation;
  /** What a new head gets. */
  readonly put?: Readonly<Record<string, AttributeValue>>;
  readonly writtenFor?: WrittenFor;
}

/** What a removal leaves of an item; undefined if nothing. */
export function remainderOf(before: Item, { clear, put }: GuardedRemoval): Item | undefined {
  return clear === undefined && put === undefined ? undefined : changed(before, put ?? {}, clear ?? []);
}

/** What all actions add to each attribute of a head. Also 0: a mean of zeros is one. */
export function addedBy(actions: readonly Posting[]): Readonly<Record<string, string>> {
  const sums = new Map([[postsName, '1']]);
  for (const { adds = {} } of actions)
    for (const [name, value] of Object.entries(adds))
      sums.set(name, addDecimals(sums.get(name) ?? '0', value));
  return Object.fromEntries(sums);
}

export function headAfter(before: Item | undefined, bare: Item, actions: readonly Posting[]): Item {
  const sums = Object.entries(addedBy(actions)).map(([name, value]) => {
    const sum = before?.[name];
    return [name, { N: addDecimals(sum && 'N' in sum ? sum.N : '0', value) }] as const;
  });
  return { ...(before ?? bare), ...Object.fromEntries(sums) };
}

/**
 * - `lost`: its condition failed, and nothing was written;
 * - `root`: the condition on the root failed, and nothing was written;
 * - `throttled`: nothing was written. Only a call that paces itself gets it;
 * - `unavailable`: all retries failed, and it was not made or its outcome is unknown;
 * - `refused`: DynamoDB never accepts this write of this item.
 */
export type WriteOutcome = 'written' | 'lost' | 'root' | 'throttled' | 'unavailable' | 'refused';

export function changed(before: Item, set: GuardedUpdate['set'], remove: readonly string[]): Item {
  const gone = new Set(remove);
  const kept = Object.entries(before).filter(([name]) => !gone.has(name));
  return { ...Object.fromEntries(kept), ...set };
}
