import type { Case, DryRun, Trial } from './messages.ts';
import type { Mutant, MutantResult } from './mutant.ts';
import { TestProcess } from './test-process.ts';

/** How much longer a case may take than without a mutant, and how often more it may come by it; the least of each. */
const slower = 20;
const leastPatience = 5_000;
const oftener = 100;
const leastHits = 2_000;

/** How long all cases of a mutant may take beyond a few times what they take without it, in milliseconds. */
const leastDeadline = 20_000;

/** Cases that are tried first on a file's mutants, because they have shown others. */
const maxRemembered = 8;

/** How long after its time is up a mutant may go on, in milliseconds. */
const grace = 20_000;

/** Tries one mutant after another, in a process that it keeps as long as it is of use. Who makes one closes it. */
export class MutantRunner {
  private readonly folder: string;
  private readonly seeds: number;
  private readonly dryRun: DryRun;
  private readonly until: number;
  /** Cases that have shown mutants of a file, the latest first. */
  private readonly killers = new Map<string, readonly string[]>();
  private process: TestProcess | undefined;

  /** @param until when time is up, by `performance.now()`: what is not tried soon after is untried */
  constructor(folder: string, seeds: number, dryRun: DryRun, until: number) {
    this.folder = folder;
    this.seeds = seeds;
    this.dryRun = dryRun;
    this.until = until;
  }

  async run(mutant: Mutant): Promise<MutantResult> {
    const reached = this.dryRun.cases.filter(({ hits }) => hits[mutant.id] !== undefined);
    const onLoad = this.dryRun.onLoad.includes(mutant.id);
    if (performance.now() > this.until) return { mutant, status: 'untried' };
    if (reached.length === 0 && !onLoad) return { mutant, status: 'unreached' };
    const found = await this.tryOut(mutant, reached);
    const ended = found.status === 'survived' && onLoad ? await this.tryFromTheStart(mutant) : found;
    const { status, by } = ended;
    if (by !== undefined) this.remember(mutant.file, by);
    // In a process in which nothing else was played, what fails fails because of the mutant.
    return {
      ...ended,
      mutant,
      status: status === 'spoiled' ? 'killed' : status === 'endless' ? 'hung' : status,
    };
  }

  async close(): Promise<void> {
    await this.process?.end();
    this.process = undefined;
  }

  private async tryOut(mutant: Mutant, cases: readonly Case[]): Promise<Ended> {
    const found = await this.tryIn(await this.ready(), mutant, cases);
    if (found.status === 'survived' || found.status === 'killed') return found;
    // What did not end may go on in the background. What was late or is spoiled has to be seen again.
    await this.close();
    if (found.status === 'endless' || found.status === 'untried') return found;
    const again = await this.tryIn(await this.ready(), mutant, cases);
    if (again.status !== 'survived' && again.status !== 'killed') await this.close();
    return again;
  }

  private async ready(): Promise<TestProcess> {
    this.process ??= await TestProcess.start(this.folder, this.seeds);
    return this.process;
  }

  /** Tries a mutant that matters while files load. */
  private async tryFromTheStart(mutant: Mutant): Promise<Ended> {
    let testProcess: TestProcess;
    try {
      testProcess = await TestProcess.start(this.folder, this.seeds, mutant.id);
    } catch {
      return { status: 'killed', why: 'it does not load' };
    }
    try {
      return await this.tryIn(testProcess, mutant, this.dryRun.cases);
    } finally {
      await testProcess.end();
    }
  }

  /** First what has shown other mutants of the same file lately, then the quickest. */
  private inOrder({ file }: Mutant, cases: readonly Case[]): Case[] {
    const lately = this.killers.get(file) ?? [];
    const rank = ({ name }: Case) => (lately.includes(name) ? lately.indexOf(name) : lately.length);
    return cases.toSorted((a, b) => rank(a) - rank(b) || a.milliseconds - b.milliseconds);
  }

  private remember(file: string, name: string): void {
    const others = (this.killers.get(file) ?? []).filter((one) => one !== name);
    this.killers.set(file, [name, ...others].slice(0, maxRemembered));
  }

  private async tryIn(testProcess: TestProcess, mutant: Mutant, cases: readonly Case[]): Promise<Ended> {
    const wanted = this.inOrder(mutant, cases).map(({ name, milliseconds, hits }) => ({
      name,
      patience: Math.max(leastPatience, slower * milliseconds),
      maxHits: Math.max(leastHits, oftener * (hits[mutant.id] ?? 0)),
    }));
    const total = cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const left = this.until + grace - performance.now();
    const deadline = Math.min(leastDeadline + slower * total, left, maxTimer);
    const found = await testProcess.try({ do: 'try', mutant: mutant.id, cases: wanted }, deadline);
    if (found !== undefined) return found;
    return { status: deadline === left ? 'untried' : 'hung', why: 'the process did not answer' };
  }
}

type Ended = Omit<Trial, 'status'> & { readonly status: Trial['status'] | 'untried' };

/** The longest that a timer takes, in milliseconds. */
const maxTimer = 2 ** 31 - 1;
