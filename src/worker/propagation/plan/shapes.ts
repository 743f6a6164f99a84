import { maxTargets } from '../../../model/aggregate.ts';
import { indexNamed } from '../../../model/copy-location.ts';
import { fitsPart } from '../../../model/given-keys.ts';
import { type KeyNames, type KeyPart, keyParts, type TableNames } from '../../../model/table-names.ts';
import { typeOf } from '../../../model/type-of.ts';

export interface Shape {
  /** In words. */
  readonly expected: string;
  /** Undefined if it is as expected. Never content. */
  readonly found: (value: unknown) => string | undefined;
}

export const aBoolean = shape('a boolean', (value) => typeof value === 'boolean');
export const aNumber = shape('a number', (value) => typeof value === 'number');

export const finite = shape('a finite number', Number.isFinite);
export const finiteOrText = shape(
  'text or a finite number',
  (value) => isText(value) || Number.isFinite(value),
);

/** For a function of `derive` of an index key. */
export const derivedKey = shape(
  'text, a number or undefined',
  (value) => value === undefined || isText(value) || typeof value === 'number' || typeof value === 'bigint',
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

/** For `located.at` of one key, and of several keys. */
export function aKey(table: KeyNames): Shape {
  const { all } = keyParts(table);
  const names = ['pk', 'sk'] as const;
  return {
    expected: all.every(isTextPart)
      ? `{ ${names.slice(0, all.length).join(', ')} }, all text`
      : `{ ${all.map((part, index) => `${names[index]}: ${partWords(part)}`).join(', ')} }`,
    found(value) {
      if (!isObject(value)) return typeOf(value);
      // What a kind makes has an empty sort key in a table without.
      const odd = names.find((name, index) => {
        const isLeftOut = all[index] === undefined && (value[name] === undefined || value[name] === '');
        return !isLeftOut && !fitsPart(all[index], value[name]);
      });
      return odd && `an object whose ${odd} is ${typeOf(value[odd])}`;
    },
  };
}

export function keys(table: KeyNames): Shape {
  return listOf(aKey(table));
}

/** For `rootOf` and `targetsOf`. */
export function aRootKey(table: KeyNames): Shape {
  return orUndefined(aKey(table));
}

export function targetKeys(table: KeyNames): Shape {
  return listOf(aKey(table), maxTargets);
}

/** For `located.at` of a partition or an index. */
export function aRange(names: KeyNames): Shape {
  const { pk, sk } = keyParts(names);
  return {
    expected: rangeWords(pk, sk),
    found(value) {
      if (!isObject(value)) return typeOf(value);
      const { begins, from, to } = value;
      // As any other field, it says nothing of a sort key of one attribute.
      const [ofPk, ofSk] = [[value['pk']].flat(), (sk.length > 1 ? value['sk'] : undefined) ?? []];
      if (ofPk.length !== pk.length || !ofPk.every((one, index) => fitsPart(pk[index], one)))
        return `an object whose pk is ${typeOf(value['pk'])}`;
      if (!Array.isArray(ofSk) || !ofSk.every((one, index) => fitsPart(sk[index], one)))
        return `an object whose sk is ${Array.isArray(ofSk) ? 'another list' : typeOf(ofSk)}`;
      const next = sk[ofSk.length];
      if (begins !== undefined && !(isTextPart(next) && isText(begins)))
        return `an object whose begins is ${typeOf(begins)}`;
      if (begins !== undefined && (from !== undefined || to !== undefined))
        return 'an object with begins and another limit';
      const odd = (['from', 'to'] as const).find(
        (name) => value[name] !== undefined && !fitsPart(next, value[name]),
      );
      return odd && `an object whose ${odd} is ${typeOf(value[odd])}`;
    },
  };
}

function rangeWords(pk: readonly KeyPart[], sk: readonly KeyPart[]): string {
  const all = [...pk, ...sk];
  if (all.every(isTextPart) && pk.length === 1 && sk.length === 1)
    return '{ pk, begins? } or { pk, from?, to? }, all text';
  const listed = (parts: readonly KeyPart[]) => `[${parts.map(partWords).join(', ')}]`;
  return `{ pk: ${pk[0] !== undefined && pk.length === 1 ? partWords(pk[0]) : listed(pk)}${sk.length > 1 ? `, sk?: the first of ${listed(sk)}` : ''}${sk.some(isTextPart) ? ', begins?' : ''}${sk.length > 0 ? ', from?, to?' : ''} }`;
}

/** For `found.until` of aging. */
export function ofPart(part: KeyPart | undefined): Shape {
  return shape(part === undefined ? 'nothing' : partWords(part), (value) => fitsPart(part, value));
}

function isTextPart(part: KeyPart | undefined): boolean {
  return part?.type === 'S';
}

function partWords({ type }: KeyPart): string {
  return type === 'S' ? 'text' : 'a number';
}

/** For `with[].at` of aging. */
export function locationIn(table: TableNames): Shape {
  return {
    expected: `${aKey(table).expected} with in: 'key', ${aRange(table).expected} with in: 'partition', or a range with in: 'index' and the index's name`,
    found(value) {
      if (!isObject(value)) return typeOf(value);
      const { in: where, index } = value;
      if (where === 'key') return aKey(table).found(value);
      if (where === 'partition') return aRange(table).found(value);
      if (where !== 'index') return 'an object with another in';
      const named = typeof index === 'string' ? indexNamed(table, index) : undefined;
      return named === undefined ? 'an index that the table does not have' : aRange(named).found(value);
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
