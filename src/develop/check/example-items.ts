import { type Item, type ItemKey, keyAttributes } from '../../model/item.ts';
import type { KeyPattern } from '../../model/key-pattern.ts';
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
export function completed(
  { pattern, numeric, ids: names }: KeyPattern,
  begins: string,
  ids: TextIds,
): string | undefined {
  if (numeric !== undefined) return begins === '' ? ids[names[0] ?? ''] : undefined;
  // As in keyPattern: literals, with the names of ids between them.
  const pieces = pattern.split(/\{(\w+)\}/);
  let rest = begins;
  for (const [index, piece] of pieces.entries()) {
    const after = () => written(pieces.slice(index + 1), index + 1, ids);
    if (index % 2 === 0) {
      if (piece.startsWith(rest)) return begins + piece.slice(rest.length) + after();
      if (!rest.startsWith(piece)) return undefined;
      rest = rest.slice(piece.length);
      continue;
    }
    const [stop] = pieces[index + 1] ?? '';
    const end = stop === undefined ? -1 : rest.indexOf(stop);
    if (end === 0) return undefined;
    if (end < 0) return begins + (rest === '' ? (ids[piece] ?? '') : '') + after();
    rest = rest.slice(end);
  }
  return undefined;
}

function written(pieces: readonly string[], from: number, ids: TextIds): string {
  return pieces.map((piece, index) => ((from + index) % 2 === 0 ? piece : (ids[piece] ?? ''))).join('');
}
