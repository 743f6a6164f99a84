import type { ItemKey } from './item.ts';
import type { Cause } from './message.ts';

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
  /** Writes whose condition failed. They were tried again. */
  readonly lost: number;
  readonly orphans: number;
  /** Items in the location that do not belong to this root. */
  readonly foreign: number;
  readonly deadLettered: number;
  /** Messages sent to the queue: the rest of a fan-out, a retry. Rechecks are not counted. */
  readonly requeued: number;
  /** Writes whose condition was narrowed to what an expression can hold. */
  readonly narrowed: number;
  /** When the change was made, in epoch milliseconds, as the stream says; undefined if unknown. */
  readonly changedAt: number | undefined;
}

/** What became of one item's way into the archive. */
export interface ArchiveReport {
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
  /** `stored` wrote an object; `stood` found the very state there; `final` wrote the last state beside another; `gone` found no item to store, or another state of it, which its own record stores; `erased` removed what a user's deletion takes along. */
  readonly outcome: 'stored' | 'unchanged' | 'final' | 'gone' | 'erased';
}
