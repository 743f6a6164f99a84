import { maxTargets } from '../../../model/aggregate.ts';
import { indexNamed } from '../../../model/copy-location.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { typeOf } from '../../../model/type-of.ts';

export interface Shape {
  /** In words. */
  readonly expected: string;
  /** Undefined if it is as expected. Never content. */
  readonly found: (value: unknown) => string | undefined;
}

export const aBoolean = shape('a boolean', (value) => typeof value === 'boolean');
export const aNumber = shape('a number', (value) => typeof value === 'number');
export const aText = shape('text', isText);

export const finite = shape('a finite number', Number.isFinite);
export const finiteOrText = shape(
  'text or a finite number',
  (value) => isText(value) || Number.isFinite(value),
);

/** For a function of `derive` of an index key. */
export const derivedKey = shape(
  'text, a number or undefined',
  (value) => value === undefined || isText(value) || typeof value === 'number',
);

/** For one of another attribute. */
export const derivedValue: Shape = {
  expected:
    'undefined, or a value that DynamoDB stores: text, a number, a boolean, null, bytes, a list, an object or a set',
  found: (value) => (value === undefined ? undefined : unstorableIn(value, 1)),
};

/** Levels of lists and maps. Source: AWS, "Quotas", nested attributes. */
const maxDepth = 32;

/** What a value has that DynamoDB does not store; undefined if it can store the value. A number is checked where it is written. */
function unstorableIn(value: unknown, depth: number): string | undefined {
  if (isText(value) || value === null || ['number', 'bigint', 'boolean'].includes(typeof value))
    return undefined;
  if (value instanceof Uint8Array) return undefined;
  if (value instanceof Set) return unstorableSet([...value]);
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    const type = typeOf(value);
    return type === 'an object' ? 'an object of a class' : type;
  }
  if (depth > maxDepth) return `one of more than ${maxDepth} levels`;
  const members = isList ? Array.from(value) : Object.values(value).filter((one) => one !== undefined);
  if (!isList && !Object.keys(value).every(isText)) return 'an object with a name that is no text';
  const odd = members.map((one) => unstorableIn(one, depth + 1)).find((one) => one !== undefined);
  return odd && (depth === 1 ? `one with ${odd}` : odd);
}

function unstorableSet(members: readonly unknown[]): string | undefined {
  if (members.length === 0) return 'an empty set';
  const isNumber = (one: unknown) => typeof one === 'number' || typeof one === 'bigint';
  const isOfOneType = [isText, isNumber, isBytes].some((is) => members.every(is));
  return isOfOneType ? undefined : 'a set that is not of text, of numbers or of bytes';
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isPlainObject(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** For `located.at` of a partition or an index, of one key, and of several keys. */
export const aRange = fields(['pk'], ['begins']);
export const aKey = fields(['pk', 'sk']);
export const keys = listOf(aKey);

/** For `rootOf` and `targetsOf`. */
export const aRootKey = orUndefined(aKey);
export const targetKeys = listOf(aKey, maxTargets);

/** For `with[].at` of aging. */
export function locationIn(table: TableNames): Shape {
  return {
    expected:
      "{ in: 'key', pk, sk }, { in: 'partition', pk, begins? } or { in: 'index', index, pk, begins? }, all text",
    found(value) {
      if (!isObject(value)) return typeOf(value);
      const { in: where, index } = value;
      if (where === 'key') return aKey.found(value);
      if (where === 'partition') return aRange.found(value);
      if (where !== 'index') return 'an object with another in';
      if (typeof index === 'string' && indexNamed(table, index) !== undefined) return aRange.found(value);
      return 'an index that the table does not have';
    },
  };
}

function shape(expected: string, fits: (value: unknown) => boolean): Shape {
  return { expected, found: (value) => (fits(value) ? undefined : typeOf(value)) };
}

export function orUndefined({ expected, found }: Shape): Shape {
  return {
    expected: `${expected}, or undefined`,
    found: (value) => (value === undefined ? undefined : found(value)),
  };
}

function fields(needed: readonly string[], possible: readonly string[] = []): Shape {
  return {
    expected: `{ ${[...needed, ...possible.map((name) => `${name}?`)].join(', ')} }, all text`,
    found(value) {
      if (!isObject(value)) return typeOf(value);
      const there = [...needed, ...possible.filter((name) => value[name] !== undefined)];
      const odd = there.find((name) => !isText(value[name]));
      return odd && `an object whose ${odd} is ${typeOf(value[odd])}`;
    },
  };
}

function listOf({ expected, found }: Shape, most = Number.POSITIVE_INFINITY): Shape {
  return {
    expected: `a list of ${Number.isFinite(most) ? `at most ${most} keys, each ` : ''}${expected}`,
    found(value) {
      if (!Array.isArray(value)) return typeOf(value);
      if (value.length > most) return `one of ${value.length}`;
      // A list may have holes, which `map` would leave out.
      const odd = Array.from(value, found).find((one) => one !== undefined);
      return odd && `one with ${odd}`;
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}

/** Text cut within an emoji is no UTF-8: a server refuses the whole request, or stores something else. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}
