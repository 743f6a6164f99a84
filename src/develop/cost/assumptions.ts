/**
 * Assumed, because they depend on the account and the rules. Times in milliseconds: a request, an invocation beside its
 * requests, and the CPU that a copy takes of a whole core (the worker's batches; the document client, one by one).
 */
export const assumed = {
  request: 5,
  invocation: 10,
  copy: { worker: 0.1, usual: 1 },
  /** Memory of each function, as the template has it. */
  memoryMb: 512,
} as const;

/** So much memory brings a whole core. Source: AWS, "Configure Lambda function memory". */
const mbOfACore = 1769;

/** How long copies keep a function busy, in milliseconds. @param cpu of a whole core, for one copy */
export function processorTime(copies: number, cpu: number): number {
  return copies * cpu * (mbOfACore / assumed.memoryMb);
}

/** What Lambda bills for these milliseconds. */
export function gbSeconds(milliseconds: number): number {
  return (milliseconds / 1000) * (assumed.memoryMb / 1024);
}
