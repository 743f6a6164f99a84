import type { Key } from './project.ts';

/** `GET /api/dead-letters`: newest first. */
export interface DeadLettersView {
  readonly deadLetters: readonly DeadLetterView[];
  /** About how many more there are. */
  readonly unseen: number;
}

export interface DeadLetterView {
  readonly id: string;
  readonly at: number;
  readonly code: string;
  readonly reason: string;
  readonly rule: string | undefined;
  readonly root: Key | undefined;
  /** Whether it names a message that can be sent again. */
  readonly redrivable: boolean;
}

/** `POST /api/dead-letters`: sends the messages of these dead letters again. */
export interface Redrive {
  readonly ids: readonly string[];
}

export interface RedriveOutcomeView {
  readonly redriven: number;
  readonly left: number;
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
  readonly says: string;
}

/** `GET /api/failed-batches`: batches that Lambda gave up, by the keys of their objects. */
export interface FailedBatchesView {
  readonly name: string;
  readonly keys: readonly string[];
  /** Whether there are more. */
  readonly more: boolean;
}
