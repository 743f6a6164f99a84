import type { Mutant, MutantResult } from './mutant.ts';
import type { CoveringTest, DryRunResult, MutantRunResult } from './requests.ts';
import type { Sandbox } from './sandbox.ts';
import { TestRunner } from './test-runner.ts';

/** How much longer a test may take than without a mutant, and how often more it may reach it; the least of each. */
const slower = 20;
const leastTimeout = 5_000;
const oftener = 100;
const leastHitLimit = 2_000;

/** How long all tests of a mutant may take beyond a few times what they take without it, in milliseconds. */
const leastDeadline = 20_000;

/** Tests that are run first on a file's mutants, because they have killed others. */
const maxRemembered = 8;

/** How long after its time is up a mutant may go on, in milliseconds. */
const grace = 20_000;

/** The longest that a timer takes, in milliseconds. */
const maxTimer = 2 ** 31 - 1;

export interface RunOptions {
  readonly seeds: number;
  /** Processes side by side. */
  readonly workers: number;
  /** When time is up, by `performance.now()`: what has not ended soon after is `not run`. */
  readonly until: number;
}

/** Runs every test and seed without a mutant. */
export async function dryRun(sandbox: string, { seeds }: Pick<RunOptions, 'seeds'>): Promise<DryRunResult> {
  const runner = await TestRunner.start(sandbox, seeds);
  try {
    return await runner.dryRun();
  } finally {
    await runner.end();
  }
}

/** Runs every mutant, several side by side. @param onProgress is told after each mutant how many have ended */
export async function runMutants(
  { folder, mutants }: Sandbox,
  dry: DryRunResult,
  options: RunOptions,
  onProgress: (ended: number) => void,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const waiting: Mutant[] = [...mutants];
  const work = async () => {
    const runner = new MutantRunner(folder, dry, options);
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        results.push(await runner.run(mutant));
        onProgress(results.length);
      }
    } finally {
      await runner.end();
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return results.toSorted((a, b) => Number(a.mutant.id) - Number(b.mutant.id));
}

type RunResult = Omit<MutantRunResult, 'status'> & {
  readonly status: MutantRunResult['status'] | 'not run';
};

/** Runs one mutant after another, in a process that it keeps as long as it is of use. */
class MutantRunner {
  private readonly sandbox: string;
  private readonly dry: DryRunResult;
  private readonly options: RunOptions;
  /** Tests that have killed mutants of a file, the latest first. */
  private readonly killers = new Map<string, readonly string[]>();
  private runner: TestRunner | undefined;

  constructor(sandbox: string, dry: DryRunResult, options: RunOptions) {
    this.sandbox = sandbox;
    this.dry = dry;
    this.options = options;
  }

  async run(mutant: Mutant): Promise<MutantResult> {
    const covering = this.dry.tests.filter(({ hits }) => hits[mutant.id] !== undefined);
    const isStatic = this.dry.static.includes(mutant.id);
    if (performance.now() > this.options.until) return { mutant, status: 'not run' };
    if (covering.length === 0 && !isStatic) return { mutant, status: 'not covered' };
    const found = await this.runTests(mutant, covering);
    const result = found.status === 'survived' && isStatic ? await this.runFromStart(mutant) : found;
    const { status, killedBy } = result;
    if (killedBy !== undefined) this.remember(mutant.file, killedBy);
    // In a process in which nothing else ran, what fails fails because of the mutant.
    const settled = status === 'flaky' ? 'killed' : status === 'hit limit' ? 'timeout' : status;
    return { ...result, mutant, status: settled };
  }

  async end(): Promise<void> {
    await this.runner?.end();
    this.runner = undefined;
  }

  private async runTests(mutant: Mutant, tests: readonly CoveringTest[]): Promise<RunResult> {
    const isClear = ({ status }: RunResult) => status === 'survived' || status === 'killed';
    const found = await this.runIn(await this.started(), mutant, tests);
    if (isClear(found)) return found;
    // What did not end may go on in the background. What was late or is flaky has to be seen again.
    await this.end();
    if (found.status === 'hit limit' || found.status === 'not run') return found;
    const again = await this.runIn(await this.started(), mutant, tests);
    if (!isClear(again)) await this.end();
    return again;
  }

  private async started(): Promise<TestRunner> {
    this.runner ??= await TestRunner.start(this.sandbox, this.options.seeds);
    return this.runner;
  }

  /** Runs a mutant that matters while files load. */
  private async runFromStart(mutant: Mutant): Promise<RunResult> {
    let runner: TestRunner;
    try {
      runner = await TestRunner.start(this.sandbox, this.options.seeds, mutant.id);
    } catch {
      return { status: 'killed', reason: 'it does not load' };
    }
    try {
      return await this.runIn(runner, mutant, this.dry.tests);
    } finally {
      await runner.end();
    }
  }

  /** First those that have killed other mutants of the same file lately, then the quickest. */
  private inOrder({ file }: Mutant, tests: readonly CoveringTest[]): CoveringTest[] {
    const lately = this.killers.get(file) ?? [];
    const rank = ({ name }: CoveringTest) => (lately.includes(name) ? lately.indexOf(name) : lately.length);
    return tests.toSorted((a, b) => rank(a) - rank(b) || a.milliseconds - b.milliseconds);
  }

  private remember(file: string, name: string): void {
    const others = (this.killers.get(file) ?? []).filter((one) => one !== name);
    this.killers.set(file, [name, ...others].slice(0, maxRemembered));
  }

  private async runIn(
    runner: TestRunner,
    mutant: Mutant,
    covering: readonly CoveringTest[],
  ): Promise<RunResult> {
    const tests = this.inOrder(mutant, covering).map(({ name, milliseconds, hits }) => ({
      name,
      timeout: Math.max(leastTimeout, slower * milliseconds),
      hitLimit: Math.max(leastHitLimit, oftener * (hits[mutant.id] ?? 0)),
    }));
    const total = covering.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const left = this.options.until + grace - performance.now();
    const deadline = Math.min(leastDeadline + slower * total, left, maxTimer);
    const found = await runner.ask({ run: 'mutant', mutant: mutant.id, tests }, deadline);
    if (found !== undefined) return found;
    return { status: deadline === left ? 'not run' : 'timeout', reason: 'the process did not answer' };
  }
}
