import type { Key } from './project.ts';

/** `GET /api/failures`: dead letters and batches that Lambda gave up, the newest first. */
export interface FailuresView {
  readonly failures: readonly FailureView[];
  /** Whether there are others, which were not read. */
  readonly more: boolean;
}

/** All dead letters about one root, or a batch: a line of `denorm dlq list`. */
export interface FailureView {
  readonly id: string;
  readonly rule: string | undefined;
  readonly root: Key | undefined;
  /** The record, or the object of a batch, where no root is known. */
  readonly record: string | undefined;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  readonly newest: number;
  /** Whether it names a message that can be sent again. */
  readonly redrivable: boolean;
  /** What its rule would make of the root now, in words; undefined if nobody has looked. */
  readonly now: string | undefined;
}

/** `POST /api/redrive` sends the messages of these ids again, `POST /api/drop` deletes the dead letters and batches up to `newest`. */
export interface Outcome {
  readonly text: string;
  readonly isGood: boolean;
}

/** `POST /api/verify`: compares all copies with their roots and all totals with their members, and writes nothing. */
export interface VerifyView {
  readonly items: number;
  /** Copies, and targets of aggregates. */
  readonly copies: number;
  readonly drift: readonly DriftView[];
  /** All drift; at most a thousand are listed. */
  readonly found: number;
}

export interface DriftView {
  readonly kind: string;
  readonly rule: string;
  readonly copy: Key;
  readonly root: Key | undefined;
  /** The attributes that differ, or why it cannot be projected. */
  readonly what: string;
}
