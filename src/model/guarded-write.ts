import type { AttributeValue } from './attribute-value.ts';
import type { Item, ItemKey } from './item.ts';

/** The condition of a write: the value of each attribute; undefined means that it must be missing. */
export type Expectation = Readonly<Record<string, AttributeValue | undefined>>;

/** An update of one copy, on condition that it exists and that `expect` still holds. */
export interface GuardedUpdate {
  readonly key: ItemKey;
  readonly set: Readonly<Record<string, AttributeValue>>;
  readonly remove: readonly string[];
  readonly expect: Expectation;
  /** The rule that requires the update, for reports. */
  readonly rule?: string;
}

/** Deletes one copy, or clears its attributes, on condition that it exists and that `expect` still holds. */
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

/** Puts a copy, on condition that no item has its key. */
export interface GuardedCreation {
  readonly key: ItemKey;
  /** The whole copy, with its key. */
  readonly item: Item;
  /** The copy's size in bytes, for the limit of a transaction. */
  readonly size: number;
}

/** What a transaction does to one copy. */
export type GuardedAction = GuardedCreation | GuardedRemoval;

export function isCreation(action: GuardedAction): action is GuardedCreation {
  return 'item' in action;
}

/** The condition on the root in the transaction that creates or removes copies: it is absent, or `expect` still holds. */
export interface RootCondition {
  readonly key: ItemKey;
  readonly expect: 'absent' | Expectation;
}

/**
 * The outcome of one write:
 * - `written`: the write succeeded;
 * - `lost`: its condition failed, and nothing was written;
 * - `root`: the condition on the root failed (creations and removals), and nothing was written;
 * - `throttled`: the table takes no more for now, and nothing was written. Only a call that paces itself gets it;
 * - `unavailable`: all retries failed, and the write was not made or its outcome is unknown;
 * - `refused`: DynamoDB never accepts this write of this item.
 */
export type WriteOutcome = 'written' | 'lost' | 'root' | 'throttled' | 'unavailable' | 'refused';

/** An item after a write. */
export function changed(before: Item, set: GuardedUpdate['set'], remove: readonly string[]): Item {
  const gone = new Set(remove);
  const kept = Object.entries(before).filter(([name]) => !gone.has(name));
  return { ...Object.fromEntries(kept), ...set };
}
