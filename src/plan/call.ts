import { DenormError, type ErrorContext, InvalidItemError, RuleError } from '../model/basics/errors.ts';
import type { Requirement } from '../model/basics/requirement.ts';
import { typeOf } from '../model/basics/type-of.ts';
import type { ItemKey } from '../model/items/item.ts';

/** Without an item, the error stops the rule. */
export interface Call {
  readonly rule: { readonly name: string };
  /** As its author wrote it: `located.at`, `derive.Title`. */
  readonly does: string;
  readonly item?: { readonly key: ItemKey; readonly concerns: InvalidItemError['concerns'] };
}

/**
 * Compilers promise what a rule's function returns, but commands and Lambda run rules without types. If it throws or returns
 * something else, the item is invalid, and the work on other items goes on.
 * @throws InvalidItemError `rule.threw`, `rule.returned`, or the code of what it threw, which may contain content and is not
 * passed on
 */
export function called<Returned>(call: Call, run: () => Returned, { words, misfit }: Requirement): Returned {
  let returned: Returned;
  try {
    returned = run();
  } catch (error) {
    throw thrownBy(call, error);
  }
  const other = misfit(returned);
  if (other === undefined) return returned;
  // A rejection that nobody awaits would end the process.
  if (returned instanceof Promise) returned.catch(() => {});
  const got = returned instanceof Promise ? typeOf(returned) : other.found;
  const why = `Expected ${named(call)} to return ${words}, got ${got}: correct the function`;
  throw failure(call, 'rule.returned', why);
}

function thrownBy(call: Call, error: unknown): DenormError {
  if (error instanceof InvalidItemError) return error;
  if (error instanceof DenormError) {
    const message = error.rule === undefined ? `In ${named(call)}: ${error.message}` : error.message;
    return failure(call, error.code, message);
  }
  const thrown = error instanceof Error ? error.name : 'a value that is not an Error';
  const where = call.item === undefined ? '' : ' on this item';
  const why = `Function ${named(call)} threw ${thrown}${where}: correct it, or make the schema reject what it cannot use`;
  return failure(call, 'rule.threw', why);
}

function failure({ rule, item }: Call, code: string, message: string): DenormError {
  const about: ErrorContext = { rule: rule.name, ...(item && { key: item.key }) };
  return item === undefined
    ? new RuleError(code, message, about)
    : new InvalidItemError(item.concerns, code, message, about);
}

function named({ rule, does }: Call): string {
  return `${does} of rule ${rule.name}`;
}
