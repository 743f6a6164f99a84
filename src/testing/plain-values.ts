import { type AttributeValue, base64, jsValue } from '../model/items/attribute-value.ts';
import type { Item } from '../model/items/item.ts';

/** A number that JavaScript cannot hold exactly, as the document client has it. */
export interface ExactNumber {
  readonly value: string;
  toNumber?(): number;
}

/**
 * A value as an application writes it with the document client: text, numbers (`bigint` or `NumberValue` if exact), booleans,
 * `null`, bytes, sets, arrays and objects.
 */
export type Plain =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string>
  | ReadonlySet<number>
  | ReadonlySet<bigint>
  | ReadonlySet<Uint8Array>
  | readonly Plain[]
  | ExactNumber
  | { readonly [name: string]: Plain | undefined };

/** Attributes of an item, by name. An undefined one is missing. */
export type PlainAttributes = { readonly [name: string]: Plain | undefined };

export function itemOf(plain: PlainAttributes): Item {
  return Object.fromEntries(
    Object.entries(plain).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, attributeValue(member)]],
    ),
  );
}

export function attributeValue(plain: Plain): AttributeValue {
  if (plain === null) return { NULL: true };
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'number' || typeof plain === 'bigint') return { N: String(plain) };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (plain instanceof Uint8Array) return { B: plain };
  if (plain instanceof Set) return setOf([...plain]);
  if (isList(plain)) return { L: plain.map(attributeValue) };
  if (isExactNumber(plain)) return { N: plain.value };
  return { M: itemOf(plain as PlainAttributes) };
}

export function shown(value: AttributeValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(jsValue(value), json);
}

function json(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${base64(value)}`;
  return value instanceof Set ? [...value].sort() : value;
}

function setOf(members: readonly unknown[]): AttributeValue {
  const bytes = members.filter((member) => member instanceof Uint8Array);
  if (bytes.length > 0) return { BS: bytes };
  const isText = members.some((member) => typeof member === 'string');
  return isText ? { SS: members.map(String) } : { NS: members.map(String) };
}

function isList(plain: unknown): plain is readonly Plain[] {
  return Array.isArray(plain);
}

/** `NumberValue` has methods, which no object of an item has. */
function isExactNumber(plain: object): plain is ExactNumber {
  return 'value' in plain && typeof plain.value === 'string' && !isPlainObject(plain);
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
