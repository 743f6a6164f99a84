import type { ItemKey } from './item.ts';
import type { Cause } from './message.ts';

/** The pace of a fan-out. */
export interface PaceReport {
  /** Write units a second, at the end of the propagation. */
  readonly unitsPerSecond: number;
  /** Writes that were throttled. They were sent again. */
  readonly throttled: number;
}

/** What one propagation did, in counts. */
export interface PropagationReport {
  readonly rule: string;
  readonly root: ItemKey;
  readonly cause: Cause;
  readonly recheck: boolean;
  /** Copies written. */
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Writes whose condition failed. They were retried. */
  readonly lost: number;
  readonly orphans: number;
  /** Items in the location that do not belong to this root. */
  readonly foreign: number;
  readonly deadLettered: number;
  /** Messages sent to the queue: the rest of a fan-out, a retry. Rechecks are not counted. */
  readonly requeued: number;
  /** Writes whose condition was narrowed to the limits of an expression. */
  readonly narrowed: number;
  /** Invalid members of a target, without which it was computed. */
  readonly skipped: number;
  /** Undefined if it wrote so little that it kept to no pace. */
  readonly pace: PaceReport | undefined;
  /** When the change was made, in epoch milliseconds, as the stream says; undefined if unknown. */
  readonly changedAt: number | undefined;
}

/** What the archive worker did with one item. */
export interface ArchiveReport {
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
  /**
   * - `stored`: wrote an object;
   * - `unchanged`: the archive already had this state;
   * - `final`: wrote the last state next to another one;
   * - `gone`: the item no longer exists, or has another state, which its own record stores;
   * - `erased`: removed the object and its states, because a user deleted the item.
   */
  readonly outcome: 'stored' | 'unchanged' | 'final' | 'gone' | 'erased';
}
