import { type IndexNames, keyParts, type TableNames } from '../model/items/table-names.ts';
import { anId, areAlike, dividedInto, shapeOf, withoutId } from './key-words.ts';
import type { Column, PulledKind } from './kinds.ts';

/** Text, or a value of each item, with the id or the attribute that it equals, if any does. */
export type IndexPiece =
  | { readonly text: string }
  | { readonly column: Column; readonly source: string | undefined };

export interface IndexPart {
  readonly attribute: string;
  readonly pieces: readonly IndexPiece[];
  /** The pattern of which the worker can make this key; undefined if a piece follows from nothing. */
  readonly pattern: string | undefined;
}

export interface PulledIndex {
  /** Its name in `src/table.ts`. */
  readonly property: string;
  readonly index: IndexNames;
  readonly pk: readonly IndexPart[];
  readonly sk: readonly IndexPart[];
}

/** The keys of a kind in each index that has some of its items. */
export function pulledIndexes(table: TableNames, kind: PulledKind): readonly PulledIndex[] {
  const keyNames = new Set(Object.values(table.indexes).flatMap((one) => keyParts(one).names));
  const sources = [
    ...kind.ids.map((id) => [id.name, id.column] as const),
    // A pattern names nothing else.
    ...[...kind.columns].filter(([name]) => !keyNames.has(name) && /^\w+$/.test(name)),
  ];
  return Object.entries(table.indexes).flatMap(([property, index]) => {
    const { pk, sk, names } = keyParts(index);
    const columns = names.map((name) => kind.columns.get(name) ?? []);
    const places = [...kind.items.keys()];
    const having = places.filter((at) => columns.every((column) => column[at] !== undefined));
    if (having.length === 0) return [];
    const divided = new Map(names.map((name, part) => [name, pieces(columns[part] ?? [])]));
    const named = [...divided.values()]
      .flat()
      .flatMap((piece) => ('source' in piece ? (piece.source ?? []) : []));
    const lacks = (at: number) =>
      named.some((name) => sources.find(([one]) => one === name)?.[1][at] === undefined);
    // An item without the keys must lack what they are made of.
    const isSparse = places.every((at) => having.includes(at) || lacks(at));
    const isShown = having.length > 1 && isSparse;
    const part = ({ name }: (typeof pk)[number]): IndexPart => {
      const own = divided.get(name) ?? [];
      return { attribute: name, pieces: own, pattern: isShown ? patternOf(own) : undefined };
    };
    return [{ property, index, pk: pk.map(part), sk: sk.map(part) }];

    function pieces(column: Column): readonly IndexPiece[] {
      const divided = piecesOf(having.map((at) => column[at] ?? ''));
      return divided.map((piece, index) => {
        if ('text' in piece) return piece;
        const spread = places.map((at) => piece.column[having.indexOf(at)]);
        const equal = sources.filter(([, values]) => having.every((at) => values[at] === spread[at]));
        const before = divided.slice(0, index).findLast((one) => 'text' in one && /\w/.test(one.text));
        const isMeant = ([name]: (typeof sources)[number]) =>
          before !== undefined && 'text' in before && areAlike(withoutId(name), before.text);
        return { column: spread, source: (equal.find(isMeant) ?? equal[0])?.[0] };
      });
    }
  });
}

/** A key that is an attribute of its own has no pattern. */
function patternOf(pieces: readonly IndexPiece[]): string | undefined {
  const texts = pieces.map((piece) => ('text' in piece ? piece.text : piece.source && `{${piece.source}}`));
  const isText = pieces.length > 1 || pieces.some((piece) => 'text' in piece);
  return isText && !texts.includes(undefined) ? texts.join('') : undefined;
}

type Divided = { readonly text: string } | { readonly column: Column };

/** What is equal on all is text if it is a word; a longer key has its rest in the last piece. */
function piecesOf(values: readonly string[]): readonly Divided[] {
  const shapes = values.map(shapeOf);
  const length = Math.min(...shapes.map((shape) => shape.length));
  const pieces = values.map((value) => dividedInto(length, value));
  return Array.from({ length }, (_, at) => at).flatMap((at): readonly Divided[] => {
    const isRest = (shape: readonly string[]) => at === length - 1 && shape.length > length;
    const found = new Set(shapes.map((shape) => (isRest(shape) ? anId : (shape[at] ?? ''))));
    const [shape = anId] = found;
    if (found.size === 1 && !shape.endsWith(anId)) return shape === '' ? [] : [{ text: shape }];
    const prefix = found.size === 1 ? shape.slice(0, -anId.length) : '';
    const column = pieces.map((piece) => piece[at]?.slice(prefix.length));
    return [...(prefix === '' ? [] : [{ text: prefix }]), { column }];
  });
}
