import type { ClockPort } from '../ports.ts';

/** What is not used is not saved for longer than this, in milliseconds: no burst beyond a second's worth. */
const maxSaving = 1000;

/**
 * Read or write units a second that a command may use. Whoever wants some waits, in order, until what it asked for has
 * come in: over any time of t seconds, never more than t + 1 seconds' worth is given, and none in advance.
 *
 * A price is known only afterwards: an estimate is taken beforehand, and {@link Budget.settle} corrects it, at the
 * expense of those who come next.
 */
export class Budget {
  readonly unitsPerSecond: number;
  /** Units that were taken so far, corrections included. */
  taken = 0;
  private readonly clock: ClockPort;
  /** When everything taken so far is paid for, in epoch milliseconds. */
  private paidAt: number;
  private queue: Promise<void> = Promise.resolve();

  /** @param unitsPerSecond above 0; `Infinity` never waits */
  constructor(unitsPerSecond: number, clock: ClockPort) {
    this.unitsPerSecond = unitsPerSecond;
    this.clock = clock;
    this.paidAt = clock.now();
  }

  /** Waits until so many units are paid for. @param estimate 0 or more */
  take(estimate: number): Promise<void> {
    this.queue = this.queue.then(() => this.pay(estimate));
    return this.queue;
  }

  /** Corrects an estimate. @param difference what it really cost, less what was taken for it */
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

  /** How long so many units take to come in, in milliseconds. */
  private worth(units: number): number {
    return (units / this.unitsPerSecond) * 1000;
  }
}

/** A budget that nobody waits for. */
export function unlimited(clock: ClockPort): Budget {
  return new Budget(Number.POSITIVE_INFINITY, clock);
}
