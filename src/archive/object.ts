import { createHash } from 'node:crypto';
import { canonicalMap } from '../model/attribute-value.ts';
import { itemToJson, readItem } from '../model/dynamodb-json.ts';
import { DenormError } from '../model/errors.ts';
import { type Item, type ItemKey, keyText } from '../model/item.ts';
import { parseJson } from '../model/parse-json.ts';

/** S3's longest key is 1,024 bytes; a final state's key is up to 46 longer than its item's. Source: AWS, "Object keys". */
const maxObjectKey = 1024 - 46;

/**
 * The key of an item's object: `archive/<kind>/<PK>/<SK>.json`, each segment encoded so that it can be decoded, stays
 * one segment and is safe in a file system. An item whose key would be too long for S3 goes by the SHA-256 of its key,
 * `archive/<kind>/%sha256/<hex>.json`; its body says which item it is.
 */
export function objectKeyOf(kind: string, key: ItemKey): string {
  const plain = `archive/${encodeSegment(kind)}/${encodeSegment(key.pk)}/${encodeSegment(key.sk)}.json`;
  if (Buffer.byteLength(plain) <= maxObjectKey) return plain;
  return `archive/${encodeSegment(kind)}/%sha256/${createHash('sha256').update(keyText(key)).digest('hex')}.json`;
}

/** Whether the object's key is a hash: what it belongs to must be said elsewhere. */
export function isHashed(objectKey: string): boolean {
  return objectKey.split('/')[2] === '%sha256';
}

/** The key of a last state that stands beside another: written once, never overwritten. */
export function finalObjectKeyOf(objectKey: string, sequence: bigint): string {
  return `${objectKey}.${sequence}`;
}

/** The key of the note that says up to which record an object's states are erased. It is a hash, and names nothing. */
export function erasureNoteKeyOf(objectKey: string): string {
  return `erased/${createHash('sha256').update(objectKey).digest('hex')}.json`;
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
  return `{"Item":${bits.map((bit) => (bit === '1' ? '\t' : ' ')).join('')}${JSON.stringify(itemToJson(item))}}\n`;
}

/**
 * The item that a body, or one line of many, holds.
 * @throws DenormError `archive.unreadable` where it is no item in DynamoDB JSON
 */
export function itemInBody(text: string): Item {
  const item = readItem(itemMember(text));
  if (item !== undefined) return item;
  throw new DenormError(
    'archive.unreadable',
    'Expected a body of the form {"Item":{…}} in DynamoDB JSON, found another: it was not put by this worker, or was changed since',
  );
}

function itemMember(text: string): unknown {
  try {
    const parsed = parseJson(text);
    return typeof parsed === 'object' && parsed !== null && 'Item' in parsed ? parsed.Item : undefined;
  } catch {
    return undefined;
  }
}

/** Percent-encodes all but dead letters, digits, `-`, `_` and `~`, and a dot where it would make `.` or `..`. */
export function encodeSegment(segment: string): string {
  const encoded = encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}
