/** What changes asked of AWS, as far as AWS charges for it. */
export interface Counts {
  readUnits: number;
  writeUnits: number;
  /** Requests of DynamoDB by their names; requests are not the unit of charge. */
  readonly requests: Record<string, number>;
  invocations: number;
  /** Of all invocations together, in milliseconds. */
  milliseconds: number;
  sqsRequests: number;
  logBytes: number;
  /** Writes of copies that took place. */
  copiesWritten: number;
}

export function noCounts(): Counts {
  return {
    ...{ readUnits: 0, writeUnits: 0, requests: {}, invocations: 0, milliseconds: 0 },
    ...{ sqsRequests: 0, logBytes: 0, copiesWritten: 0 },
  };
}

/** The counts of so many times as much work. */
export function scaled(counts: Counts, factor: number): Counts {
  const requests = Object.entries(counts.requests).map(([name, number]) => [name, number * factor] as const);
  return {
    ...{ readUnits: counts.readUnits * factor, writeUnits: counts.writeUnits * factor },
    ...{ requests: Object.fromEntries(requests), invocations: counts.invocations * factor },
    ...{ milliseconds: counts.milliseconds * factor, sqsRequests: counts.sqsRequests * factor },
    ...{ logBytes: counts.logBytes * factor, copiesWritten: counts.copiesWritten * factor },
  };
}

/** All requests of DynamoDB. */
export function requestsOf({ requests }: Pick<Counts, 'requests'>): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}
