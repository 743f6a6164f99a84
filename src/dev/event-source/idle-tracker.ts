import { setTimeout } from 'node:timers/promises';

/** A point in the order of events; later ones are greater. */
export type Moment = number;

/**
 * What readers and workers of an event source know of each other: when something last happened, whether somebody waits
 * for quiet, and whether all of it is to stop.
 */
export class IdleTracker {
  #now: Moment = 0;
  #lastWork: Moment = 0;
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  #alarm = new AbortController();

  /** Aborted when nothing new is to be started. */
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

  /** To be called whenever something that {@link until} waits for may have come true. */
  changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  stop(): void {
    this.#stop.abort();
    this.wake();
    this.changed();
  }

  /** Whether somebody waits for quiet: then nothing is put off that can be done now. */
  get hurried(): boolean {
    return this.#watchers.size > 0;
  }

  /** Ends every {@link poll}. */
  wake(): void {
    this.#alarm.abort();
    this.#alarm = new AbortController();
  }

  /** Waits before looking again: until woken at the latest, and shorter while somebody waits for quiet. */
  async poll(milliseconds: number): Promise<void> {
    if (this.stopped.aborted) return;
    const time = this.hurried ? Math.min(milliseconds, 10) : milliseconds;
    await setTimeout(time, undefined, { signal: this.#alarm.signal }).catch(() => {});
  }

  /** Waits for the whole time; only the stop ends it. */
  async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: this.stopped }).catch(() => {});
  }

  /** Resolves once `holds` does, or all is stopped. */
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
