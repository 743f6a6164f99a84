import type { AttributeValue } from './attribute-value.ts';
import type { Item, ItemKey } from './item.ts';

/** The condition of a write: the value of each attribute; undefined means that it must be missing. */
export type Expectation = Readonly<Record<string, AttributeValue | undefined>>;

export interface GuardedUpdate {
  readonly key: ItemKey;
  readonly set: Readonly<Record<string, AttributeValue>>;
  readonly remove: readonly string[];
  readonly expect: Expectation;
  readonly rule?: string;
}

export interface GuardedRemoval {
  readonly key: ItemKey;
  /** Attributes to remove; undefined deletes the copy. */
  readonly clear: readonly string[] | undefined;
  readonly expect: Expectation;
  /** The copy's size in bytes, for the limit of a transaction. */
  readonly size: number;
  /** Present if the root is excluded by `when`, and so its copies are removed. Commands do that only if allowed. */
  readonly excluded?: true;
}

export interface GuardedCreation {
  readonly key: ItemKey;
  readonly item: Item;
  readonly size: number;
}

export type GuardedAction = GuardedCreation | GuardedRemoval;

export function isCreation(action: GuardedAction): action is GuardedCreation {
  return 'item' in action;
}

/** On the root, in the transaction that creates or removes copies. */
export interface RootCondition {
  readonly key: ItemKey;
  readonly expect: 'absent' | Expectation;
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
