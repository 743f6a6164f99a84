import type { ItemKey } from '../items/item.ts';
import type { Cause, Message } from './message.ts';

export interface PaceReport {
  /** At the end of the propagation. */
  readonly unitsPerSecond: number;
  /** Writes that were throttled. They were sent again. */
  readonly throttled: number;
}

export interface PropagationReport {
  readonly rule: string;
  readonly root: ItemKey;
  readonly cause: Cause;
  readonly recheck: boolean;
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Writes whose condition failed. They were retried. */
  readonly lost: number;
  readonly orphans: number;
  /** Items in the location that do not belong to this root. */
  readonly foreign: number;
  readonly deadLettered: number;
  /** Rechecks are not counted. */
  readonly requeued: number;
  /** The code of the error for which the whole message was requeued, if there was one. */
  readonly requeuedFor?: string | undefined;
  readonly narrowed: number;
  /** Invalid members of a target, without which it was computed. */
  readonly skipped: number;
  /** Targets that do not exist, or are of another kind: nothing is computed. */
  readonly absent: number;
  /** Undefined if it wrote so little that it kept to no pace. */
  readonly pace: PaceReport | undefined;
  /** In epoch milliseconds, as the stream says. */
  readonly changedAt: number | undefined;
}

/** A message of the fan-out queue, as it is delivered. */
export interface Received {
  /** Of the message in SQS. */
  readonly id: string;
  readonly receives: number;
  /** Undefined if its body is no message. */
  readonly message: Message | undefined;
  /** The rule or aggregate in force that it is for. */
  readonly rule: string | undefined;
  /** How long it has waited in the queue, since it was sent or last received. Undefined if the event does not say. */
  readonly waitMs: number | undefined;
}

export interface ArchiveReport {
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
  /** `gone`: the item has no such state any more; its own record stores another. `final`: a last state next to another one. */
  readonly outcome: 'stored' | 'unchanged' | 'final' | 'gone' | 'erased';
}

const stores: Readonly<Record<ArchiveReport['outcome'], boolean>> = {
  stored: true,
  final: true,
  unchanged: false,
  gone: false,
  erased: false,
};

/** Whether a state was put into the archive. */
export function isStored({ outcome }: ArchiveReport): boolean {
  return stores[outcome];
}
