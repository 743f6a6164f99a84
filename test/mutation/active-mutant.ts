/** The name under which the instrumented source looks for its switches. It is set by Stryker's instrumenter. */
const name = '__stryker__';

/** What the instrumented source reads and writes. */
interface InstrumentedState {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage: Coverage;
}

interface Coverage {
  readonly static: Record<string, number>;
  readonly perTest: Record<string, Record<string, number>>;
}

const state: InstrumentedState = { mutantCoverage: { static: {}, perTest: {} } };
Object.assign(globalThis, { [name]: state });

/** Switches one mutant on, or all off. It throws when it was come by more often than this: so loops come to an end. */
export function activate(mutant: string | undefined, maxHits?: number): void {
  state.activeMutant = mutant;
  state.hitCount = maxHits === undefined ? undefined : 0;
  state.hitLimit = maxHits;
}

/** Whether the mutant was come by more often than it may: then it threw, wherever that led. */
export function isOverrun(): boolean {
  return state.hitLimit !== undefined && (state.hitCount ?? 0) > state.hitLimit;
}

/** Says for which test hits are counted from now on. */
export function countFor(test: string | undefined): void {
  state.currentTestId = test;
}

/** How often this test came by each mutant. */
export function hitsOf(test: string): Readonly<Record<string, number>> {
  return state.mutantCoverage.perTest[test] ?? {};
}

/** The mutants that were come by outside of any test. */
export function hitOnLoad(): string[] {
  return Object.keys(state.mutantCoverage.static);
}
