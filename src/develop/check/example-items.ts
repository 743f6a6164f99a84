import { type Item, type ItemKey, keyAttributes } from '../../model/item.ts';
import { filled, type KeyPattern } from '../../model/key-pattern.ts';
import { type AnyKind, idNames, keyWith, type TextIds } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { poolOf } from '../examples/value-pool.ts';
import { itemOf } from '../testing/plain-values.ts';

/** The numbers of the examples of a kind: each has other ids, and other values of its attributes as far as there are any. */
const exampleNumbers = [0, 1, 2, 3, 4, 5];

/** Ids such as `postA` and `postBB`; undefined if no simple text fits the patterns of the kind's keys. */
export function exampleIds(kind: AnyKind, number: number): TextIds | undefined {
  const seed = String.fromCharCode('A'.charCodeAt(0) + number).repeat(number + 1);
  const texts = [(name: string) => `${name}${seed}`, (name: string) => `${[...name].length}0${number + 1}`];
  return texts
    .map((text) => Object.fromEntries(idNames(kind).map((name) => [name, text(name)])))
    .find((ids) => keyWith(kind, ids) !== undefined);
}

export function exampleKey(kind: AnyKind, number: number): ItemKey | undefined {
  const ids = exampleIds(kind, number);
  return ids && keyWith(kind, ids);
}

/** Lacks an attribute of which no value could be guessed: a function that reads it cannot be tried. */
export function exampleItem(table: TableNames, kind: AnyKind, key: ItemKey, number: number): Item {
  const values = Object.entries(kind.attributes.shape).map(([name, schema]) => {
    const examples = kind.examples.map((example) => example[name]);
    const pool = poolOf(schema, examples);
    return [name, pool[number % pool.length]] as const;
  });
  return {
    ...itemOf(Object.fromEntries(values)),
    ...(kind.type !== undefined && { [table.type]: { S: kind.type } }),
    ...keyAttributes(table, key),
  };
}

export function exampleItems(table: TableNames, kind: AnyKind): readonly Item[] {
  return exampleNumbers.flatMap((number) => {
    const key = exampleKey(kind, number);
    return key === undefined ? [] : [exampleItem(table, kind, key, number)];
  });
}

/** A key part that begins with this text, its open ids filled in; undefined if none of the pattern does. */
export function completed(pattern: KeyPattern, begins: string, ids: TextIds): string | undefined {
  if (pattern.numeric !== undefined) return begins === '' ? ids[pattern.names[0] ?? ''] : undefined;
  const whole = filled(pattern, (name) => ids[name] ?? 'x');
  const letters = [...whole.split('').keys()];
  // What follows the text is the end of such a key part, likely from where the two differ.
  const differ = letters.find((index) => whole[index] !== begins[index]) ?? whole.length;
  return [differ, ...letters]
    .map((from) => begins + whole.slice(from))
    .find((text) => pattern.parse(text) !== undefined);
}
