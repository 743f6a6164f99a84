import { isObject } from '../basics/type-of.ts';
import { type AttributeValue, base64, maxNumberLength } from './attribute-value.ts';
import type { Item } from './item.ts';

export type Json = string | boolean | readonly Json[] | { readonly [name: string]: Json };

/** {@link readItem} returns exactly the same item: every digit and every byte. */
export function itemToJson(item: Item): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueToJson(value)]));
}

function valueToJson(value: AttributeValue): Json {
  if ('B' in value) return { B: base64(value.B) };
  if ('BS' in value) return { BS: value.BS.map(base64) };
  if ('L' in value) return { L: value.L.map(valueToJson) };
  if ('M' in value) return { M: itemToJson(value.M) };
  return value;
}

/** Levels of maps and lists within each other. DynamoDB takes 32. Source: AWS, "Quotas", nested attribute depth. */
const maxLevels = 100;

/**
 * Uses no schema library, for speed: it reads every image of every record.
 * @returns undefined if the JSON is not an item
 */
export function readItem(json: unknown): Item | undefined {
  return isObject(json) ? readMap(json, 0) : undefined;
}

function readMap(
  json: Readonly<Record<string, unknown>>,
  level: number,
): Record<string, AttributeValue> | undefined {
  const map: Record<string, AttributeValue> = {};
  for (const [name, member] of Object.entries(json)) {
    const value = readValue(member, level);
    if (value === undefined) return undefined;
    // An attribute may have this name, and an assignment would set the map's prototype.
    if (name === '__proto__') Object.defineProperty(map, name, { value, enumerable: true });
    else map[name] = value;
  }
  return map;
}

function readValue(json: unknown, level: number): AttributeValue | undefined {
  if (!isObject(json) || level > maxLevels) return undefined;
  const [type, ...others] = Object.keys(json);
  if (type === undefined || others.length > 0) return undefined;
  const value = readers[type]?.(json[type], level + 1);
  // The cast is safe: each reader returns what a value of its type holds.
  return value === undefined ? undefined : ({ [type]: value } as unknown as AttributeValue);
}

type Reader<Value> = (json: unknown, level: number) => Value | undefined;

const readText: Reader<string> = (json) => (typeof json === 'string' ? json : undefined);

const readNumber: Reader<string> = (json) =>
  typeof json === 'string' && json.length <= maxNumberLength ? json : undefined;

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

const readBytes: Reader<Uint8Array> = (json) => {
  if (json instanceof Uint8Array) return json;
  return typeof json === 'string' && base64Text.test(json)
    ? new Uint8Array(Buffer.from(json, 'base64'))
    : undefined;
};

const readers: { readonly [type: string]: Reader<unknown> } = Object.assign(Object.create(null), {
  S: readText,
  N: readNumber,
  BOOL: (json) => (typeof json === 'boolean' ? json : undefined),
  NULL: (json) => (json === true ? json : undefined),
  B: readBytes,
  M: (json, level) => (isObject(json) ? readMap(json, level) : undefined),
  L: listOf(readValue),
  SS: listOf(readText),
  NS: listOf(readNumber),
  BS: listOf(readBytes),
} satisfies Record<string, Reader<unknown>>);

function listOf<Value>(read: Reader<Value>): Reader<Value[]> {
  return (json, level) => {
    if (!Array.isArray(json)) return undefined;
    const values: Value[] = [];
    for (const member of json) {
      const value = read(member, level);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };
}
