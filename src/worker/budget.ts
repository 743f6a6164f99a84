import type { ClockPort } from './ports.ts';

/** A burst is never more than a second's worth. */
const maxSavedMs = 1000;

/**
 * A token bucket of read units, of write units, or of what else is limited by the second: in any t seconds it grants at most t + 1
 * seconds' worth, in order, and never in advance. The price of a request is known only afterwards: {@link Budget.spend}.
 */
export class Budget {
  /** It may change: what is taken already is paid for by then, and what comes is paid at the new rate. */
  unitsPerSecond: number;
  /** The units that were taken so far, corrections included. */
  taken = 0;
  /** When everything taken so far is paid for, in epoch milliseconds. */
  paidAt: number;
  private readonly clock: ClockPort;
  private queue: Promise<void> = Promise.resolve();

  /**
   * @param unitsPerSecond above 0; `Infinity` never waits
   * @param paidAt default: now, with nothing saved
   */
  constructor(unitsPerSecond: number, clock: ClockPort, paidAt = clock.now()) {
    this.unitsPerSecond = unitsPerSecond;
    this.clock = clock;
    this.paidAt = paidAt;
  }

  /**
   * Waits until so many units are granted.
   * @param units 0 or more
   */
  take(units: number): Promise<void> {
    this.queue = this.queue.then(() => this.pay(units));
    return this.queue;
  }

  /**
   * Takes an estimate, sends a request, and corrects the estimate by the units that the request reports.
   * @param estimate 0 or more
   * @param unreported what a request that reports nothing has cost; default: the estimate
   */
  async spend<Result>(
    estimate: number,
    send: (report: (units: number) => void) => Promise<Result>,
    unreported: (result: Result) => number = () => estimate,
  ): Promise<{ readonly result: Result; readonly units: number }> {
    await this.take(estimate);
    let reported: number | undefined;
    try {
      const result = await send((units) => {
        reported = (reported ?? 0) + units;
      });
      reported ??= unreported(result);
      return { result, units: reported };
    } finally {
      if (reported !== undefined) this.correct(reported - estimate);
    }
  }

  saved(): number {
    return Math.max(0, ((this.clock.now() - this.paidAfter(0)) * this.unitsPerSecond) / 1000);
  }

  /** The most units that are granted at once. */
  burst(): number {
    return (this.unitsPerSecond * maxSavedMs) / 1000;
  }

  /** How long so many units would be waited for, in whole milliseconds. */
  waitMs(units: number): number {
    return Math.max(0, Math.ceil(this.paidAfter(units) - this.clock.now()));
  }

  forfeitSaved(): void {
    this.paidAt = Math.max(this.paidAt, this.clock.now());
  }

  private async pay(units: number): Promise<void> {
    this.taken += units;
    this.paidAt = this.paidAfter(units);
    // A request that is corrected meanwhile prolongs the wait.
    for (let wait = this.waitMs(0); wait > 0; wait = this.waitMs(0)) await this.clock.sleep(wait);
  }

  private correct(difference: number): void {
    this.taken += difference;
    this.paidAt += this.worthMs(difference);
  }

  private paidAfter(units: number): number {
    return Math.max(this.paidAt, this.clock.now() - maxSavedMs) + this.worthMs(units);
  }

  private worthMs(units: number): number {
    return (units / this.unitsPerSecond) * 1000;
  }
}

export function unlimited(clock: ClockPort): Budget {
  return new Budget(Number.POSITIVE_INFINITY, clock);
}
