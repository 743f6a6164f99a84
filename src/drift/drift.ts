import * as z from 'zod';
import type { AttributeValue } from '../model/attribute-value.ts';

/**
 * What can be wrong with a copy:
 * - `differs`: it is not the projection of its root;
 * - `derived`: an item that is its own copy does not carry what the rule derives for it;
 * - `orphan`: the root that it names is not there, and no policy of the rule explains that it still is;
 * - `foreign`: it names a root that places its copies elsewhere: it stands where another root's copies stand, or where
 *   its own placed them once;
 * - `invalid`: root or copy does not hold what the rule needs, so that nobody can say what the copy is to be.
 *
 * A repair writes the first two. The others are for a person.
 */
export const driftKinds = ['differs', 'derived', 'orphan', 'foreign', 'invalid'] as const;

export type DriftKind = (typeof driftKinds)[number];

const key = z.object({ pk: z.string(), sk: z.string() });

/** One copy that is not what it should be, by one rule. Keys and attribute names, no content. */
export const driftSchema = z.object({
  kind: z.enum(driftKinds),
  rule: z.string(),
  copy: key,
  /** The root that it names; undefined where it does not say. */
  root: key.optional(),
  /** The attributes that differ from what the root says. */
  attributes: z.array(z.string()),
  /** Those of them that no rule names, and that a strict mirror would remove: an application may have put them there. */
  unmapped: z.array(z.string()),
  /** Why it cannot be projected. */
  code: z.string().optional(),
  reason: z.string().optional(),
});

export type Drift = z.output<typeof driftSchema>;

/** What an attribute is and what it is to be; undefined is missing. Item content: for those who asked for it. */
export interface Discrepancy {
  readonly is: AttributeValue | undefined;
  readonly wanted: AttributeValue | undefined;
}

/** Whether a propagation can mend it. */
export function isRepairable({ kind }: Pick<Drift, 'kind'>): boolean {
  return kind === 'differs' || kind === 'derived';
}
