/** An item's key, as `ItemKey` has it: nothing is imported here, so that everything can throw these errors. */
interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Where an error belongs: the rule and the key that it is about. Never item content. */
export interface ErrorContext {
  readonly rule?: string;
  readonly key?: Key;
  readonly cause?: unknown;
}

/** The base of every error of this project. `code` is dotted and stable; messages never hold item content. */
export class DenormError extends Error {
  override readonly name: string = 'DenormError';
  readonly code: string;
  readonly retryable: boolean = false;
  readonly rule: string | undefined;
  readonly key: Key | undefined;

  constructor(code: string, message: string, location: ErrorContext = {}) {
    super(message, location.cause === undefined ? undefined : { cause: location.cause });
    this.code = code;
    this.rule = location.rule;
    this.key = location.key;
  }
}

/** Thrown when rules are loaded: a rule that must not run. The message names the rule and the remedy. */
export class RuleError extends DenormError {
  override readonly name = 'RuleError';
}

/** Thrown by a projection: this root, or this copy, does not hold what the rule needs. It is dead-lettered; others go on. */
export class InvalidItemError extends DenormError {
  override readonly name = 'InvalidItemError';
  /** What is at fault: the root, and with it every copy, or one copy alone. */
  readonly concerns: 'root' | 'copy';

  constructor(concerns: 'root' | 'copy', code: string, message: string, location: ErrorContext = {}) {
    super(code, message, location);
    this.concerns = concerns;
  }
}

/** Thrown when a request could not be done for now, after its retries: throttling, a time-out, a 5xx. */
export class TransientError extends DenormError {
  override readonly name = 'TransientError';
  override readonly retryable = true;
}

/**
 * Thrown when no item could be worked on whatever it is: access denied, no such table, a table of another shape.
 * The whole batch fails; nothing is dead-lettered, because that would acknowledge the whole stream.
 */
export class FatalError extends DenormError {
  override readonly name = 'FatalError';
}
