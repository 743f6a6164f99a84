import { attribute, type Item, type ItemKey, keyOf, sameKey, text } from './item.ts';
import type { IndexNames, TableNames } from './table-names.ts';

/** A stretch of a partition: all of it, or the sort keys that begin so. */
export interface Stretch {
  readonly pk: string;
  readonly begins?: string;
}

/** Where copies are looked for: a partition of the table, a partition of an index, or one key. Pure data. */
export type Place =
  | { readonly in: 'partition'; readonly pk: string; readonly begins?: string | undefined }
  | {
      readonly in: 'index';
      readonly index: string;
      readonly pk: string;
      readonly begins?: string | undefined;
    }
  | { readonly in: 'key'; readonly pk: string; readonly sk: string };

export function placeText(place: Place): string {
  return JSON.stringify([
    place.in,
    'index' in place ? place.index : '',
    place.pk,
    'sk' in place ? place.sk : (place.begins ?? ''),
  ]);
}

export function samePlace(a: Place | undefined, b: Place | undefined): boolean {
  return a !== undefined && b !== undefined && placeText(a) === placeText(b);
}

/** Whether the item stands in this place, by its own attributes: an index entry may be out of date. */
export function standsIn(table: TableNames, item: Item, place: Place): boolean {
  const key = keyOf(table, item);
  if (key === undefined) return false;
  if (place.in === 'key') return sameKey(key, place);
  if (place.in === 'partition') return key.pk === place.pk && key.sk.startsWith(place.begins ?? '');
  const index = indexNamed(table, place.index);
  if (index === undefined) return false;
  const sk = text(attribute(item, index.sk));
  return (
    text(attribute(item, index.pk)) === place.pk && sk !== undefined && sk.startsWith(place.begins ?? '')
  );
}

export function indexNamed(table: TableNames, name: string): IndexNames | undefined {
  return Object.values(table.indexes).find((index) => index.name === name);
}

/** The key of the one item in a key place. */
export function placeKey(place: Extract<Place, { in: 'key' }>): ItemKey {
  return { pk: place.pk, sk: place.sk };
}
