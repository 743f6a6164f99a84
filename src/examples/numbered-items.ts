import type { Item, ItemKey } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { type BoundKind, keyWith, numericId, type TextIds } from '../model/kinds/kind.ts';
import { idsWith, itemWith, nth, poolsOf } from './kind-values.ts';

/** The numbers of the examples of a kind: each has other ids, and other values of its attributes as far as there are any. */
const exampleNumbers = [0, 1, 2, 3, 4, 5];

/** Ids such as `postA` and `postBB`; undefined if no simple text fits the patterns of the kind's keys. */
export function exampleIds(kind: BoundKind, number: number): TextIds | undefined {
  const seed = String.fromCharCode('A'.charCodeAt(0) + number).repeat(number + 1);
  const texts = [(name: string) => `${name}${seed}`, (name: string) => `${[...name].length}0${number + 1}`];
  return texts.map((text) => idsWith(kind, text)).find((ids) => keyWith(kind, ids) !== undefined);
}

export function exampleKey(kind: BoundKind, number: number): ItemKey | undefined {
  const ids = exampleIds(kind, number);
  return ids && keyWith(kind, ids);
}

/** Lacks an attribute of which no value could be guessed: a function that reads it cannot be tried. */
export function exampleItem(table: TableNames, kind: BoundKind, key: ItemKey, number: number): Item {
  return itemWith(table, { kind, pools: poolsOf(kind) }, key, nth(number));
}

export function exampleItems(table: TableNames, kind: BoundKind): readonly Item[] {
  const values = { kind, pools: poolsOf(kind) };
  return exampleNumbers.flatMap((number) => {
    const key = exampleKey(kind, number);
    return key === undefined ? [] : [itemWith(table, values, key, nth(number))];
  });
}

export function numberedIds(kind: BoundKind, index: number, mark: string): TextIds {
  return idsWith(kind, (name) => numbered(index, numericId(kind, name) === undefined ? mark : ''));
}

/** Of one length, so that all items of a kind are of one size. */
export function numbered(index: number, mark: string): string {
  return `${mark}${100_000 + index}`;
}
