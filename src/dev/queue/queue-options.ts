import { DenormError } from '../../model/errors.ts';
import type { QueuePort } from '../../ports.ts';
import type { DeadLetterFolder } from './dead-letter-folder.ts';

/** A message as it is delivered. `receiveCount` is 1 the first time. */
export interface Delivery {
  readonly body: string;
  readonly messageId: string;
  readonly receiveCount: number;
}

export interface LocalQueueOptions {
  /**
   * Works on a batch, and says which messages failed. All did where it rejects, or names one that is not in the batch, as
   * for Lambda. Source: AWS, "Implementing partial batch responses".
   */
  readonly deliver: (messages: Delivery[]) => Promise<readonly string[]>;
  /** The longest wait between two deliveries of a message, in seconds. */
  readonly visibilitySeconds: number;
  /** Deliveries of a message before it is a dead letter, from 1 up. */
  readonly maxReceives: number;
  /** The most messages of a delivery, from 1 up. */
  readonly batchSize: number;
  /** Deliveries side by side, from 1 up. Default: 2, the least that an event source mapping can be limited to. */
  readonly concurrency?: number;
  readonly deadLetters: DeadLetterFolder;
  /** Hears of deliveries that rejected and of dead letters that could not be written. Default: nobody. */
  readonly failed?: (error: unknown) => void;
  /** The clock, in epoch milliseconds. Default: the system's. */
  readonly now?: () => number;
}

export interface LocalQueue extends QueuePort {
  /**
   * Resolves when nothing waits, backs off or is in delivery; with `includeDelayed`, when nothing is delayed either. The
   * process is kept alive for as long as somebody waits for this, and otherwise never by the queue.
   */
  idle(options?: { readonly includeDelayed?: boolean }): Promise<void>;
  /** Makes all delayed messages due. */
  deliverDelayedNow(): void;
  /** Messages that are due or back off after a failure. */
  waiting(): number;
  /** Messages whose delay is not over. */
  delayed(): number;
  /** Begins no further delivery, and resolves when those under way have ended. What is left is gone with the process. */
  stop(): Promise<void>;
}

/** @throws DenormError `queue.options` for a count that is none */
export function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isInteger(count) || count < 1)
      throw new DenormError(
        'queue.options',
        `Expected \`${name}\` to be a whole number from 1 up, got ${count}`,
      );
}
