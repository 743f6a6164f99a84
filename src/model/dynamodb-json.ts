import { type AttributeValue, base64, maxNumberLength } from './attribute-value.ts';
import type { Item } from './item.ts';

export type Json = string | boolean | readonly Json[] | { readonly [name: string]: Json };

/** An item as DynamoDB JSON. {@link readItem} returns exactly the same item: every digit and every byte. */
export function itemToJson(item: Item): Json {
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
 * Reads an item from the DynamoDB JSON of a stream record or an archive object. Binary values, base64 in JSON, become
 * bytes. It uses no schema library, for speed: it reads every image of every record.
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
  const value = json[type];
  switch (type) {
    case 'S':
      return typeof value === 'string' ? { S: value } : undefined;
    case 'N':
      return wrap(readNumber(value), (N) => ({ N }));
    case 'BOOL':
      return typeof value === 'boolean' ? { BOOL: value } : undefined;
    case 'NULL':
      return value === true ? { NULL: true } : undefined;
    case 'B':
      return wrap(readBytes(value), (B) => ({ B }));
    case 'M':
      return isObject(value) ? wrap(readMap(value, level + 1), (M) => ({ M })) : undefined;
    case 'L':
      return wrap(
        readAll(value, (member) => readValue(member, level + 1)),
        (L) => ({ L }),
      );
    case 'SS':
      return wrap(readAll(value, readText), (SS) => ({ SS }));
    case 'NS':
      return wrap(readAll(value, readNumber), (NS) => ({ NS }));
    case 'BS':
      return wrap(readAll(value, readBytes), (BS) => ({ BS }));
    default:
      return undefined;
  }
}

function wrap<Value>(
  value: Value | undefined,
  make: (value: Value) => AttributeValue,
): AttributeValue | undefined {
  return value === undefined ? undefined : make(value);
}

function readAll<Value>(json: unknown, read: (member: unknown) => Value | undefined): Value[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const values: Value[] = [];
  for (const member of json) {
    const value = read(member);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readNumber(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= maxNumberLength ? value : undefined;
}

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

function readBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' && base64Text.test(value)
    ? new Uint8Array(Buffer.from(value, 'base64'))
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
