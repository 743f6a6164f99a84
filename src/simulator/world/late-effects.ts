import type { Clock } from './clock.ts';

interface Late {
  readonly text: string;
  readonly effect: () => void;
  /** The last moment at which it may take effect, in epoch milliseconds. */
  readonly until: number;
}

/** A service refuses a request whose signature is older. Source: AWS, "Signature Version 4", elements of a request. In milliseconds. */
export const signatureLasts = 300_000;

/** Requests that their invocation has given up, and that are still on their way: each takes effect in a step of its own, or never. */
export class LateEffects {
  /** Requests that took effect late, and when, in epoch milliseconds. */
  readonly done: { readonly text: string; readonly at: number }[] = [];
  private waiting: Late[] = [];
  private readonly clock: Clock;
  private readonly within: number;

  /** @param within how long after it was made a request may take effect, in milliseconds */
  constructor(clock: Clock, within: number) {
    this.clock = clock;
    this.within = within;
  }

  add(text: string, effect: () => void): void {
    this.waiting.push({ text, effect, until: this.clock.now + this.within });
  }

  /** The texts of the requests that may still take effect. */
  texts(): string[] {
    this.waiting = this.waiting.filter(({ until }) => until >= this.clock.now);
    return this.waiting.map(({ text }) => text);
  }

  /** The last moment of the first of them, in epoch milliseconds. */
  nextEnd(): number | undefined {
    return this.texts().length === 0 ? undefined : Math.min(...this.waiting.map(({ until }) => until));
  }

  /** @returns false if there is no such request */
  take(text: string): boolean {
    const index = this.texts().indexOf(text);
    if (index < 0) return false;
    for (const { effect } of this.waiting.splice(index, 1)) effect();
    this.done.push({ text, at: this.clock.now });
    return true;
  }
}
