import { attribute, type Item, type ItemKey, keyOf, sameKey, text } from './item.ts';
import type { IndexNames, TableNames } from './table-names.ts';

/** A whole partition, or its sort keys with a prefix. */
export interface KeyRange {
  readonly pk: string;
  readonly begins?: string;
}

/** Where copies are: in a partition of the table, in a partition of an index, or at one key. */
export type CopyLocation =
  | { readonly in: 'partition'; readonly pk: string; readonly begins?: string | undefined }
  | {
      readonly in: 'index';
      readonly index: string;
      readonly pk: string;
      readonly begins?: string | undefined;
    }
  | { readonly in: 'key'; readonly pk: string; readonly sk: string };

export function locationText(location: CopyLocation): string {
  return JSON.stringify([
    location.in,
    'index' in location ? location.index : '',
    location.pk,
    'sk' in location ? location.sk : (location.begins ?? ''),
  ]);
}

/** Whether the item is in this location. Its own attributes decide, because an index entry may be out of date. */
export function isInLocation(table: TableNames, item: Item, location: CopyLocation): boolean {
  const key = keyOf(table, item);
  if (key === undefined) return false;
  if (location.in === 'key') return sameKey(key, location);
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

export function indexNamed(table: TableNames, name: string): IndexNames | undefined {
  return Object.values(table.indexes).find((index) => index.name === name);
}

/** The key of a location that is one key. */
export function locationKey(location: Extract<CopyLocation, { in: 'key' }>): ItemKey {
  return { pk: location.pk, sk: location.sk };
}
