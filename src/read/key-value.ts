import { DenormError } from '../model/basics/errors.ts';
import { base64, canonicalNumber } from '../model/items/attribute-value.ts';
import { byBytes } from '../model/items/key-order.ts';

/**
 * The value of a key attribute, as the document client takes and gives it. With `wrapNumbers` it gives a number as an object
 * with the number's text.
 */
export type KeyValue = string | number | bigint | Uint8Array | { readonly value: string };

/** A key value in a cursor: its DynamoDB type, and its text (of bytes: base64). */
export type EncodedKeyValue = readonly ['S' | 'N' | 'B', string];

export function isKeyValue(value: unknown): value is KeyValue {
  if (typeof value !== 'object' || value === null) return /^(string|number|bigint)$/.test(typeof value);
  if (value instanceof Uint8Array) return true;
  return 'value' in value && typeof value.value === 'string' && /^[-+.\deE]+$/.test(value.value);
}

/**
 * Compares as DynamoDB sorts: text by its UTF-8 bytes, numbers by value, binary by its unsigned bytes.
 * @throws DenormError if the values are of different types, which the values of one key attribute never are
 */
export function compareKeyValues(a: KeyValue, b: KeyValue): number {
  if (typeof a === 'string' && typeof b === 'string') return byBytes(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  const [left, right] = [encode(a), encode(b)];
  if (left[0] !== right[0])
    throw new DenormError(
      'read.key-type',
      `Expected sort keys of one type, got ${left[0]} and ${right[0]}: give \`begins\`, \`from\` and \`to\` the type of the sort key`,
    );
  const [one, other] = [exactNumber(left[1]), exactNumber(right[1])];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Attribute by attribute. */
export function compareKeys(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  return a.reduce<number>((order, value, index) => order || compareKeyValues(value, b[index] ?? ''), 0);
}

export function encode(value: KeyValue): EncodedKeyValue {
  if (typeof value === 'string') return ['S', value];
  if (value instanceof Uint8Array) return ['B', base64(value)];
  return ['N', typeof value === 'object' ? value.value : String(value)];
}

export function decode([type, text]: EncodedKeyValue): KeyValue {
  if (type === 'S') return text;
  return type === 'B' ? Uint8Array.from(Buffer.from(text, 'base64')) : exactNumber(text);
}

/** @throws DenormError if the text is not a number, or is one that JavaScript rounds */
function exactNumber(text: string): number | bigint {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text);
  if (canonicalNumber(String(number)) === canonicalNumber(text)) return number;
  throw new DenormError(
    'read.inexact-number',
    'Expected numbers in keys that JavaScript holds exactly, got one with too many digits: scale it to a whole number, or store it as text',
  );
}
