/**
 * What a change of a rule means for copies that are there already:
 * - `appears`, `goes`, `changes`: an attribute of theirs, with the next propagation of their root;
 * - `stays`: it stays as it is, and follows its root no longer;
 * - `elsewhere`: other items are the rule's copies, or they are found another way;
 * - `cannot-tell`: something is computed in another way;
 * - `nothing`: it counts from the next change on.
 */
export type Effect = 'appears' | 'goes' | 'changes' | 'stays' | 'elsewhere' | 'cannot-tell' | 'nothing';

/** One difference between two versions of a rule, and what it means. */
export interface RuleChange {
  readonly rule: string;
  /** Where it is: `attribute`, `found`, `reads`, `root deleted`, `rule`, … */
  readonly what: string;
  /** The attribute that it is about. */
  readonly attribute?: string;
  readonly before: string;
  readonly after: string;
  readonly effect: Effect;
  /** What it means, in a sentence. */
  readonly says: string;
}

/** Whether copies that are there already become what the new version says only by a backfill, or by a change of their root. */
export function asksForBackfill({ effect }: RuleChange): boolean {
  return effect !== 'stays' && effect !== 'nothing';
}
