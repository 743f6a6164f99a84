import type {
  DeadLetterFolder,
  FolderDeadLetter,
} from '../../../../src/develop/dev/queue/dead-letter-folder.ts';
import {
  type Delivery,
  type LocalQueue,
  type LocalQueueOptions,
  localQueue,
} from '../../../../src/develop/dev/queue/queue.ts';
import { message } from '../../../suites/queue-port.suite.ts';

/** Queues for a test, with all their deliveries, dead letters and reported errors. */
export interface QueueLog {
  readonly batches: Delivery[][];
  readonly deadLetters: FolderDeadLetter[];
  readonly reported: unknown[];
  readonly folder: DeadLetterFolder;
  /** A queue whose deliveries succeed by default. */
  queueOf(options?: Partial<LocalQueueOptions>, deliver?: LocalQueueOptions['deliver']): LocalQueue;
}

export function queueLog(): QueueLog {
  const batches: Delivery[][] = [];
  const deadLetters: FolderDeadLetter[] = [];
  const reported: unknown[] = [];
  const folder: DeadLetterFolder = {
    add: async (deadLetter) => void deadLetters.push(deadLetter),
    list: async () => [],
    remove: async () => {},
  };
  return {
    batches,
    deadLetters,
    reported,
    folder,
    queueOf: (options = {}, deliver = async () => []) =>
      localQueue({
        deliver(batch) {
          batches.push(batch);
          return deliver(batch);
        },
        visibilitySeconds: 30,
        maxReceives: 5,
        batchSize: 10,
        deadLetters: folder,
        failed: (error) => reported.push(error),
        ...options,
      }),
  };
}

export function messages(count: number) {
  return Array.from({ length: count }, (_, index) => message(`USER#${index}`));
}

/** Whether a promise has resolved by now. */
export function seen(promise: Promise<void>): { done: boolean } {
  const state = { done: false };
  promise.then(() => {
    state.done = true;
  });
  return state;
}
