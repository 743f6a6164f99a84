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

/**
 * What a key in the archive says of its object: whose state it holds, told by `key`, or by `sha256` where the item's key
 * would have been too long; or that it holds the states of many.
 */
export type ObjectName =
  | {
      readonly holds: 'item';
      readonly kind: string;
      readonly key: ItemKey;
      readonly final: bigint | undefined;
    }
  | {
      readonly holds: 'hashed item';
      readonly kind: string;
      readonly sha256: string;
      readonly final: bigint | undefined;
    }
  | { readonly holds: 'batch'; readonly kind: string; readonly day: string; readonly name: string };

/** Reads back what {@link objectKeyOf} and its like have made. Undefined for a key that they never make. */
export function readObjectKey(objectKey: string): ObjectName | undefined {
  const [root, kindSegment = '', third = '', file = '', ...more] = objectKey.split('/');
  const kind = decodeSegment(kindSegment);
  if (root !== 'archive' || more.length > 0 || kind === undefined) return undefined;
  const batch = /^([0-9a-f]+)\.ndjson\.gz$/.exec(file);
  const day = /^dt=(\d{4}-\d\d-\d\d)$/.exec(third)?.[1];
  if (day !== undefined)
    return batch?.[1] === undefined ? undefined : { holds: 'batch', kind, day, name: batch[1] };
  const parts = /^(.+)\.json(?:\.(\d{1,40}))?$/.exec(file);
  if (parts?.[1] === undefined) return undefined;
  const final = parts[2] === undefined ? undefined : BigInt(parts[2]);
  if (third === '%sha256')
    return /^[0-9a-f]{64}$/.test(parts[1])
      ? { holds: 'hashed item', kind, sha256: parts[1], final }
      : undefined;
  const key = { pk: decodeSegment(third) ?? '', sk: decodeSegment(parts[1]) ?? '' };
  const made =
    key.pk !== '' &&
    key.sk !== '' &&
    objectKeyOf(kind, key) === `archive/${kindSegment}/${third}/${parts[1]}.json`;
  return made ? { holds: 'item', kind, key, final } : undefined;
}

/**
 * What the keys of a kind's items begin with, where their partition keys begin so. Items whose key is hashed stand
 * elsewhere, below {@link hashedPrefixOf}.
 */
export function prefixOf(kind: string, pkBegins = ''): string {
  const whole = pkBegins.replace(/[\uD800-\uDBFF]$/, '');
  // A segment of dots alone is encoded in another way than one that begins with dots.
  return `archive/${encodeSegment(kind)}/${/^\.*$/.test(whole) ? '' : encodeSegment(whole)}`;
}

/** What the keys of a kind's items begin with whose own keys were too long. */
export function hashedPrefixOf(kind: string): string {
  return `archive/${encodeSegment(kind)}/%sha256/`;
}

export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
