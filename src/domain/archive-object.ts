import { createHash } from 'node:crypto';
import { type AttributeValue, base64, canonicalMap } from './attribute-value.ts';
import { type Item, type ItemKey, keyText } from './item.ts';

/** S3's longest key is 1,024 bytes; a final state's key is up to 46 longer than its item's. Source: AWS, "Object keys". */
const longestObjectKey = 1024 - 46;

/**
 * The key of an item's object: `archive/<kind>/<PK>/<SK>.json`, each segment encoded so that it can be decoded, stays
 * one segment and is safe in a file system. An item whose key would be too long for S3 goes by the SHA-256 of its key,
 * `archive/<kind>/%sha256/<hex>.json`; its body says which item it is.
 */
export function objectKeyOf(kind: string, key: ItemKey): string {
  const plain = `archive/${encodeSegment(kind)}/${encodeSegment(key.pk)}/${encodeSegment(key.sk)}.json`;
  if (Buffer.byteLength(plain) <= longestObjectKey) return plain;
  return `archive/${encodeSegment(kind)}/%sha256/${createHash('sha256').update(keyText(key)).digest('hex')}.json`;
}

/** The key of a last state that stands beside another: written once, never overwritten. */
export function finalObjectKeyOf(objectKey: string, sequence: bigint): string {
  return `${objectKey}.${sequence}`;
}

/** The digest of what an item is, whatever the order of its attributes and sets and the spelling of its numbers. */
export function digestOf(item: Item): string {
  return createHash('sha256').update(canonicalMap(item)).digest('hex');
}

/**
 * The item in the form that DynamoDB's import from S3 reads: one line of DynamoDB JSON. The nonce stands in it as white
 * space: an ETag is a hash of the body, and a state that comes back must not look like the one that was there before.
 */
export function bodyOf(item: Item, nonce: Uint8Array): string {
  const bits = [...nonce].flatMap((byte) => [...byte.toString(2).padStart(8, '0')]);
  return `{"Item":${bits.map((bit) => (bit === '1' ? '\t' : ' ')).join('')}${JSON.stringify(toJson(item))}}\n`;
}

type Json = string | boolean | readonly Json[] | { readonly [name: string]: Json };

function toJson(item: Readonly<Record<string, AttributeValue>>): Json {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueToJson(value)]));
}

function valueToJson(value: AttributeValue): Json {
  if ('B' in value) return { B: base64(value.B) };
  if ('BS' in value) return { BS: value.BS.map(base64) };
  if ('L' in value) return { L: value.L.map(valueToJson) };
  if ('M' in value) return { M: toJson(value.M) };
  return value;
}

/** Percent-encodes all but letters, digits, `-`, `_` and `~`, and a dot where it would make `.` or `..`. */
function encodeSegment(segment: string): string {
  const encoded = encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}
