import type { Attributes, Key } from './project.ts';

/** What a rule has done since the start; an archive rule, with items of one kind. */
export interface RuleCounts {
  /** Changes that it matched. */
  readonly matched: number;
  readonly written: number;
  readonly deadLettered: number;
  /** From reading the change to the end of its last propagation, in milliseconds. */
  readonly lastMilliseconds: number | undefined;
}

/** What a rule makes of one change. */
export interface RuleOfChange {
  readonly rule: string;
  readonly says: string;
  /** `check`: the item is a copy, and the worker compares it with its root. */
  readonly asks: 'propagation' | 'check' | 'archive' | 'nothing';
  readonly state: 'waiting' | 'running' | 'done';
  readonly counts: {
    readonly written: number;
    readonly removed: number;
    readonly unchanged: number;
    readonly retried: number;
    readonly requeued: number;
    readonly deadLettered: number;
    readonly orphans: number;
  };
  /** From reading the change to the end of its last propagation. */
  readonly milliseconds: number | undefined;
  /** About how many copies a fan-out will visit, once it has been requeued. */
  readonly copies: number | undefined;
}

export interface ChangeView {
  readonly id: number;
  readonly key: Key;
  readonly kinds: readonly string[];
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly expired: boolean;
  /** Whether the worker wrote it itself, as a copy that is the root of another rule. */
  readonly byWorker: boolean;
  /** When the worker read it from the stream, in epoch milliseconds. */
  readonly at: number;
  /** Names of the attributes that differ between its images. */
  readonly attributes: readonly string[];
  readonly rules: readonly RuleOfChange[];
  /** Copies whose writes have come back on the stream. */
  readonly arrived: number;
  /** The longest time from reading the change to the write of a copy, in milliseconds. */
  readonly maxLag: number | undefined;
  /** Of the worker, from reading the change to its last propagation; shared with the changes of that time. */
  readonly requests: number;
  readonly readUnits: number;
  readonly sharedWith: number;
  /** Of the copies that have arrived, indexes included. */
  readonly writeUnits: number;
}

/** `GET /api/changes/<id>`: content is undefined if it is not kept: older than the last, or never. */
export interface ChangeDetail {
  readonly change: ChangeView;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
  readonly contentKept: boolean;
  /** The first copies that arrived; others are only counted. */
  readonly copies: readonly CopyDetail[];
}

export interface CopyDetail {
  readonly rule: string;
  readonly key: Key;
  readonly lag: number;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
}

/** The worker's work in one second. */
export interface Second {
  /** Epoch seconds. */
  readonly at: number;
  /** Lag from reading a change to the write of each of its copies, in milliseconds; null if no copy was written. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** An event `news` of `GET /api/events`: everything that has changed since the last one. */
export interface News {
  /** The server has started anew, so that ids begin again: forget everything, the project too. */
  readonly reset: boolean;
  /** Whole changes, to be put in place of the ones with their ids. */
  readonly changes: readonly ChangeView[];
  /** Changes so far, also those that are no longer kept. */
  readonly total: number;
  /** By the ids of the project's rules. */
  readonly rules: Readonly<Record<string, RuleCounts>>;
  readonly seconds: readonly Second[];
}
