/** The time of the simulated world, in epoch milliseconds. It moves only when it is told to. */
export class Clock {
  now = Date.UTC(2026, 0, 1);

  seconds(): number {
    return Math.floor(this.now / 1000);
  }
}
