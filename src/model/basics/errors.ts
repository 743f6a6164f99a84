/** The same as `ItemKey`. This file imports nothing, so that every file can throw these errors. */
interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The rule and the key that an error concerns, and the attribute of which kind that is invalid. Never item content. */
export interface ErrorContext {
  readonly attribute?: {
    readonly kind: string;
    readonly name: string;
    /** The item has no such attribute, or NULL there. */
    readonly isMissing: boolean;
  };
  readonly rule?: string;
  readonly key?: Key;
  readonly cause?: unknown;
}

/** `code` is dotted and stable; messages never contain item content. */
export class DenormError extends Error {
  override readonly name: string = 'DenormError';
  readonly code: string;
  readonly rule: string | undefined;
  readonly key: Key | undefined;

  constructor(code: string, message: string, about: ErrorContext = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
    this.rule = about.rule;
    this.key = about.key;
  }
}

/** Thrown when rules are loaded. */
export class RuleError extends DenormError {
  override readonly name = 'RuleError';
}

/** Refuses a rule, in a sentence about it. */
export function refusalOf({ name }: { readonly name: string }): (code: string, why: string) => RuleError {
  return (code, why) => new RuleError(code, `Rule ${name} ${why}`, { rule: name });
}

const roles = ['root', 'copy', 'target', 'member'] as const;

export type Role = (typeof roles)[number];

/** Thrown if an item is not valid for its rule. The work is dead-lettered; work on other items continues. */
export class InvalidItemError extends DenormError {
  override readonly name = 'InvalidItemError';
  readonly concerns: Role;
  /** The attribute that its schema refuses, if that is why. */
  readonly attribute: ErrorContext['attribute'];

  constructor(concerns: Role, code: string, message: string, about: ErrorContext = {}) {
    super(code, message, about);
    this.concerns = concerns;
    this.attribute = about.attribute;
  }
}

/** Thrown if a request fails for now, after its retries: throttling, a timeout, a 5xx. */
export class TransientError extends DenormError {
  override readonly name = 'TransientError';
}

/**
 * Thrown if no item can be processed: access denied, no such table, a table with other keys. Nothing is dead-lettered: if it
 * were, the worker would acknowledge every record of the stream.
 */
export class FatalError extends DenormError {
  override readonly name = 'FatalError';
}

/** Other errors than an InvalidItemError are rethrown. */
export function unlessInvalid<Result, Instead>(
  run: () => Result,
  instead: (error: InvalidItemError) => Instead,
): Result | Instead {
  try {
    return run();
  } catch (error) {
    if (error instanceof InvalidItemError) return instead(error);
    throw error;
  }
}

/** A line of a stack; names of functions are left out, because data may have named them. */
const frame = /^ +at (?:async )?(?:.*\()?(?:file:\/\/)?(\/[\w./@+-]+:\d+:\d+)\)?$/;

/** The innermost place first: file, line and column. Without the error's message, which may quote an item. */
export function stackPlaces({ message, name, stack = '' }: Error): readonly string[] {
  const header = message === '' ? name : message;
  const start = stack.indexOf(header);
  // A stack keeps the message of its time.
  if (start < 0) return [];
  return stack
    .slice(start + header.length)
    .split('\n')
    .flatMap((line) => frame.exec(line)?.[1] ?? []);
}
