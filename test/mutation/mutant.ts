/** One small wrong change of the source, as a mutation operator makes it. */
export interface Mutant {
  /** Its switch in the instrumented copy. */
  readonly id: string;
  /** Where it is, from the repository's root. */
  readonly file: string;
  /** The function, class member or constant that it changes; where there is none, the name of the file. */
  readonly within: string;
  readonly operator: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

/**
 * What became of a mutant:
 * - `killed`: a test went red, or a seed broke a promise;
 * - `hung`: a test or a seed did not come to an end, or took the process with it, which shows as well as red;
 * - `survived`: every test that reaches it is green, and every seed keeps its promises;
 * - `unreached`: no test and no seed gets there;
 * - `untried`: time was up before.
 */
export type Status = 'killed' | 'hung' | 'survived' | 'unreached' | 'untried';

/** A mutant, what became of it, and by which test or seed and how. */
export interface MutantResult {
  readonly mutant: Mutant;
  readonly status: Status;
  readonly by?: string | undefined;
  readonly why?: string | undefined;
}
