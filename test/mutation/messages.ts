/** What a worker is asked: to play everything without a mutant, or some cases with one. */
export type Request = { readonly do: 'dry-run' } | TrialRequest;

export interface TrialRequest {
  readonly do: 'try';
  readonly mutant: string;
  readonly cases: readonly {
    readonly name: string;
    /** How long it may take, in milliseconds. */
    readonly patience: number;
    /** How often it may come by the mutant. */
    readonly maxHits: number;
  }[];
}

/** A test, or a seed of the simulator, that passes without a mutant. */
export interface Case {
  readonly name: string;
  readonly milliseconds: number;
  /** How often it came by each mutant. */
  readonly hits: Readonly<Record<string, number>>;
}

/** What a worker answers to `dry-run`. */
export interface DryRun {
  readonly cases: readonly Case[];
  /** Mutants that are reached while files load: these need a process of their own. */
  readonly onLoad: readonly string[];
  /** Files of tests that are not for these processes, with why. */
  readonly leftOut: readonly string[];
  /** What fails without a mutant, with why. */
  readonly failing: readonly string[];
}

/** What a worker answers to `try`: how the mutant ended, and in which case. */
export interface Trial {
  /**
   * `endless`: it came by the mutant too often; `hung`: it did not end in time; `spoiled`: it fails without the mutant too,
   * so the process is no longer fit to tell.
   */
  readonly status: 'killed' | 'endless' | 'hung' | 'survived' | 'spoiled';
  /** The case that showed it, and how. */
  readonly by?: string;
  readonly why?: string;
}
