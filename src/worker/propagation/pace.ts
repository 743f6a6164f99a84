import type { Message } from '../../model/message.ts';
import type { PaceReport } from '../../model/report.ts';
import type { ClockPort } from '../ports.ts';

/** Units that a pace saves while nothing is written, in milliseconds: a burst is never more than a second's worth. */
const maxSaving = 1000;

/** The slowest pace, in write units a second: one request of 25 small copies. Each delivery advances even at this pace. */
const slowest = 25;

/** How much of the ceiling a pace regains in a second of writing that is not throttled. */
const regainedPerSecond = 0.05;

/** How often in a row all writes of a request may be throttled before the table counts as unavailable. */
const maxFruitless = 6;

/**
 * The pace at which one fan-out writes, in write units a second. It starts at the ceiling, with a second's worth saved, so that
 * what fits in a page or so never waits; a throttled write halves it, and what was saved is gone. A write takes the units that
 * its copy costs at most; when DynamoDB has said what it cost, the difference is given back.
 */
export class Pace {
  private readonly ceiling: number;
  private readonly clock: ClockPort;
  private unitsPerSecond: number;
  /** When everything written so far is paid for, in epoch milliseconds. */
  private paidAt: number;
  private taken = 0;
  private fruitless = 0;
  private throttled = 0;
  private used = false;
  private readonly carried: boolean;

  /** @param ceiling in write units a second, above 0; `Infinity` never waits */
  constructor(ceiling: number, clock: ClockPort, { pace }: Pick<Message, 'pace'> = {}) {
    this.ceiling = ceiling;
    this.clock = clock;
    this.carried = pace !== undefined;
    this.unitsPerSecond = Math.min(ceiling, Math.max(slowest, pace?.unitsPerSecond ?? ceiling));
    // The clocks of two machines differ by little. A longer debt has been waited for in the queue: `debtSeconds`.
    this.paidAt = Math.min(pace?.paidAt ?? 0, clock.now() + maxSaving);
  }

  /**
   * Whether so many writes must keep to a pace.
   * @param units what they cost at most
   * @param few as many writes need no pace, unless they cost more than is spent at once
   */
  governs(writes: number, units: number, few: number): boolean {
    if (this.ceiling === Number.POSITIVE_INFINITY) return false;
    return this.carried || this.used || writes > few || units > this.burst();
  }

  /** In write units. */
  saved(): number {
    return Math.max(0, ((this.clock.now() - this.paidAfter(0)) * this.unitsPerSecond) / 1000);
  }

  /** The most units that are spent at once. */
  burst(): number {
    return (this.unitsPerSecond * maxSaving) / 1000;
  }

  /** In milliseconds. */
  waitFor(units: number): number {
    return Math.max(0, Math.ceil(this.paidAfter(units) - this.clock.now()));
  }

  /** Before the wait for the units. */
  take(units: number): void {
    this.used = true;
    this.taken = units;
    this.paidAt = this.paidAfter(units);
  }

  /** Of the request whose units were taken last. @param units what it cost @param made writes that were not throttled */
  note(units: number, made: number, throttled: number): void {
    this.throttled += throttled;
    this.paidAt += this.worth(units - this.taken);
    this.fruitless = made > 0 ? 0 : this.fruitless + 1;
    if (throttled > 0) this.slow();
    else this.regain(units);
  }

  isHopeless(): boolean {
    return this.fruitless >= maxFruitless;
  }

  /** None if nothing had to be paced. */
  field(): Pick<Message, 'pace'> {
    if (!this.used) return {};
    const { unitsPerSecond, paidAt } = this;
    return { pace: { unitsPerSecond: Math.round(unitsPerSecond), paidAt: Math.max(0, Math.round(paidAt)) } };
  }

  /** Whole seconds. A message waits for them in the queue, where waiting costs nothing. */
  debtSeconds(): number {
    return this.used ? Math.max(0, Math.floor((this.paidAt - this.clock.now()) / 1000)) : 0;
  }

  report(): PaceReport | undefined {
    if (!this.used) return undefined;
    return { unitsPerSecond: Math.round(this.unitsPerSecond), throttled: this.throttled };
  }

  private slow(): void {
    this.unitsPerSecond = Math.max(Math.min(slowest, this.ceiling), this.unitsPerSecond / 2);
    this.paidAt = Math.max(this.paidAt, this.clock.now());
  }

  private regain(units: number): void {
    const regained = (this.worth(units) / 1000) * this.ceiling * regainedPerSecond;
    this.unitsPerSecond = Math.min(this.ceiling, this.unitsPerSecond + regained);
  }

  private paidAfter(units: number): number {
    return Math.max(this.paidAt, this.clock.now() - maxSaving) + this.worth(units);
  }

  private worth(units: number): number {
    return (units / this.unitsPerSecond) * 1000;
  }
}
