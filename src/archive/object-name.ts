import type { ItemKey } from '../model/item.ts';
import { encodeSegment, objectKeyOf } from './object.ts';

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
