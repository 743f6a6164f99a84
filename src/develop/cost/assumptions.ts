/**
 * Assumed, because they depend on the account and the rules. Times in milliseconds: a request, an invocation beside its
 * requests, and the CPU that a copy takes of a whole core.
 */
export const assumed = {
  request: 5,
  invocation: 10,
  copy: 0.1,
  /** Memory of each function, as the template has it. */
  memoryMb: 512,
} as const;

/** So much memory brings a whole core. Source: AWS, "Configure Lambda function memory". */
const mbOfACore = 1769;

/** How long copies keep a function busy, in milliseconds. */
export function processorTime(copies: number): number {
  return copies * assumed.copy * (mbOfACore / assumed.memoryMb);
}

/** What Lambda bills for these milliseconds. */
export function gbSeconds(milliseconds: number): number {
  return (milliseconds / 1000) * (assumed.memoryMb / 1024);
}
