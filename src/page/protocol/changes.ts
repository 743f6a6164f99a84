import type { Attributes, Key } from './views.ts';

export interface RuleActivity {
  readonly matched: number;
  readonly written: number;
  readonly deadLettered: number;
  /** Of the last minute: copies that it wrote or removed. */
  readonly writtenLately: number;
  /** The longest time of it from reading a change to the end of its propagation; undefined without one. */
  readonly slowestMs: number | undefined;
}

/** What a rule makes of one change. What is not readonly grows while the worker works on it. */
export interface RuleWork {
  readonly rule: string;
  readonly why: string;
  /** `check`: the item is a copy, and the worker compares it with its root. `fault`: the rule cannot be applied to the item. */
  readonly asks: 'propagation' | 'check' | 'archive' | 'fault' | 'nothing';
  /** The root that the worker looks at; undefined if it does nothing. */
  readonly root: Key | undefined;
  readonly counts: Record<
    | 'written'
    | 'removed'
    | 'unchanged'
    | 'retried'
    | 'deadLettered'
    | 'orphans'
    | 'foreign'
    /** Invalid members of a target, without which it was computed. */
    | 'skipped'
    /** Targets that do not exist. */
    | 'absent',
    number
  >;
  /** Items that were dead-lettered, once each, with the newest code and reason: the first of those that are counted. */
  readonly failed: { readonly key: Key; reason: string }[];
  state: 'waiting' | 'running' | 'done';
  /** The later change of the same root with which it was dealt with. */
  with?: number | undefined;
  /** What became of an item's state, of an archive rule. */
  archived?: 'stored' | 'unchanged' | 'final' | 'gone' | 'erased';
  milliseconds: number | undefined;
  /** About how many copies a fan-out will visit, once the queue goes on with it. */
  copies: number | undefined;
}

/** What became of a rule, in words: what failed is `bad`, what goes on `lit`, what was written `good`, and the rest `quiet`. */
export interface RuleOfChange extends RuleWork {
  readonly text: string;
  readonly mark: 'bad' | 'lit' | 'good' | 'quiet';
}

export interface ChangeView {
  readonly id: number;
  readonly key: Key;
  readonly kinds: readonly string[];
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly expired: boolean;
  /** Whether the worker wrote it itself, as a copy that is the root of another rule. */
  readonly byWorker: boolean;
  /** The change that made the worker write it, if that is known. */
  readonly cause: number | undefined;
  /** When the worker read it from the stream, in epoch milliseconds. */
  readonly at: number;
  /** How many attributes differ between its images, and of a MODIFY the first of them. */
  readonly differing: number;
  readonly differences: readonly Difference[];
  readonly rules: readonly RuleOfChange[];
  /** Whether the worker only found that copies were right. */
  readonly isIdle: boolean;
  /** Copies whose writes have come back on the stream. */
  arrived: number;
  /** The longest time from reading the change to the write of a copy, in milliseconds. */
  maxLag: number | undefined;
  /** What the worker's runs for it have cost, in words; empty before the first. */
  readonly cost: string;
}

/** What the table says that the worker's runs for a change have consumed: a run works on a batch of records or messages. */
export interface RunCosts extends Record<'readUnits' | 'writeUnits' | 'requests', number> {
  /** Those that asked the table for something. */
  readonly runs: number;
  /** Runs that worked on other changes too. */
  readonly shared: number;
}

/** Item content: an attribute in DynamoDB JSON before and after. A missing one is undefined, a large one null. */
export interface Difference {
  readonly name: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** `GET /api/change?id=…`: content is undefined if it is no longer kept. */
export interface ChangeDetail {
  readonly change: ChangeView;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
  readonly contentKept: boolean;
  /** The first copies that arrived; others are only counted. */
  readonly copies: readonly CopyDetail[];
}

export interface CopyDetail extends Pick<ChangeDetail, 'before' | 'after'> {
  readonly rule: string;
  readonly kind: string;
  readonly key: Key;
  readonly lag: number;
}

/** `GET /api/news?after=…`: everything that has changed since the news of that version. */
export interface News {
  /** The version of the journal, with a name of the server's start. */
  readonly version: string;
  /** The server has started anew, so that ids begin again: forget everything, the project too. */
  readonly reset: boolean;
  /** Whole changes, to be put in place of the ones with their ids. */
  readonly changes: readonly ChangeView[];
  /** Changes so far, also those that are no longer kept. */
  readonly total: number;
  readonly rules: Readonly<Record<string, RuleActivity>>;
}
