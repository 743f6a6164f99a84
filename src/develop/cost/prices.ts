import { gbSeconds } from './assumptions.ts';
import type { Counts } from './counts.ts';

/**
 * List prices of US East (N. Virginia) in US dollars, without free tiers, taxes and discounts. Sources: AWS, "Amazon
 * DynamoDB pricing" (on demand, table class Standard), "AWS Lambda pricing" (arm64), "Amazon SQS pricing" (standard
 * queues), "Amazon CloudWatch pricing", as public guides of March to June 2026 quote them. Look there before you decide:
 * prices change, and other regions are dearer.
 */
export const prices = {
  region: 'us-east-1',
  of: 'March to June 2026',
  /** A million write request units; those of a global table's replica cost the same, in each replica. */
  writeUnits: 0.625,
  /** A million read request units. */
  readUnits: 0.125,
  /** A million invocations. */
  invocations: 0.2,
  /** A million GB-seconds. */
  gbSeconds: 13.3334,
  /** A million requests of SQS, each up to 64 KB. */
  sqsRequests: 0.4,
  /** A GB of logs, ingested. Metrics travel in them and have no price of their own for each request. */
  logGb: 0.5,
} as const;

/** US dollars, by what they pay for. */
export interface Dollars {
  readonly writes: number;
  readonly reads: number;
  readonly lambda: number;
  readonly sqs: number;
  readonly logs: number;
  readonly total: number;
}

const million = 1_000_000;

export function dollarsOf(counts: Counts): Dollars {
  const dollars = {
    writes: (counts.writeUnits / million) * prices.writeUnits,
    reads: (counts.readUnits / million) * prices.readUnits,
    lambda:
      (counts.invocations / million) * prices.invocations +
      (gbSeconds(counts.milliseconds) / million) * prices.gbSeconds,
    sqs: (counts.sqsRequests / million) * prices.sqsRequests,
    logs: (counts.logBytes / 2 ** 30) * prices.logGb,
  };
  return { ...dollars, total: Object.values(dollars).reduce((sum, one) => sum + one, 0) };
}
