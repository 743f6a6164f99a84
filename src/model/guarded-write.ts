import type { AttributeValue } from './attribute-value.ts';
import type { ItemKey } from './item.ts';

/** What an attribute must be for a write to take place; undefined means that it must be missing. */
export type Expectation = Readonly<Record<string, AttributeValue | undefined>>;

/** An update of one copy, on condition that it exists and that everything in `expect` stands as read. */
export interface GuardedUpdate {
  readonly key: ItemKey;
  readonly set: Readonly<Record<string, AttributeValue>>;
  readonly remove: readonly string[];
  readonly expect: Expectation;
  /** The rule that asks for it, for reports. */
  readonly rule?: string;
}

/** Statements of one batch that DynamoDB refused as invalid, though it took the same write as an UpdateItem. */
export interface FellBack {
  readonly rule: string | undefined;
  /** What DynamoDB called the refusal. */
  readonly code: string;
  readonly statements: number;
}

/** The end of one copy, or of what a rule wrote on it. It exists and `expect` stands as read. */
export interface GuardedRemoval {
  readonly key: ItemKey;
  /** Attributes to remove; undefined deletes the copy. */
  readonly clear: readonly string[] | undefined;
  readonly expect: Expectation;
  /** The copy's size in bytes, for the limit of a transaction. */
  readonly size: number;
}

/** What must be true of the root in the very transaction that removes copies: absent, or placing them as just read. */
export interface RootCondition {
  readonly key: ItemKey;
  readonly expect: 'absent' | Expectation;
}

/**
 * What became of one write:
 * - `written`;
 * - `lost`: its condition was not met, nothing was written;
 * - `root`: the root's condition was not met (removals only), nothing was written;
 * - `unavailable`: not done, or not known to be done, after retries;
 * - `refused`: DynamoDB will never take this write of this item.
 */
export type WriteOutcome = 'written' | 'lost' | 'root' | 'unavailable' | 'refused';
