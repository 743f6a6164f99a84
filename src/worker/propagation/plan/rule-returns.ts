import { maxTargets } from '../../../model/aggregate.ts';
import { indexNamed } from '../../../model/copy-location.ts';
import { DenormError, type ErrorContext, InvalidItemError, RuleError } from '../../../model/errors.ts';
import type { ItemKey } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { typeOf } from '../../../model/type-of.ts';

/** What a function of a rule returned instead of what its type says; undefined if it is as it should be. Never content. */
export type Wrong = (returned: unknown) => string | undefined;

/** A function of a rule, and the item that it is called for; without an item, the error stops the rule. */
export interface Call {
  readonly rule: { readonly name: string };
  /** As its author wrote it: `located.at`, `derive.Title`. */
  readonly does: string;
  readonly item?: { readonly key: ItemKey; readonly concerns: InvalidItemError['concerns'] };
}

/**
 * Calls a function of a rule. Compilers promise what it returns, but commands and Lambda run rules without types. If it
 * throws or returns something else, the item is invalid, and the work on other items and by other rules goes on.
 * @throws InvalidItemError `rule.threw`, `rule.returned`, or the code of what it threw. What it threw may contain content
 * and is not passed on
 */
export function called<Returned>(call: Call, run: () => Returned, wrong: Wrong): Returned {
  let returned: Returned;
  try {
    returned = run();
  } catch (error) {
    throw thrownBy(call, error);
  }
  const why = wrong(returned);
  if (why === undefined) return returned;
  // A rejection that nobody awaits would end the process.
  if (returned instanceof Promise) returned.catch(() => {});
  throw failure(call, 'rule.returned', `Expected ${named(call)} to return ${why}: correct the function`);
}

function thrownBy(call: Call, error: unknown): DenormError {
  if (error instanceof InvalidItemError) return error;
  if (error instanceof DenormError)
    return failure(
      call,
      error.code,
      error.rule === undefined ? `In ${named(call)}: ${error.message}` : error.message,
    );
  const thrown = error instanceof Error ? error.name : 'a value that is not an Error';
  const where = call.item === undefined ? '' : ' on this item';
  return failure(
    call,
    'rule.threw',
    `Function ${named(call)} threw ${thrown}${where}: correct it, or make the schema reject what it cannot use`,
  );
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

/** For `located.at` of a partition or an index. */
export function notRange(returned: unknown): string | undefined {
  return isTexts(returned, ['pk'], ['begins']) ? undefined : instead(returned, ['pk'], ['begins']);
}

/** For `located.at` of one key. */
export function notKey(returned: unknown): string | undefined {
  return isTexts(returned, ['pk', 'sk']) ? undefined : instead(returned, ['pk', 'sk']);
}

/** For `located.at` of several keys. */
export function notKeys(returned: unknown): string | undefined {
  if (!Array.isArray(returned)) return `a list of { pk, sk }, all text, got ${typeOf(returned)}`;
  const wrong = Array.from(returned, notKey).find((why) => why !== undefined);
  return wrong && `a list of ${wrong} in it`;
}

/** For `rootOf`. */
export function notRootKey(returned: unknown): string | undefined {
  if (returned === undefined || isTexts(returned, ['pk', 'sk'])) return undefined;
  return instead(returned, ['pk', 'sk'], [], ', or undefined');
}

/** For `targetsOf`. */
export function notTargets(returned: unknown): string | undefined {
  if (!Array.isArray(returned)) return `a list of at most ${maxTargets} keys, got ${typeOf(returned)}`;
  if (returned.length > maxTargets)
    return `a list of at most ${maxTargets} keys, got one of ${returned.length}`;
  const odd = returned.find((one) => !isTexts(one, ['pk', 'sk']));
  return odd === undefined ? undefined : `a list of keys, with each ${instead(odd, ['pk', 'sk'])}`;
}

/** For `from` and `add` of a reducer. */
export function notNumber(returned: unknown): string | undefined {
  if (typeof returned === 'number' && Number.isFinite(returned)) return undefined;
  return `a finite number, got ${typeof returned === 'number' ? String(returned) : typeOf(returned)}`;
}

/** For `from` and `add` of a reducer that may be of text. */
export function notNumberOrText(returned: unknown): string | undefined {
  if (isText(returned) || notNumber(returned) === undefined) return undefined;
  return `text or ${notNumber(returned)}`;
}

/** The same for a function that may return undefined. */
export function orNothing(wrong: Wrong): Wrong {
  return (returned) => {
    const why = returned === undefined ? undefined : wrong(returned);
    return why && `undefined or ${why}`;
  };
}

/** For a function of `derive`. */
export function notDerived(returned: unknown): string | undefined {
  if (returned === undefined || isText(returned) || typeof returned === 'number') return undefined;
  return `text, a number or undefined, got ${typeOf(returned)}`;
}

/** For `with[].at` of aging. */
export function notLocationIn(table: TableNames): Wrong {
  return (returned) => {
    const { in: where, index }: Partial<Record<'in' | 'index', unknown>> = isObject(returned) ? returned : {};
    if (where === 'key') return notKey(returned);
    if (where === 'partition') return notRange(returned);
    if (where !== 'index')
      return `{ in: 'key', pk, sk }, { in: 'partition', pk, begins? } or { in: 'index', index, pk, begins? }, got ${isObject(returned) ? 'an object with another in' : typeOf(returned)}`;
    if (typeof index === 'string' && indexNamed(table, index) !== undefined) return notRange(returned);
    const names = Object.values(table.indexes).map(({ name }) => name);
    return `a location in an index of the table (${names.join(', ') || 'it has none'}), got another index`;
  };
}

export function not(type: 'boolean' | 'number' | 'string'): Wrong {
  const wanted = type === 'string' ? 'text' : `a ${type}`;
  return (returned) => (typeof returned === type ? undefined : `${wanted}, got ${typeOf(returned)}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}

/**
 * Text that DynamoDB stores as it is. A function that cuts text may halve a character outside of the basic plane, such as an
 * emoji. UTF-8 has no such half: a server refuses the whole request, with the writes of other rules and items, or stores
 * something else, which never equals what the rule says.
 */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isTexts(value: unknown, needed: readonly string[], possible: readonly string[] = []): boolean {
  return (
    isObject(value) &&
    needed.every((name) => isText(value[name])) &&
    possible.every((name) => value[name] === undefined || isText(value[name]))
  );
}

function instead(
  value: unknown,
  needed: readonly string[],
  possible: readonly string[] = [],
  orElse = '',
): string {
  const wanted = `{ ${[...needed, ...possible.map((name) => `${name}?`)].join(', ')} }, all text${orElse}`;
  if (!isObject(value)) return `${wanted}, got ${typeOf(value)}`;
  const odd = [...needed, ...possible].find(
    (name) => !isText(value[name]) && (needed.includes(name) || value[name] !== undefined),
  );
  return `${wanted}, got an object whose ${odd} is ${typeOf(odd === undefined ? odd : value[odd])}`;
}
