import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { DenormError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { canonicalMap } from '../../model/items/attribute-value.ts';
import { recordDigits, recordId } from '../../model/items/change.ts';
import { itemToJson, readItem } from '../../model/items/dynamodb-json.ts';
import { type Item, type ItemKey, keyText } from '../../model/items/item.ts';

/** S3 allows 1,024 bytes. The key of a final state has a dot and its record's digits more. Source: AWS, "Object keys". */
const maxObjectKey = 1024 - (1 + recordDigits);

/**
 * `archive/<kind>/<PK>/<SK>.json`, without a sort key `archive/<kind>/<PK>.json`, encoded reversibly and safe in a file system. If that is too long for S3, a SHA-256 of the
 * item's key, `archive/<kind>/%sha256/<hex>.json`: then the item's key is in the body only.
 */
export function objectKeyOf(kind: string, key: ItemKey): string {
  const parts = key.sk === '' ? [key.pk] : [key.pk, key.sk];
  const plain = `archive/${encodeSegment(kind)}/${parts.map(encodeSegment).join('/')}.json`;
  if (Buffer.byteLength(plain) <= maxObjectKey) return plain;
  return `archive/${encodeSegment(kind)}/%sha256/${createHash('sha256').update(keyText(key)).digest('hex')}.json`;
}

export function isHashed(objectKey: string): boolean {
  return objectKey.split('/')[2] === '%sha256';
}

/** Beside the item's object. Written once and never overwritten. */
export function finalObjectKeyOf(objectKey: string, sequence: bigint): string {
  return `${objectKey}.${recordId(sequence)}`;
}

/** A hash, so it does not reveal the item's key. */
export function erasureNoteKeyOf(objectKey: string): string {
  return `erased/${createHash('sha256').update(objectKey).digest('hex')}.json`;
}

/** Does not depend on the order of attributes and sets, or on the spelling of numbers. */
export function digestOf(item: Item): string {
  return createHash('sha256').update(canonicalMap(item)).digest('hex');
}

/** The format of DynamoDB's import from S3. The nonce is white space, so that equal states have different ETags. */
export function bodyOf(item: Item, nonce: Uint8Array): string {
  const bits = [...nonce].flatMap((byte) => [...byte.toString(2).padStart(8, '0')]);
  return `{"Item":${bits.map((bit) => (bit === '1' ? '\t' : ' ')).join('')}${JSON.stringify(itemToJson(item))}}\n`;
}

const bodySchema = z.object({ Item: z.unknown() });

/** @throws DenormError `archive.unreadable` if it is not an item in DynamoDB JSON */
export function itemInBody(text: string): Item {
  const item = readItem(bodySchema.safeParse(jsonOrUndefined(text)).data?.Item);
  if (item !== undefined) return item;
  throw new DenormError(
    'archive.unreadable',
    'Expected a body of the form {"Item":{…}} in DynamoDB JSON, found something else: another program put it, or it has been changed',
  );
}

export function damaged(where: string, how: string, cause?: unknown): DenormError {
  return new DenormError(
    'archive.damaged',
    `Expected ${where} to be what was put, but ${how}. An older version may be intact`,
    { cause },
  );
}

/** Percent-encodes everything except letters, digits, `-`, `_`, `~` and `.`; dots only if the segment is all dots. */
export function encodeSegment(segment: string): string {
  const encoded = encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}

/** The item's key, unless it was too long, or the batch. */
export type ObjectName =
  | {
      readonly holds: 'item';
      readonly kind: string;
      readonly key: ItemKey | undefined;
      readonly final: bigint | undefined;
    }
  | { readonly holds: 'batch'; readonly kind: string; readonly day: string; readonly name: string };

/** Undefined for any key that is not of this archive. */
export function readObjectKey(objectKey: string): ObjectName | undefined {
  const [root, kindSegment = '', ...segments] = objectKey.split('/');
  const [third = '', file = '', ...more] = segments.length === 1 ? ['', ...segments] : segments;
  const kind = decodeSegment(kindSegment);
  if (root !== 'archive' || more.length > 0 || kind === undefined) return undefined;
  const batch = /^([0-9a-f]+)\.ndjson\.gz$/.exec(file);
  const day = /^dt=(\d{4}-\d\d-\d\d)$/.exec(third)?.[1];
  if (day !== undefined)
    return batch?.[1] === undefined ? undefined : { holds: 'batch', kind, day, name: batch[1] };
  const parts = /^(.+)\.json(?:\.(\d+))?$/.exec(file);
  if (parts?.[1] === undefined) return undefined;
  const final = parts[2] === undefined ? undefined : BigInt(parts[2]);
  if (third === '%sha256')
    return /^[0-9a-f]{64}$/.test(parts[1]) ? { holds: 'item', kind, key: undefined, final } : undefined;
  const names = segments.length === 1 ? [parts[1]] : [third, parts[1]];
  const [pk = '', sk = ''] = names.map((name) => decodeSegment(name) ?? '');
  const key = { pk, sk };
  const made = pk !== '' && objectKeyOf(kind, key) === `archive/${kindSegment}/${names.join('/')}.json`;
  return made ? { holds: 'item', kind, key, final } : undefined;
}

/** By the beginning of the partition key. Hashed keys have their own: {@link hashedPrefixOf}. */
export function prefixOf(kind: string, pkBegins = ''): string {
  const whole = pkBegins.replace(/[\uD800-\uDBFF]$/, '');
  // A segment of dots only is encoded differently from one that begins with dots.
  return `archive/${encodeSegment(kind)}/${/^\.*$/.test(whole) ? '' : encodeSegment(whole)}`;
}

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

const markSchema = z.object({ at: z.int().check(z.gte(0)) });

/** `restored/<kind>/<PK>/<SK>.json`, encoded like its object key. */
export function restoredKeyOf(kind: string, key: ItemKey): string {
  return objectKeyOf(kind, key).replace('archive/', 'restored/');
}

/** @param at in epoch milliseconds */
export function restoredMark(at: number): string {
  return `${JSON.stringify({ at })}\n`;
}

/** In epoch milliseconds; `now` if the note is unreadable: keeping an item too long costs less than sweeping a wanted one. */
export function restoredAt(mark: string, now: number): number {
  return markSchema.safeParse(jsonOrUndefined(mark)).data?.at ?? now;
}
