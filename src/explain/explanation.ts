import type { ItemKey } from '../model/items/item.ts';
import type { Cause } from '../model/work/message.ts';

/** What `denorm explain` prints, and what the page shows of an item. */
export interface Explanation {
  readonly subjects: readonly ExplainedSubject[];
  /** What the worker would do about the subjects, then about its own writes as they come back on the stream. */
  readonly rounds: readonly ExplainedRound[];
  readonly cost: ExplainedCost;
}

/** A stream record, a message, or an item as it is now. */
export interface ExplainedSubject {
  readonly is: 'INSERT' | 'MODIFY' | 'REMOVE' | 'item' | 'missing item' | 'message' | 'unreadable record';
  /** Of a message, its root; undefined if it is unreadable. */
  readonly key?: ItemKey;
  readonly expired: boolean;
  readonly kinds: readonly string[];
  /** Why it is of no kind although its key is that of one, or why it is unreadable. */
  readonly problem?: string;
  readonly rules: readonly ExplainedRule[];
  /** The names of the rules that it does not concern. */
  readonly unconcerned: readonly string[];
}

export interface ExplainedRule {
  readonly rule: string;
  /** `item`: of an archive rule. */
  readonly as: 'root' | 'copy' | 'itself' | 'member' | 'target' | 'item';
  readonly asks: 'propagation' | 'check' | 'archive' | 'nothing';
  /** A code, and the same as a sentence. */
  readonly because: string;
  readonly why: string;
  /** The root of a copy, or the targets of a member. */
  readonly of: readonly ItemKey[];
  /** How a function of the rule fails on the item, or why the item is invalid: it is dead-lettered. Never content. */
  readonly fault?: string;
}

export interface ExplainedRound {
  readonly records: number;
  /** Copies that are compared with their roots. */
  readonly checks: number;
  readonly costOfChecks: ExplainedCost;
  readonly work: readonly ExplainedWork[];
}

/** A propagation, or the computation of an aggregate's target, with the messages that it sends. */
export interface ExplainedWork {
  readonly rule: string;
  readonly computes: boolean;
  /** The root, or the target. */
  readonly key: ItemKey;
  readonly cause: Cause;
  /** Where it looks for copies or members, in words. */
  readonly where: readonly string[];
  readonly found: Readonly<Record<ExplainedCount, number>>;
  /** With which the fan-out queue continues it, and looks again. */
  readonly messages: number;
  readonly cost: ExplainedCost;
  readonly writes: readonly ExplainedWrite[];
  /** Codes and reasons. */
  readonly deadLettered: readonly string[];
  /** Messages with further copies, which were not followed. */
  readonly notFollowed: number;
}

export type ExplainedCount =
  | 'written'
  | 'removed'
  | 'unchanged'
  | 'orphans'
  | 'foreign'
  | 'skipped'
  | 'absent'
  /** Of a computation: the items found where members are. */
  | 'members';

/** A write with its condition: names of attributes, never values. Names are sorted, because DynamoDB returns attributes in any order. */
export interface NamedWrite {
  /** `clear` removes what a rule wrote, together with a condition on the root. */
  readonly does: 'update' | 'create' | 'delete' | 'clear';
  readonly key: ItemKey;
  readonly set: readonly string[];
  readonly remove: readonly string[];
  /** The attributes that must be as read. Undefined if no item may have the key. */
  readonly expect?: readonly string[];
  /** In a transaction, the attributes of the root that must be as read, or that it must not exist. */
  readonly root?: readonly string[] | 'absent';
}

export interface ExplainedWrite extends NamedWrite {
  readonly writeUnits: ExplainedCost['writeUnits'];
  /** Item content, on request alone: each attribute in DynamoDB JSON, null if it is missing. */
  readonly values?: Readonly<Record<string, { readonly was: unknown; readonly is: unknown }>>;
}

export interface ExplainedCost {
  readonly readUnits: number;
  readonly writeUnits: {
    readonly table: number;
    readonly indexes: Readonly<Record<string, number>>;
    readonly total: number;
  };
}
