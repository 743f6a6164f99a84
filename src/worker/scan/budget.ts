import type { ClockPort } from '../ports.ts';

/** In milliseconds: a burst is never more than a second's worth. */
const maxSaving = 1000;

/**
 * Limits the read or write units a second of a command: in any t seconds it grants at most t + 1 seconds' worth, in order, and
 * never in advance. The price of a request is known only afterwards: take an estimate, then {@link Budget.correct} it.
 */
export class Budget {
  readonly unitsPerSecond: number;
  /** Corrections included. */
  taken = 0;
  private readonly clock: ClockPort;
  /** In epoch milliseconds. */
  private paidAt: number;
  private queue: Promise<void> = Promise.resolve();

  /** @param unitsPerSecond above 0; `Infinity` never waits */
  constructor(unitsPerSecond: number, clock: ClockPort) {
    this.unitsPerSecond = unitsPerSecond;
    this.clock = clock;
    this.paidAt = clock.now();
  }

  /** @param estimate 0 or more */
  take(estimate: number): Promise<void> {
    this.queue = this.queue.then(() => this.pay(estimate));
    return this.queue;
  }

  /** @param difference the real price minus the estimate */
  correct(difference: number): void {
    this.taken += difference;
    this.paidAt += this.worth(difference);
  }

  private async pay(units: number): Promise<void> {
    this.taken += units;
    this.paidAt = Math.max(this.paidAt, this.clock.now() - maxSaving) + this.worth(units);
    for (let wait = this.paidAt - this.clock.now(); wait > 0; wait = this.paidAt - this.clock.now())
      await this.clock.sleep(wait);
  }

  private worth(units: number): number {
    return (units / this.unitsPerSecond) * 1000;
  }
}

export function unlimited(clock: ClockPort): Budget {
  return new Budget(Number.POSITIVE_INFINITY, clock);
}
