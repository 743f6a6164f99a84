/** What the instrumented source reads and writes. */
const instrumenter: {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  readonly mutantCoverage: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
} = { mutantCoverage: { static: {}, perTest: {} } };

// Stryker's instrumenter sets the name.
Object.assign(globalThis, { __stryker__: instrumenter });

/** Activates one mutant, or none. It throws when it is reached more often than the limit, so that loops end. */
export function activate(mutant: string | undefined, hitLimit?: number): void {
  instrumenter.activeMutant = mutant;
  instrumenter.hitCount = hitLimit === undefined ? undefined : 0;
  instrumenter.hitLimit = hitLimit;
}

/** Whether the mutant was reached more often than its limit: then it threw, wherever that led. */
export function isOverHitLimit(): boolean {
  return instrumenter.hitLimit !== undefined && (instrumenter.hitCount ?? 0) > instrumenter.hitLimit;
}

/** From now on, hits count as coverage of this test. */
export function coverFor(test: string | undefined): void {
  instrumenter.currentTestId = test;
}

export function coverageOf(test: string): Readonly<Record<string, number>> {
  return instrumenter.mutantCoverage.perTest[test] ?? {};
}

/** The mutants that were reached outside of any test. */
export function staticMutants(): string[] {
  return Object.keys(instrumenter.mutantCoverage.static);
}
