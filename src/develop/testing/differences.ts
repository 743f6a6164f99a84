import type { Item } from '../../model/item.ts';
import { keyAsJson, keyOf } from '../../model/item.ts';
import { isKeyName, type TableNames } from '../../model/table-names.ts';
import { shown } from './plain-values.ts';
import { sameValue } from './table-model/same-value.ts';

/** One sentence for each attribute that differs: `title is "a" instead of "b"`. */
export function differences(table: TableNames, expected: Item, found: Item): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return names
    .filter((name) => !isKeyName(table, name) && !sameValue(expected[name], found[name]))
    .map((name) => `${name} is ${shown(found[name])} instead of ${shown(expected[name])}`);
}

export function itemDifferences(
  table: TableNames,
  expected: readonly Item[],
  found: readonly Item[],
): string[] {
  const byKey = new Map(found.map((item) => [keyJson(table, item), item]));
  const missing = expected.flatMap((item) => {
    const key = keyJson(table, item);
    const there = byKey.get(key);
    if (there === undefined) return [`${key} is gone`];
    return differences(table, item, there).map((difference) => `of ${key}, ${difference}`);
  });
  const keys = new Set(expected.map((item) => keyJson(table, item)));
  const extra = found.map((item) => keyJson(table, item)).filter((key) => !keys.has(key));
  return [...missing, ...extra.map((key) => `${key} is there`)];
}

export function keyJson(table: TableNames, item: Item): string {
  return keyAsJson(table, keyOf(table, item) ?? { pk: '', sk: '' });
}

/** ` and the <attribute> "…"`, if the item has it. */
export function named(item: Item, attribute: string): string {
  return item[attribute] === undefined ? '' : ` and the ${attribute} ${shown(item[attribute])}`;
}
