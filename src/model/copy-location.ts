import * as z from 'zod';
import { attribute, type Item, type ItemKey, itemKeySchema, keyOf, keyText, sameKey, text } from './item.ts';
import type { IndexNames, TableNames } from './table-names.ts';

/** A whole partition, or its sort keys with a prefix. */
export interface KeyRange {
  readonly pk: string;
  readonly begins?: string;
}

export const copyLocationSchema = z.discriminatedUnion('in', [
  z.object({ in: z.literal('partition'), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('index'), index: z.string(), pk: z.string(), begins: z.string().optional() }),
  z.object({ in: z.literal('key'), pk: z.string(), sk: z.string() }),
  /** In the order of {@link distinctKeys}. */
  z.object({ in: z.literal('keys'), keys: z.array(itemKeySchema).readonly() }),
]);

export type CopyLocation = Readonly<z.output<typeof copyLocationSchema>>;

export type QueriedLocation = Extract<CopyLocation, { in: 'partition' | 'index' }>;

export function locationText(location: CopyLocation): string {
  if (location.in === 'keys') return JSON.stringify([location.in, ...location.keys.map(keyText)]);
  return JSON.stringify([
    location.in,
    'index' in location ? location.index : '',
    location.pk,
    'sk' in location ? location.sk : (location.begins ?? ''),
  ]);
}

/** Its own attributes decide, because an index entry may be out of date. */
export function isInLocation(table: TableNames, item: Item, location: CopyLocation): boolean {
  const key = keyOf(table, item);
  if (key === undefined) return false;
  if (location.in === 'key') return sameKey(key, location);
  if (location.in === 'keys') return location.keys.some((one) => sameKey(key, one));
  if (location.in === 'partition') return key.pk === location.pk && key.sk.startsWith(location.begins ?? '');
  const index = indexNamed(table, location.index);
  if (index === undefined) return false;
  const sk = text(attribute(item, index.sk));
  return (
    text(attribute(item, index.pk)) === location.pk &&
    sk !== undefined &&
    sk.startsWith(location.begins ?? '')
  );
}

export function lists(location: CopyLocation, key: ItemKey): boolean {
  return isListed(location) && listedKeys(location).some((one) => sameKey(one, key));
}

export function indexNamed(table: TableNames, name: string): IndexNames | undefined {
  return Object.values(table.indexes).find((index) => index.name === name);
}

type ListedLocation = Extract<CopyLocation, { in: 'key' | 'keys' }>;

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
