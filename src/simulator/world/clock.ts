/** The simulated time moves only when it is told to; `now` is in epoch milliseconds. */
export class Clock {
  now = Date.UTC(2026, 0, 1);

  seconds(): number {
    return Math.floor(this.now / 1000);
  }
}
