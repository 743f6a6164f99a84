import type { DynamoDBRecord } from 'aws-lambda';

/** Between two notices, in milliseconds. */
const interval = 5_000;

/**
 * Tells people that the worker still works on changes from before this start, during which copies look stale. Says nothing if
 * that takes less than an interval.
 */
export class CatchUp {
  /** Epoch seconds. Record times are rounded down. */
  readonly #since = Math.floor(Date.now() / 1000);
  readonly #notice: (text: string) => void;
  readonly #isQuiet: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #changes = 0;
  #at = 0;
  #isTold = false;

  /** @param isQuiet whether nothing is left to deliver */
  constructor(isQuiet: () => boolean, notice: (text: string) => void) {
    this.#isQuiet = isQuiet;
    this.#notice = notice;
    this.#timer = setInterval(() => this.#tell(), interval).unref();
  }

  /** To be called with each record once it needs no delivery any more. */
  readonly finished = ({ dynamodb }: DynamoDBRecord): void => {
    const at = dynamodb?.ApproximateCreationDateTime ?? this.#since;
    if (at < this.#since) {
      this.#changes += 1;
      this.#at = at;
    } else if (this.#changes > 0) this.#end();
  };

  stop(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    if (this.#isQuiet()) {
      this.#end();
      return;
    }
    if (this.#changes === 0) return;
    this.#isTold = true;
    const time = new Date(this.#at * 1000).toLocaleString();
    this.#notice(
      `works on changes from before this start, in their order: ${this.#changes} so far, up to those of ${time}. Copies are stale until then`,
    );
  }

  #end(): void {
    this.stop();
    if (this.#isTold) this.#notice(`has worked on all ${this.#changes} changes from before this start`);
    this.#isTold = false;
  }
}
