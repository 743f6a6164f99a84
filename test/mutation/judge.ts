import type { Case, Survey, Trial } from './messages.ts';
import type { Judged, Mutant } from './mutant.ts';
import { Player } from './player.ts';

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

/** Judges one mutant after another, in a process that it keeps as long as it is of use. Who makes one closes it. */
export class Judge {
  private readonly folder: string;
  private readonly seeds: number;
  private readonly survey: Survey;
  private readonly until: number;
  /** Cases that have shown mutants of a file, the latest first. */
  private readonly killers = new Map<string, readonly string[]>();
  private player: Player | undefined;

  /** @param until when time is up, by `performance.now()`: what is not judged soon after is untried */
  constructor(folder: string, seeds: number, survey: Survey, until: number) {
    this.folder = folder;
    this.seeds = seeds;
    this.survey = survey;
    this.until = until;
  }

  async judge(mutant: Mutant): Promise<Judged> {
    const reached = this.survey.cases.filter(({ hits }) => hits[mutant.id] !== undefined);
    const onLoad = this.survey.onLoad.includes(mutant.id);
    if (performance.now() > this.until) return { mutant, fate: 'untried' };
    if (reached.length === 0 && !onLoad) return { mutant, fate: 'unreached' };
    const found = await this.tryOut(mutant, reached);
    const ruling = found.fate === 'survived' && onLoad ? await this.tryFromTheStart(mutant) : found;
    const { fate, by } = ruling;
    if (by !== undefined) this.remember(mutant.file, by);
    // In a process in which nothing else was played, what fails fails because of the mutant.
    return { ...ruling, mutant, fate: fate === 'spoiled' ? 'killed' : fate === 'endless' ? 'hung' : fate };
  }

  async close(): Promise<void> {
    await this.player?.end();
    this.player = undefined;
  }

  private async tryOut(mutant: Mutant, cases: readonly Case[]): Promise<Ruling> {
    const found = await this.tryIn(await this.ready(), mutant, cases);
    if (found.fate === 'survived' || found.fate === 'killed') return found;
    // What did not end may go on in the background. What was late or is spoiled has to be seen again.
    await this.close();
    if (found.fate === 'endless' || found.fate === 'untried') return found;
    const again = await this.tryIn(await this.ready(), mutant, cases);
    if (again.fate !== 'survived' && again.fate !== 'killed') await this.close();
    return again;
  }

  private async ready(): Promise<Player> {
    this.player ??= await Player.start(this.folder, this.seeds);
    return this.player;
  }

  /** Tries a mutant that matters while files load. */
  private async tryFromTheStart(mutant: Mutant): Promise<Ruling> {
    let player: Player;
    try {
      player = await Player.start(this.folder, this.seeds, mutant.id);
    } catch {
      return { fate: 'killed', why: 'it does not load' };
    }
    try {
      return await this.tryIn(player, mutant, this.survey.cases);
    } finally {
      await player.end();
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

  private async tryIn(player: Player, mutant: Mutant, cases: readonly Case[]): Promise<Ruling> {
    const wanted = this.inOrder(mutant, cases).map(({ name, milliseconds, hits }) => ({
      name,
      patience: Math.max(leastPatience, slower * milliseconds),
      maxHits: Math.max(leastHits, oftener * (hits[mutant.id] ?? 0)),
    }));
    const total = cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const left = this.until + grace - performance.now();
    const deadline = Math.min(leastDeadline + slower * total, left, maxTimer);
    const found = await player.try({ do: 'try', mutant: mutant.id, cases: wanted }, deadline);
    if (found !== undefined) return found;
    return { fate: deadline === left ? 'untried' : 'hung', why: 'the process did not answer' };
  }
}

type Ruling = Omit<Trial, 'fate'> & { readonly fate: Trial['fate'] | 'untried' };

/** The longest that a timer takes, in milliseconds. */
const maxTimer = 2 ** 31 - 1;
