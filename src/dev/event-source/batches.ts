import { type Delivery, deliver, type PendingRecord } from './delivery.ts';

/** Lambda's limit for the payload of an event, 6 MB, less some room for the JSON around the records. */
const maxPayload = 6 * 1024 * 1024 - 1024;

/** Delivers one batch at a time, in order. No batching window is waited for: local invocations cost nothing. */
export class Batches {
  readonly #delivery: Delivery;
  readonly #delivered: (batch: readonly PendingRecord[]) => void;
  readonly #fail: (error: unknown) => void;
  readonly #waiting: PendingRecord[] = [];
  #running: Promise<void> | undefined;

  /** @param fail called if delivery is impossible, because a batch could not even be given up */
  constructor(
    delivery: Delivery,
    delivered: (batch: readonly PendingRecord[]) => void,
    fail: (error: unknown) => void,
  ) {
    this.#delivery = delivery;
    this.#delivered = delivered;
    this.#fail = fail;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#running === undefined;
  }

  add(record: PendingRecord): void {
    this.#waiting.push(record);
    this.#running ??= this.#run();
  }

  /** Resolves when everything added is delivered, or when the event source has stopped and nothing is in flight. */
  async finished(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { stopped } = this.#delivery.activity;
    try {
      // Records added in the same tick share a batch.
      await Promise.resolve();
      while (this.#waiting.length > 0 && !stopped.aborted) {
        const batch = this.#take();
        if (await deliver(batch, this.#delivery)) this.#delivered(batch);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = undefined;
    }
  }

  #take(): readonly PendingRecord[] {
    let bytes = 0;
    let count = 0;
    for (const { json } of this.#waiting.slice(0, this.#delivery.mapped.settings.BatchSize)) {
      bytes += Buffer.byteLength(json) + 1;
      if (count > 0 && bytes > maxPayload) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
