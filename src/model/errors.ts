import type { ItemKey } from './item.ts';

/** Where an error belongs: the rule and the key that it is about. Never item content. */
export interface ErrorPlace {
  readonly rule?: string;
  readonly key?: ItemKey;
  readonly cause?: unknown;
}

/** The base of every error of this project. `code` is dotted and stable; messages never hold item content. */
export class DenormError extends Error {
  override readonly name: string = 'DenormError';
  readonly code: string;
  readonly retryable: boolean = false;
  readonly rule: string | undefined;
  readonly key: ItemKey | undefined;

  constructor(code: string, message: string, place: ErrorPlace = {}) {
    super(message, place.cause === undefined ? undefined : { cause: place.cause });
    this.code = code;
    this.rule = place.rule;
    this.key = place.key;
  }
}

/** Thrown when rules are loaded: a rule that must not run. The message names the rule and the remedy. */
export class RuleError extends DenormError {
  override readonly name = 'RuleError';
}

/** Thrown by a projection: this root, or this copy, does not hold what the rule needs. It is parked; others go on. */
export class Unprojectable extends DenormError {
  override readonly name = 'Unprojectable';
  /** What is at fault: the root, and with it every copy, or one copy alone. */
  readonly concerns: 'root' | 'copy';

  constructor(concerns: 'root' | 'copy', code: string, message: string, place: ErrorPlace = {}) {
    super(code, message, place);
    this.concerns = concerns;
  }
}

/** Thrown when a request could not be done for now, after its retries: throttling, a time-out, a 5xx. */
export class Unavailable extends DenormError {
  override readonly name = 'Unavailable';
  override readonly retryable = true;
}

/**
 * Thrown when no item could be worked on whatever it is: access denied, no such table, a table of another shape.
 * The whole batch fails; nothing is parked, because that would acknowledge the whole stream.
 */
export class Unworkable extends DenormError {
  override readonly name = 'Unworkable';
}
