import { setTimeout } from 'node:timers/promises';

/** A position in the order of events. Later ones are greater. */
export type Moment = number;

/**
 * Shared state of an event source's readers and workers: the time of the last event, whether a caller waits
 * for idleness, and whether to stop.
 */
export class IdleTracker {
  #now: Moment = 0;
  #lastWork: Moment = 0;
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  #alarm = new AbortController();

  /** Aborted when no new work may start. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** When a record was last fetched, or an invocation last ended. */
  get lastWork(): Moment {
    return this.#lastWork;
  }

  now(): Moment {
    this.#now += 1;
    return this.#now;
  }

  worked(): void {
    this.#lastWork = this.now();
    this.changed();
  }

  /** Call this whenever a condition of {@link until} may have become true. */
  changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  stop(): void {
    this.#stop.abort();
    this.wake();
    this.changed();
  }

  /** Whether a caller waits for idleness. Then all work starts without delay. */
  get hurried(): boolean {
    return this.#watchers.size > 0;
  }

  /** Ends every {@link poll}. */
  wake(): void {
    this.#alarm.abort();
    this.#alarm = new AbortController();
  }

  /** Waits before the next poll. Ends when woken, and is shorter while a caller waits for idleness. */
  async poll(milliseconds: number): Promise<void> {
    if (this.stopped.aborted) return;
    const time = this.hurried ? Math.min(milliseconds, 10) : milliseconds;
    await setTimeout(time, undefined, { signal: this.#alarm.signal }).catch(() => {});
  }

  /** Waits for the whole time, unless the event source stops. */
  async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: this.stopped }).catch(() => {});
  }

  /** Resolves when `holds` returns true, or when the event source stops. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!holds() && !this.stopped.aborted) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
      this.wake();
      watcher();
    });
  }
}
