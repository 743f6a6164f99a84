/** What a workload asked of AWS, as far as AWS charges for it. */
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
