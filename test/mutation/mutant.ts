/** One small wrong change of the source, as a mutation operator makes it. */
export interface Mutant {
  /** By which it is activated in the sandbox. */
  readonly id: string;
  /** Where it is, from the repository's root. */
  readonly file: string;
  /** The function, class member or constant that it changes; without one, the name of the file. */
  readonly within: string;
  readonly operator: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

/**
 * - `killed`: a test failed, or a seed broke a promise;
 * - `timeout`: a test or a seed did not end, or ended the process, which counts as killed;
 * - `survived`: every test and every seed that covers it passes;
 * - `not covered`: no test and no seed reaches it;
 * - `not run`: time was up before.
 */
export type MutantStatus = 'killed' | 'timeout' | 'survived' | 'not covered' | 'not run';

export interface MutantResult {
  readonly mutant: Mutant;
  readonly status: MutantStatus;
  /** The test or seed that killed it, and how. */
  readonly killedBy?: string | undefined;
  readonly reason?: string | undefined;
}
