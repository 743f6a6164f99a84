import { setTimeout as delay } from 'node:timers/promises';
import { progressBar } from '../../src/cli/output/terminal.ts';

/** Between two looks, in milliseconds. */
const pause = 300;

/** Waits for a deployed stack, and shows on a terminal which state it waits for. */
export class Wait {
  private readonly milliseconds: number;
  private readonly asked: () => boolean;
  private readonly waitingFor = new Set<string>();
  private readonly bar = progressBar({ label: 'smoke', unit: 'looks' });
  private looks = 0;

  /**
   * @param seconds how long each thing is waited for
   * @param asked whether the run was interrupted
   */
  constructor(seconds: number, asked: () => boolean) {
    this.milliseconds = seconds * 1000;
    this.asked = asked;
  }

  /** Looks until there is something to see. @returns undefined after the deadline, or when an end is asked for */
  async until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const end = performance.now() + this.milliseconds;
    this.waitingFor.add(what);
    try {
      for (;;) {
        const found = await look();
        this.looks += 1;
        const left = Math.max(0, Math.round((end - performance.now()) / 1000));
        this.bar.update(this.looks, `waiting for ${[...this.waitingFor].join(', ')}, ${left} s left`);
        if (found !== undefined || performance.now() > end || this.asked()) return found;
        await delay(pause);
      }
    } finally {
      this.waitingFor.delete(what);
    }
  }

  /** Clears the line on the terminal. */
  stop(): void {
    this.bar.stop();
  }
}
