import type { ClockPort } from '../ports.ts';

export interface SuspectsOptions<Suspect> {
  readonly clock: ClockPort;
  readonly atOnce: number;
  /**
   * Checks suspects whose time has come. Those in `again` stay; the others are dropped, and `done` is called at that moment.
   * If it fails, the suspects stay as they were.
   */
  readonly lookAgain: (
    due: readonly Suspect[],
  ) => Promise<{ readonly again: readonly Suspect[]; readonly done?: () => void }>;
}

/** What looked wrong once, and is checked again when it is due, because a change may still be on its way. */
export class Suspects<Suspect extends { readonly dueAt: number }> {
  private readonly options: SuspectsOptions<Suspect>;
  private waiting: Suspect[];
  private underway: Suspect[] = [];

  constructor(options: SuspectsOptions<Suspect>, suspects: readonly Suspect[] = []) {
    this.options = options;
    this.waiting = [...suspects];
  }

  list(): Suspect[] {
    return [...this.waiting, ...this.underway];
  }

  add(suspects: readonly Suspect[]): void {
    this.waiting.push(...suspects);
  }

  /** Checks the suspects that are due, until none are left or `stop` returns true. */
  async lookAtDue(stop: () => boolean): Promise<void> {
    const { clock, atOnce } = this.options;
    for (;;) {
      const now = clock.now();
      const due = this.waiting.filter(({ dueAt }) => dueAt <= now).slice(0, atOnce);
      if (due.length === 0 || stop()) return;
      await this.lookAt(due);
    }
  }

  /** Waits until at most this many suspects are left, or `stop` returns true. */
  async untilAtMost(many: number, stop: () => boolean): Promise<void> {
    const { clock } = this.options;
    while (this.waiting.length > many && !stop()) {
      const first = Math.min(...this.waiting.map(({ dueAt }) => dueAt));
      // Wakes up often enough to notice a stop.
      const wait = Math.min(first - clock.now(), 250);
      if (wait > 0) await clock.sleep(wait);
      await this.lookAtDue(stop);
    }
  }

  private async lookAt(due: readonly Suspect[]): Promise<void> {
    const started = new Set(due);
    this.waiting = this.waiting.filter((one) => !started.has(one));
    this.underway.push(...due);
    let again = due;
    let done: (() => void) | undefined;
    try {
      ({ again, done } = await this.options.lookAgain(due));
    } finally {
      this.underway = this.underway.filter((one) => !started.has(one));
      this.waiting.push(...again);
      done?.();
    }
  }
}
