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

/**
 * Assumed, because they depend on the account and the rules. Times in milliseconds: a request, an invocation beside its
 * requests, and the CPU that a copy takes of a whole core. Bytes of logs: for each invocation of Propagate and FanOut.
 */
export const assumed = {
  request: 5,
  invocation: 10,
  copy: 0.1,
  logBytes: 400,
  /** Memory of each function, as the template has it. */
  memoryMb: 512,
} as const;

/** What changes asked of AWS, as far as AWS charges for it. */
export interface Counts {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Requests of DynamoDB; they are not the unit of charge. */
  readonly requests: number;
  readonly invocations: number;
  /** Of all invocations together, in milliseconds. */
  readonly milliseconds: number;
  readonly sqsRequests: number;
  readonly logBytes: number;
  readonly writes: number;
}

const million = 1_000_000;

/** US dollars, by what they pay for. */
export function dollarsOfAMillion(counts: Counts) {
  const dollars = {
    writes: counts.writeUnits * prices.writeUnits,
    reads: counts.readUnits * prices.readUnits,
    lambda: counts.invocations * prices.invocations + gbSeconds(counts.milliseconds) * prices.gbSeconds,
    sqs: counts.sqsRequests * prices.sqsRequests,
    logs: ((counts.logBytes * million) / 2 ** 30) * prices.logGb,
  };
  return { ...dollars, total: Object.values(dollars).reduce((sum, one) => sum + one, 0) };
}

/** US dollars for units, on demand. */
export function dollarsOfUnits(units: Pick<Counts, 'readUnits' | 'writeUnits'>): number {
  return (units.readUnits * prices.readUnits + units.writeUnits * prices.writeUnits) / million;
}

/** So much memory brings a whole core. Source: AWS, "Configure Lambda function memory". */
const mbOfACore = 1769;

export function processorMs(copies: number): number {
  return copies * assumed.copy * (mbOfACore / assumed.memoryMb);
}

export function gbSeconds(milliseconds: number): number {
  return (milliseconds / 1000) * (assumed.memoryMb / 1024);
}
