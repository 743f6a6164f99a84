import * as z from 'zod';
import { type ScanPoint, scanPointSchema } from '../scan/scan-table.ts';
import { driftKinds } from './drift.ts';

const count = z.int().min(0);

/**
 * What was found of one rule's copies:
 * - `copies`: judged;
 * - `kept`: orphans that a policy explains;
 * - `unfindable`: not on the index by which the rule finds copies;
 * - `unstable`: written anew at every look, so that nothing can be said of them but that somebody keeps writing them;
 * - and how many of each kind of drift.
 */
export const ruleCountsSchema = z.object({
  copies: count,
  kept: count,
  unfindable: count,
  unstable: count,
  drift: z.record(z.enum(driftKinds), count),
});

export type RuleCounts = z.output<typeof ruleCountsSchema>;

/** A copy that did not look right, to be looked at again. Keys, and digests of what was seen. */
export const suspectedDriftSchema = z.object({
  rule: z.string(),
  copy: z.object({ pk: z.string(), sk: z.string() }),
  /** Digests of copy and root as last seen. */
  seen: z.object({ copy: z.string(), root: z.string() }),
  looks: count,
  /** Looks at which the copy stood as before although its root had changed. */
  left: count,
  /** When to look again, in epoch milliseconds. */
  dueAt: z.number(),
});

export type SuspectedDrift = z.output<typeof suspectedDriftSchema>;

/** How far a search for drift has come. Plain JSON, keys only: a resume file holds it. */
export const verifyStateSchema = z.object({
  point: scanPointSchema,
  suspectedDrifts: z.array(suspectedDriftSchema),
  items: count,
  rules: z.record(z.string(), ruleCountsSchema),
});

export type VerifyState = z.output<typeof verifyStateSchema>;

/** The beginning of a search. */
export function verifyFrom(point: ScanPoint, rules: readonly { readonly name: string }[]): VerifyState {
  return {
    point,
    suspectedDrifts: [],
    items: 0,
    rules: Object.fromEntries(rules.map(({ name }) => [name, noCounts()])),
  };
}

export function noCounts(): RuleCounts {
  const drift = { differs: 0, derived: 0, orphan: 0, foreign: 0, invalid: 0 };
  return { copies: 0, kept: 0, unfindable: 0, unstable: 0, drift };
}

/** All drift that was found, of whatever kind. */
export function driftIn({ rules }: Pick<VerifyState, 'rules'>): number {
  return Object.values(rules)
    .flatMap(({ drift }) => Object.values(drift))
    .reduce((sum, one) => sum + one, 0);
}
