/**
 * A throttled write is sent again in one of three places, and never dropped:
 *
 *   - if the pace governs the page, here: at the end of the line, at half the pace, until slowing down no longer helps;
 *   - if it does not, by the table's adapter, which repeats what is throttled with back-off;
 *   - what either gives up is `unavailable`, and what had no time is `unsent`: both are requeued, as settle.ts says.
 */

import type { WriteOutcome } from '../../model/work/guarded-write.ts';
import type { Message } from '../../model/work/message.ts';
import type { PaceReport } from '../../model/work/report.ts';
import { Budget } from '../budget.ts';
import type { ClockPort, OnSpent, Settings } from '../ports.ts';

/** The debt that a message carries is waited for here up to a second; a longer one was waited for in the queue. */
const maxCarriedMs = 1000;

/** The slowest pace, in write units a second: one request of 25 small copies. Each delivery advances even at this pace. */
const slowest = 25;

/** How much of the ceiling a pace regains in a second of writing that is not throttled. */
const regainedPerSecond = 0.05;

/** How often in a row all writes of a request may be throttled before the table counts as unavailable. */
const maxFruitless = 6;

interface Priced {
  /** What the write costs at most, in write units of the table. */
  readonly units: number;
}

/**
 * The pace at which one fan-out writes, in write units a second. It starts at the ceiling, with a second's worth saved, so that
 * what fits in a page or so never waits; a throttled write halves it, and what was saved is gone.
 */
export class Pace {
  private readonly ceiling: number;
  private readonly clock: ClockPort;
  private readonly budget: Budget;
  private fruitless = 0;
  private throttled = 0;
  private used = false;
  private readonly carried: boolean;

  /** @param ceiling in write units a second, above 0; `Infinity` never waits */
  constructor(ceiling: number, clock: ClockPort, { pace }: Pick<Message, 'pace'> = {}) {
    this.ceiling = ceiling;
    this.clock = clock;
    this.carried = pace !== undefined;
    const unitsPerSecond = Math.min(ceiling, Math.max(slowest, pace?.unitsPerSecond ?? ceiling));
    // The clocks of two machines differ by little.
    const paidAt = Math.min(pace?.paidAt ?? 0, clock.now() + maxCarriedMs);
    this.budget = new Budget(unitsPerSecond, clock, paidAt);
  }

  /**
   * Whether so many writes must keep to a pace.
   * @param units what they cost at most
   * @param few as many writes need no pace, unless they cost more than is spent at once
   */
  governs(writes: number, units: number, few: number): boolean {
    if (this.ceiling === Number.POSITIVE_INFINITY) return false;
    return this.carried || this.used || writes > few || units > this.budget.burst();
  }

  /**
   * The writes of the next request, at least one. What is saved pays for as many as a request holds; if less is saved, the request
   * waits for a few, and for a second at most unless a single write costs more.
   */
  nextOf<Write extends Priced>(waiting: readonly Write[], maxWrites: number, few: number): readonly Write[] {
    const atOnce = affordable(waiting, this.budget.saved(), maxWrites);
    return waiting.slice(0, Math.max(1, atOnce, affordable(waiting, this.budget.burst(), few)));
  }

  waitMs(writes: readonly Priced[]): number {
    return this.budget.waitMs(unitsIn(writes));
  }

  /** Sends these writes in one request, after the wait for them. */
  async send(
    writes: readonly Priced[],
    send: (onSpent: OnSpent) => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]> {
    this.used = true;
    const { result: outcomes, units } = await this.budget.spend(unitsIn(writes), send, (answers) =>
      unitsIn(writes.filter((_, index) => answers[index] !== 'throttled')),
    );
    const throttled = outcomes.filter((outcome) => outcome === 'throttled').length;
    this.throttled += throttled;
    this.fruitless = throttled < writes.length ? 0 : this.fruitless + 1;
    if (throttled > 0) this.slow();
    else this.regain(units);
    return outcomes;
  }

  isHopeless(): boolean {
    return this.fruitless >= maxFruitless;
  }

  /** None if nothing had to be paced. */
  field(): Pick<Message, 'pace'> {
    if (!this.used) return {};
    const { unitsPerSecond, paidAt } = this.budget;
    return { pace: { unitsPerSecond: Math.round(unitsPerSecond), paidAt: Math.max(0, Math.round(paidAt)) } };
  }

  /** Whole seconds. A message waits for them in the queue, where waiting costs nothing. */
  debtSeconds(): number {
    return this.used ? Math.max(0, Math.floor((this.budget.paidAt - this.clock.now()) / 1000)) : 0;
  }

  report(): PaceReport | undefined {
    if (!this.used) return undefined;
    return { unitsPerSecond: Math.round(this.budget.unitsPerSecond), throttled: this.throttled };
  }

  private slow(): void {
    this.budget.unitsPerSecond = Math.max(Math.min(slowest, this.ceiling), this.budget.unitsPerSecond / 2);
    this.budget.forfeitSaved();
  }

  private regain(units: number): void {
    const seconds = units / this.budget.unitsPerSecond;
    const regained = seconds * this.ceiling * regainedPerSecond;
    this.budget.unitsPerSecond = Math.min(this.ceiling, this.budget.unitsPerSecond + regained);
  }
}

/** `unsent`: the time was up before its turn. */
export type PacedOutcome = Exclude<WriteOutcome, 'throttled'> | 'unsent';

export interface PricedWrite<Write> extends Priced {
  readonly write: Write;
}

/** How writes are sent to the table. */
export interface Requests<Write> {
  /** The most writes in one request, of a fan-out that has saved their units. */
  readonly maxWrites: number;
  readonly send: (writes: readonly Write[], onSpent?: OnSpent) => Promise<readonly WriteOutcome[]>;
}

/** What {@link writeAll} needs of a propagation. */
export interface PacedPropagation {
  readonly pace: Pace;
  readonly context: {
    readonly settings: Pick<Settings, 'pacedWrites'>;
    readonly outOfTime: (aheadMs?: number) => boolean;
  };
}

/**
 * Others than those that the pace governs go to the table at once.
 * @returns one outcome for each, in their order
 */
export async function writeAll<Write>(
  { context, pace }: PacedPropagation,
  writes: readonly PricedWrite<Write>[],
  requests: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  if (writes.length === 0) return [];
  if (pace.governs(writes.length, unitsIn(writes), context.settings.pacedWrites))
    return writeAtPace(context, pace, writes, requests);
  const outcomes = await requests.send(writes.map(({ write }) => write));
  return outcomes.map((outcome) => (outcome === 'throttled' ? 'unavailable' : outcome));
}

/**
 * Never waits past the end of the invocation.
 * @returns one outcome for each write, in their order
 */
async function writeAtPace<Write>(
  { outOfTime, settings }: PacedPropagation['context'],
  pace: Pace,
  writes: readonly PricedWrite<Write>[],
  { maxWrites, send }: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  const outcomes = writes.map((): PacedOutcome => 'unsent');
  let waiting = writes.map((priced, index) => ({ ...priced, index }));
  while (waiting.length > 0) {
    const next = pace.nextOf(waiting, maxWrites, settings.pacedWrites);
    if (outOfTime(pace.waitMs(next))) break;
    const answers = await pace.send(next, (onSpent) =>
      send(
        next.map(({ write }) => write),
        onSpent,
      ),
    );
    const throttled = next.filter((one, position) => {
      const outcome = answers[position] ?? 'unavailable';
      if (outcome !== 'throttled') outcomes[one.index] = outcome;
      return outcome === 'throttled';
    });
    waiting = [...waiting.slice(next.length), ...throttled];
    // The condition on the root fails for the others as well.
    const ended = answers.includes('root') ? 'root' : pace.isHopeless() ? 'unavailable' : undefined;
    if (ended !== undefined) for (const { index } of waiting.splice(0)) outcomes[index] = ended;
  }
  return outcomes;
}

/** How many of the first writes so many units pay for. */
function affordable(writes: readonly Priced[], units: number, most: number): number {
  let remaining = units;
  const first = writes.slice(0, most).findIndex((write) => {
    remaining -= write.units;
    return remaining < 0;
  });
  return first < 0 ? Math.min(most, writes.length) : first;
}

function unitsIn(writes: readonly Priced[]): number {
  return writes.reduce((sum, { units }) => sum + units, 0);
}
