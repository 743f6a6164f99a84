import * as z from 'zod/mini';
import { itemKeySchema } from '../../model/items/item.ts';
import { kindCountsSchema, noKindCounts } from '../../model/rules/kind-counts.ts';
import { isFinished, type ScanPoint, scanPointSchema } from '../scan/scan-table.ts';
import type { Selection } from './candidates.ts';
import { driftKinds } from './drift.ts';

const count = z.int().check(z.gte(0));

/**
 * What is counted of one rule's copies:
 * - `copies`: classified;
 * - `rootless`: copies that name no root;
 * - `kept`: orphans, and copies at keys that their root has left, that a policy explains;
 * - `members`: of an aggregate, counted once for each target that they name;
 * - `targetless`: those whose target does not exist;
 * - `unfindable`: missing from the index by which the rule finds copies;
 * - `unstable`: rewritten between all checks, so that they cannot be classified;
 * - a kind of drift.
 */
export const countNames = [
  ...(['copies', 'rootless', 'kept', 'members', 'targetless', 'unfindable', 'unstable'] as const),
  ...driftKinds,
] as const;

const ruleCountsSchema = z.record(z.enum(countNames), count);

export type RuleCounts = z.output<typeof ruleCountsSchema>;

/** A copy that looked wrong and will be checked again. Keys and digests only. */
const suspectedDriftSchema = z.object({
  rule: z.string(),
  copy: itemKeySchema,
  /** The root that places a copy at the key `copy`, which has none. */
  root: z.optional(itemKeySchema),
  /** Digests of copy and root when they were last read. */
  seen: z.object({ copy: z.string(), root: z.string() }),
  looks: count,
  /** Checks at which the copy was unchanged although its root had changed. */
  left: count,
  /** Set if it has drifted, unless a message of the fan-out queue is about to correct it. */
  waits: z.optional(z.boolean()),
  /** When to check again, in epoch milliseconds. */
  dueAt: z.number(),
});

export type SuspectedDrift = z.output<typeof suspectedDriftSchema>;

/** The progress of a search for drift, or of a backfill. Plain JSON with keys only, for a resume file. */
export const verifyStateSchema = z.object({
  pass: count,
  point: scanPointSchema,
  suspectedDrifts: z.array(suspectedDriftSchema),
  /** How many items this pass has read. */
  items: count,
  /** What the items are: counted in the first pass. */
  kinds: kindCountsSchema,
  rules: z.record(z.string(), ruleCountsSchema),
});

export type VerifyState = z.output<typeof verifyStateSchema>;

export function verifyFrom(
  point: ScanPoint,
  { rules, aggregates }: Selection = { rules: [], aggregates: [] },
): VerifyState {
  const counts = [...rules, ...aggregates].map(({ name }) => [name, noCounts()] as const);
  return {
    pass: 0,
    point,
    suspectedDrifts: [],
    items: 0,
    kinds: noKindCounts,
    rules: Object.fromEntries(counts),
  };
}

export function noCounts(): RuleCounts {
  return ruleCountsSchema.parse(Object.fromEntries(countNames.map((name) => [name, 0])));
}

/** Whether a pass has read everything, and has checked every suspect again. */
export function isPassed({ point, suspectedDrifts }: VerifyState): boolean {
  return isFinished(point) && suspectedDrifts.length === 0;
}

/** Whether copies were looked at, and none of them compared with a root. */
export function isUncompared({ copies, rootless, kept, unfindable }: RuleCounts): boolean {
  return copies > 0 && copies === rootless + kept + unfindable;
}

/** Copies that differ, and wait for the fan-out queue. */
export function waitingIn({ suspectedDrifts }: Pick<VerifyState, 'suspectedDrifts'>): number {
  return suspectedDrifts.filter(({ waits }) => waits).length;
}

export function countIn(
  { rules }: Pick<VerifyState, 'rules'>,
  names: readonly (typeof countNames)[number][],
): number {
  return Object.values(rules)
    .flatMap((counts) => names.map((name) => counts[name]))
    .reduce((sum, one) => sum + one, 0);
}

export function driftIn(state: Pick<VerifyState, 'rules'>): number {
  return countIn(state, driftKinds);
}
