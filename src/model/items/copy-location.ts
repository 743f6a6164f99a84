import type * as z from 'zod/mini';
import type { copyLocationSchema } from './copy-location-schema.ts';
import { compareDecimals } from './decimal.ts';
import {
  attribute,
  type Item,
  type ItemKey,
  isLegalPart,
  keyOf,
  keyText,
  partText,
  sameKey,
} from './item.ts';
import { byBytes } from './key-order.ts';
import { type IndexNames, type KeyNames, type KeyPart, keyParts, type TableNames } from './table-names.ts';

export type CopyLocation = Readonly<z.output<typeof copyLocationSchema>>;

export type QueriedLocation = Extract<CopyLocation, { in: 'partition' | 'index' }>;

export type QueriedRange = Omit<Extract<CopyLocation, { in: 'partition' }>, 'in'>;

export function locationText(location: CopyLocation): string {
  if (location.in === 'keys') return JSON.stringify([location.in, ...location.keys.map(keyText)]);
  if (location.in === 'key') return JSON.stringify([location.in, keyText(location)]);
  const { pk, sk = [], begins = '', from, to, backwards } = location;
  const index = 'index' in location ? location.index : '';
  const end = backwards ? ['backwards'] : [];
  return JSON.stringify([location.in, index, pk, sk, begins, from, to, ...end]);
}

/** Its own attributes decide, because an index entry may be out of date. */
export function isInLocation(table: TableNames, item: Item, location: CopyLocation): boolean {
  const key = keyOf(table, item);
  if (key === undefined) return false;
  if (isListed(location)) return lists(location, key);
  const keys = location.in === 'partition' ? table : indexNamed(table, location.index);
  return keys !== undefined && isInRange(keys, item, location);
}

/** An item that lacks a key attribute of an index is not in it. */
export function isInRange(keys: KeyNames, item: Item, range: QueriedRange): boolean {
  const equal = equalTexts(range);
  return keyParts(keys).all.every((part, index) => {
    const text = partText(part, attribute(item, part.name));
    if (text === undefined) return false;
    if (index < equal.length) return text === equal[index];
    return index > equal.length || isBetween(part, text, range);
  });
}

/** The texts that the first key attributes are equal to. */
function equalTexts({ pk, sk = [] }: QueriedRange): readonly string[] {
  return typeof pk === 'string' ? [pk, ...sk] : [...pk, ...sk];
}

/** What a query asks of the key attributes: the first ones are equal to a text, and the next one may be within limits. */
export function conditionsOf(
  keys: KeyNames,
  range: QueriedRange,
): { readonly equal: readonly { readonly part: KeyPart; readonly text: string }[]; readonly next?: KeyPart } {
  const { all } = keyParts(keys);
  const { begins = '', from, to } = range;
  const texts = equalTexts(range);
  const equal = texts.flatMap((text, index) => {
    const part = all[index];
    return part === undefined ? [] : [{ part, text }];
  });
  const next = all[texts.length];
  const isLimited = begins !== '' || from !== undefined || to !== undefined;
  return { equal, ...(isLimited && next !== undefined && { next }) };
}

function isBetween(part: KeyPart, text: string, { begins = '', from, to }: QueriedRange): boolean {
  if (!text.startsWith(begins)) return false;
  return (
    (from === undefined || compareParts(part, text, from) >= 0) &&
    (to === undefined || compareParts(part, text, to) <= 0)
  );
}

/** In the order of the table or the index: below 0 if the first comes first. */
export function compareParts({ type }: KeyPart, one: string, other: string): number {
  return type === 'S' ? byBytes(one, other) : compareDecimals(one, other);
}

/**
 * The order in which a location is read, by the items' own keys: they may be ahead of an index, which besides has an order of its
 * own for equal sort keys. Below 0 if the first item comes first.
 */
export function ordersOf(table: TableNames, location: QueriedLocation) {
  const keys = location.in === 'partition' ? table : indexNamed(table, location.index);
  const { sk } = keys === undefined ? { sk: [] } : keyParts(keys);
  const order = (parts: readonly KeyPart[]) => (one: Item, other: Item) => {
    const textsOf = (part: KeyPart) =>
      [one, other].map((item) => partText(part, attribute(item, part.name)) ?? '');
    const compared = parts.reduce((before, part) => {
      const [a = '', b = ''] = textsOf(part);
      return before || compareParts(part, a, b);
    }, 0);
    return location.backwards ? -compared : compared;
  };
  return { bySortKey: order(sk), byAllKeys: order([...sk, ...keyParts(table).all]) };
}

/** Whether DynamoDB accepts the texts of this range. */
export function isLegalRange(keys: KeyNames, range: QueriedRange): boolean {
  const { equal, next } = conditionsOf(keys, range);
  const { begins = '', from, to } = range;
  const limits = [from, to, ...(begins === '' ? [] : [begins])].filter((text) => text !== undefined);
  return (
    equal.length >= keyParts(keys).pk.length &&
    equal.every(({ part, text }) => isLegalPart(part, text)) &&
    limits.every((text) => isLegalPart(next, text))
  );
}

/** Whether it ends before it begins: no item is in such a range. */
export function isReversed(keys: KeyNames, range: QueriedRange): boolean {
  const { next } = conditionsOf(keys, range);
  const { from, to } = range;
  return next !== undefined && from !== undefined && to !== undefined && compareParts(next, from, to) > 0;
}

export function lists(location: CopyLocation, key: ItemKey): boolean {
  return isListed(location) && listedKeys(location).some((one) => sameKey(one, key));
}

export function indexNamed(table: TableNames, name: string): IndexNames | undefined {
  return Object.values(table.indexes).find((index) => index.name === name);
}

export type ListedLocation = Extract<CopyLocation, { in: 'key' | 'keys' }>;

export function isListed(location: CopyLocation): location is ListedLocation {
  return location.in === 'key' || location.in === 'keys';
}

/** Each location once, at its last position. */
export function distinctLocations(locations: readonly CopyLocation[]): CopyLocation[] {
  const latest = new Map<string, CopyLocation>();
  for (const location of locations) {
    latest.delete(locationText(location));
    latest.set(locationText(location), location);
  }
  return [...latest.values()];
}

export function listedKeys(location: ListedLocation): readonly ItemKey[] {
  return location.in === 'keys' ? location.keys : [{ pk: location.pk, sk: location.sk }];
}

/** Each key once, always in the same order, so that two lists of the same keys are equal. */
export function distinctKeys(keys: readonly ItemKey[]): readonly ItemKey[] {
  const byText = new Map(keys.map(({ pk, sk }) => [keyText({ pk, sk }), { pk, sk }]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}
