import * as z from 'zod';
import { itemKeySchema } from '../../model/item.ts';
import { isFinished, type ScanPoint, scanPointSchema } from '../scan/scan-table.ts';
import { driftKinds } from './drift.ts';

const count = z.int().min(0);

/**
 * The counts for one rule's copies:
 * - `copies`: classified;
 * - `kept`: orphans, and copies at keys that their root has left, that a policy explains;
 * - `unfindable`: missing from the index by which the rule finds copies;
 * - `unstable`: rewritten between all checks, so that they cannot be classified;
 * - `drift`: by kind of drift.
 */
export const ruleCountsSchema = z.object({
  copies: count,
  kept: count,
  unfindable: count,
  unstable: count,
  drift: z.record(z.enum(driftKinds), count),
});

export type RuleCounts = z.output<typeof ruleCountsSchema>;

/** A copy that looked wrong and will be checked again. Keys and digests only. */
export const suspectedDriftSchema = z.object({
  rule: z.string(),
  copy: itemKeySchema,
  /** The root that places a copy at the key `copy`, which has none. */
  root: itemKeySchema.optional(),
  /** Digests of copy and root when they were last read. */
  seen: z.object({ copy: z.string(), root: z.string() }),
  looks: count,
  /** Checks at which the copy was unchanged although its root had changed. */
  left: count,
  /** When to check again, in epoch milliseconds. */
  dueAt: z.number(),
});

export type SuspectedDrift = z.output<typeof suspectedDriftSchema>;

/** The progress of a search for drift. Plain JSON with keys only, for a resume file. */
export const verifyStateSchema = z.object({
  /** The number of passes before this one. */
  pass: count,
  /** The position of this pass. */
  point: scanPointSchema,
  suspectedDrifts: z.array(suspectedDriftSchema),
  items: count,
  rules: z.record(z.string(), ruleCountsSchema),
});

export type VerifyState = z.output<typeof verifyStateSchema>;

/** The beginning of a search. */
export function verifyFrom(point: ScanPoint, rules: readonly { readonly name: string }[]): VerifyState {
  return {
    pass: 0,
    point,
    suspectedDrifts: [],
    items: 0,
    rules: Object.fromEntries(rules.map(({ name }) => [name, noCounts()])),
  };
}

export function noCounts(): RuleCounts {
  const repaired = { differs: 0, derived: 0, missing: 0, excluded: 0, unlisted: 0 };
  const drift = { ...repaired, orphan: 0, foreign: 0, invalid: 0 };
  return { copies: 0, kept: 0, unfindable: 0, unstable: 0, drift };
}

/** Whether a pass has read everything, and has checked every suspect again. */
export function isPassed({ point, suspectedDrifts }: VerifyState): boolean {
  return isFinished(point) && suspectedDrifts.length === 0;
}

/** The number of drifted copies, of all kinds. */
export function driftIn({ rules }: Pick<VerifyState, 'rules'>): number {
  return Object.values(rules)
    .flatMap(({ drift }) => Object.values(drift))
    .reduce((sum, one) => sum + one, 0);
}
