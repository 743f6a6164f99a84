import { setTimeout } from 'node:timers/promises';

/** What the readers and workers of an event source share: what happened, whether a caller waits for the end of it, and the stop. */
export class Activity {
  /** Grows with each page of records that is fetched, each invocation that ends and each call for idleness. */
  count = 0;
  readonly #stop = new AbortController();
  /** Aborted when no new work may start. */
  readonly stopped: AbortSignal = this.#stop.signal;
  #callers = 0;
  #alarm = new AbortController();

  happened(): void {
    this.count += 1;
  }

  stop(): void {
    this.#stop.abort();
    this.wake();
  }

  wake(): void {
    this.#alarm.abort();
    this.#alarm = new AbortController();
  }

  /** Waits before the next poll. Ends when woken, and is shorter while a caller waits for idleness. */
  async poll(milliseconds: number): Promise<void> {
    if (this.stopped.aborted) return;
    const time = this.#callers > 0 ? Math.min(milliseconds, 10) : milliseconds;
    await setTimeout(time, undefined, { signal: this.#alarm.signal }).catch(() => {});
  }

  /** Waits for the whole time, unless the event source stops. */
  async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: this.stopped }).catch(() => {});
  }

  /**
   * Resolves when `isIdle` returns true of what happened until now and of all that came of it, or when the event source stops.
   * @param signal aborted when the caller no longer waits: polls need not be frequent any more
   */
  async idle(isIdle: () => boolean, signal?: AbortSignal): Promise<void> {
    this.happened();
    this.#callers += 1;
    this.wake();
    while (!this.stopped.aborted && !signal?.aborted && !isIdle()) await setTimeout(5);
    this.#callers -= 1;
  }
}
