/** What a test runner's process is asked: to run everything without a mutant, or some tests with one. */
export type RunnerRequest = { readonly run: 'dry' } | MutantRun;

export interface MutantRun {
  readonly run: 'mutant';
  readonly mutant: string;
  readonly tests: readonly {
    readonly name: string;
    /** In milliseconds. */
    readonly timeout: number;
    /** How often it may reach the mutant. */
    readonly hitLimit: number;
  }[];
}

/** A test, or a seed of the simulator, that passes without a mutant. */
export interface CoveringTest {
  readonly name: string;
  readonly milliseconds: number;
  /** How often it reached each mutant. */
  readonly hits: Readonly<Record<string, number>>;
}

export interface DryRunResult {
  readonly tests: readonly CoveringTest[];
  /** Mutants that are reached while files load: these need a process of their own. */
  readonly static: readonly string[];
  /** Files of tests that these processes cannot run, with why. */
  readonly leftOut: readonly string[];
  /** What fails without a mutant, with why. */
  readonly failing: readonly string[];
}

export interface MutantRunResult {
  /**
   * `hit limit`: it reached the mutant too often; `timeout`: it did not end in time; `flaky`: it fails without the mutant too,
   * so that the process tells nothing any more.
   */
  readonly status: 'killed' | 'hit limit' | 'timeout' | 'survived' | 'flaky';
  readonly killedBy?: string;
  readonly reason?: string;
}
