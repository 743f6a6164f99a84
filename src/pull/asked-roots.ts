import { type ItemKey, type KeyedItem, keyText } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { keyPattern } from '../model/kinds/key-pattern.ts';
import { areAlike, isIdName, withoutId } from './key-words.ts';
import { type Column, type PulledKind, pulledKinds } from './kinds.ts';

/** Copies whose roots are asked for, of each kind, and the most roots in all. */
const maxCopies = 50;
const maxRoots = 2000;

/** Items of which the table is asked whether their roots exist, with the keys that these would have. */
export interface AskedRoots {
  readonly copies: ReadonlySet<KeyedItem>;
  readonly keys: readonly ItemKey[];
}

/** A sample of a large table seldom has an item and its root: what the names of ids and attributes say is asked for. */
export function askedRoots(
  table: TableNames,
  items: readonly KeyedItem[],
  type: string | undefined,
): AskedRoots {
  const kinds = pulledKinds(table, items, type);
  const known = new Set(items.map(({ key }) => keyText(key)));
  const copies = new Set<KeyedItem>();
  const keys = new Map<string, ItemKey>();
  for (const copy of kinds)
    for (const [at, item] of copy.items.slice(0, maxCopies).entries()) {
      copies.add(item);
      for (const root of kinds)
        for (const key of root === copy ? [] : rootKeys(root, copy, at))
          if (!known.has(keyText(key)) && keys.size < maxRoots) keys.set(keyText(key), key);
    }
  return { copies, keys: [...keys.values()] };
}

function rootKeys(root: PulledKind, copy: PulledKind, at: number): readonly ItemKey[] {
  const textOf = (column: Column | undefined) => column?.[at] ?? '';
  const [pk, sk] = [root.pk.pattern, root.sk.pattern].map((pattern) => keyPattern(pattern));
  if (pk === undefined || sk === undefined || root.ids.length === 0) return [];
  const byKey = root.sk.ids.length > 0 || root.pk.begins === '' ? [] : [...copy.columns.values()].map(textOf);
  const whole = byKey
    .filter((value) => pk.parse(value) !== undefined)
    .map((value) => ({ pk: value, sk: sk.pattern }));
  const choices = root.ids.map(({ name }) => {
    const isAlike = (other: string) => [name, root.name].some((one) => areAlike(withoutId(other), one));
    const ofIds = copy.ids.filter((id) => isAlike(id.name)).map(({ column }) => textOf(column));
    const attributes = [...copy.columns].filter(([other]) => isAlike(other) || isIdName(other));
    const values = attributes.map(([, column]) => textOf(column));
    return [...new Set([...ofIds, ...values, ...values.map((value) => value.toLowerCase())])].filter(Boolean);
  });
  const all = choices.reduce<readonly (readonly string[])[]>(
    (before, values) => before.flatMap((chosen) => values.map((value) => [...chosen, value])).slice(0, 8),
    [[]],
  );
  const made = all.flatMap((values) => {
    const ids = Object.fromEntries(root.ids.map(({ name }, index) => [name, values[index] ?? '']));
    try {
      return [{ pk: pk.write(ids), sk: sk.write(ids) }];
    } catch {
      return [];
    }
  });
  return [...whole, ...made];
}
