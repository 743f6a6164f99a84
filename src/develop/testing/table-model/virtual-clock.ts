import type { ClockPort } from '../../../worker/ports.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * A clock that stands still while anything is being done, and jumps to whoever sleeps shortest when nothing is. So what
 * would take minutes is over at once, and a rate is a count.
 */
export class VirtualClock implements ClockPort {
  private time: number;
  private sleepers: Sleeper[] = [];
  private jumping = false;

  /** @param start in epoch milliseconds */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => {
      this.sleepers.push({ until: this.time + Math.max(0, milliseconds), wake });
      this.jumpWhenIdle();
    });
  }

  /** What is asked of the models is answered within microtasks: what is left at the end of a propagation of the loop sleeps. */
  private jumpWhenIdle(): void {
    if (this.jumping) return;
    this.jumping = true;
    setImmediate(() => {
      this.jumping = false;
      const next = this.sleepers.toSorted((a, b) => a.until - b.until)[0];
      if (next === undefined) return;
      this.sleepers = this.sleepers.filter((one) => one !== next);
      this.time = Math.max(this.time, next.until);
      next.wake();
      if (this.sleepers.length > 0) this.jumpWhenIdle();
    });
  }
}
