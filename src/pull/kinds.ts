import { attribute, type KeyedItem } from '../model/items/item.ts';
import { type KeyPart, keyParts, type TableNames } from '../model/items/table-names.ts';
import { keyPattern } from '../model/kinds/key-pattern.ts';
import { type Cluster, clustersOf, piecesBy } from './clusters.ts';
import {
  anId,
  areAlike,
  camelCase,
  isIdName,
  pascalCase,
  reservedWords,
  uniqueName,
  withoutId,
} from './key-words.ts';

/** A value for each item of a kind, as text. */
export type Column = readonly (string | undefined)[];

export interface PulledId {
  readonly name: string;
  readonly column: Column;
}

export interface PulledPart {
  readonly pattern: string;
  /** What each key begins with. */
  readonly begins: string;
  readonly ids: readonly PulledId[];
  readonly isNumeric: boolean;
}

/** A kind of which some items were seen. */
export interface PulledKind {
  readonly name: string;
  readonly variable: string;
  readonly type: string | undefined;
  readonly items: readonly KeyedItem[];
  readonly pk: PulledPart;
  readonly sk: PulledPart;
  readonly ids: readonly PulledId[];
  /** Attributes that are text, or numbers, on all items that have them; without the table's keys, type and TTL. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Those of them that are numbers. */
  readonly numbers: ReadonlySet<string>;
  /** Attributes that equal an id. */
  readonly ofIds: ReadonlySet<string>;
  /** What a reader must know of its keys. */
  readonly notes: readonly string[];
}

/** By the names of kinds, better names for their ids. */
export type IdNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What is found about a kind while its parts are read. */
interface Finds {
  readonly names: Set<string>;
  readonly ofIds: Set<string>;
  readonly notes: string[];
}

export function pulledKinds(
  table: TableNames,
  items: readonly KeyedItem[],
  type: string | undefined,
  idNames: IdNames = new Map(),
): readonly PulledKind[] {
  const clusters = clustersOf(table, items, type);
  const names = kindNames(clusters);
  // What the written files call something else.
  const variables = new Set([
    'table',
    'z',
    'ids',
    'defineKind',
    'defineRule',
    'defineConfig',
    ...reservedWords,
  ]);
  return clusters.map((cluster, at) => {
    const name = names[at] ?? '';
    const columns = columnsOf(table, cluster, type);
    const finds: Finds = { names: new Set(), ofIds: new Set(), notes: [] };
    const [ofPk, ofSk] = keyParts(table).all;
    const input = { cluster, kind: name, columns, idNames: idNames.get(name) };
    const pk = partOf({ ...input, part: 'pk', of: ofPk, before: [] }, finds);
    const sk = partOf({ ...input, part: 'sk', of: ofSk, before: pk.ids }, finds);
    const { ofIds } = finds;
    const notes = [...new Set(finds.notes)];
    const ids = [...new Map([...pk.ids, ...sk.ids].map((id) => [id.name, id])).values()];
    const variable = uniqueName(camelCase(name), variables);
    const numbers = new Set([...columns.keys()].filter((one) => isNumber(cluster.items, one)));
    const about = { name, variable, type: cluster.type, items: cluster.items };
    return { ...about, pk, sk, ids, columns, numbers, ofIds, notes };
  });
}

/** By their types or, without one, by the words of their keys: first the words that say most. */
function kindNames(clusters: readonly Cluster[]): readonly string[] {
  const all = clusters.map(nameCandidates);
  const taken = new Set<string>();
  const names = new Map<number, string>();
  for (const at of [...all.keys()].toSorted((a, b) => Number(!all[a]?.[0]) - Number(!all[b]?.[0]))) {
    const usable = (all[at] ?? []).map((one) => pascalCase(one ?? '')).filter((name) => name !== '');
    const free = usable.find((name) => !taken.has(name));
    names.set(at, uniqueName(free ?? usable.at(-1) ?? 'Item', taken));
  }
  return clusters.map((_, at) => names.get(at) ?? '');
}

function nameCandidates({ type, pk, sk }: Cluster): readonly (string | undefined)[] {
  if (type !== undefined) return [type];
  const words = (shape: readonly string[]) =>
    shape.flatMap((piece, index) => {
      const word = /[A-Za-z]+(_[A-Za-z]+)*/.exec(piece)?.[0];
      const isLabel = piece.endsWith(anId) || shape[index + 2]?.endsWith(anId) === true;
      return word === undefined ? [] : [{ word, isLabel }];
    });
  const [ofPk, ofSk] = [words(pk), words(sk)];
  // `acct_1#incident`: the word at the end says what it is.
  const end = pk.length > 1 && !pk.at(-1)?.endsWith(anId) ? ofPk.at(-1)?.word : undefined;
  const label = ofSk.findLast(({ isLabel }) => isLabel)?.word;
  const last = ofPk.at(-1)?.word;
  const both = [last, ofSk.at(-1)?.word].filter((word) => word !== undefined).join('_');
  return [end ?? label, last, both];
}

function columnsOf(
  table: TableNames,
  { items }: Cluster,
  type: string | undefined,
): ReadonlyMap<string, Column> {
  // No schema can have the last two.
  const left = new Set([...keyParts(table).names, table.ttl, type, 'ids', '__proto__']);
  const names = [...new Set(items.flatMap(({ item }) => Object.keys(item)))].filter(
    (name) => !left.has(name),
  );
  return new Map(
    names.toSorted().flatMap((name) => {
      const values = items.map(({ item }) => attribute(item, name));
      const [some] = values.filter((value) => value !== undefined);
      const isText = some !== undefined && 'S' in some;
      const column = values.map((value) => {
        if (value === undefined) return undefined;
        if ('S' in value && isText) return value.S;
        return 'N' in value && !isText ? value.N : null;
      });
      const known = column.filter((value) => value !== null);
      return known.length === column.length ? [[name, known] as const] : [];
    }),
  );
}

function isNumber(items: readonly KeyedItem[], name: string): boolean {
  return items.some(({ item }) => 'N' in (attribute(item, name) ?? {}));
}

interface PartInput {
  readonly cluster: Cluster;
  readonly part: 'pk' | 'sk';
  readonly of: KeyPart | undefined;
  readonly kind: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly idNames: ReadonlyMap<string, string> | undefined;
  /** Ids of the other part: one that is equal has the same name. */
  readonly before: readonly PulledId[];
}

function partOf(input: PartInput, finds: Finds): PulledPart {
  const { cluster, part, of } = input;
  const values = cluster.items.map(({ key }) => key[part]);
  if (of === undefined) return { pattern: '', begins: '', ids: [], isNumeric: false };
  if (of.type === 'N') return numericPart(input, of, values, finds);
  const whole = { ...input, cluster: { ...cluster, [part]: [anId] } };
  return textPart(input, values, finds) ?? textPart(whole, values, finds) ?? unnamedPart(values, finds);
}

/** Undefined if these pieces are no pattern of which each key can be made. */
function textPart(input: PartInput, values: readonly string[], finds: Finds): PulledPart | undefined {
  const shape = input.cluster[input.part];
  const divided = values.map((value) => piecesBy(shape, value));
  const tried: Finds = { names: new Set(finds.names), ofIds: new Set(), notes: [] };
  const ids: PulledId[] = [];
  const texts = shape.map((piece, index) => {
    if (!piece.endsWith(anId)) return piece;
    const prefix = piece.slice(0, -anId.length);
    const column = divided.map((pieces) => pieces?.[index]?.slice(prefix.length));
    const before = shape[index - 2];
    const word = prefix === '' ? (before?.endsWith(anId) ? undefined : before) : prefix;
    const name = idName(input, { column, prefix, word }, tried);
    ids.push({ name, column });
    return `${prefix}{${name}}`;
  });
  const pattern = texts.join('');
  if (divided.includes(undefined) || !isReadBy(pattern, values, ids)) return undefined;
  keep(tried, finds);
  const [begins = ''] = pattern.split('{');
  return { pattern, begins, ids, isNumeric: false };
}

function unnamedPart(values: readonly string[], { names }: Finds): PulledPart {
  const name = uniqueName('key', names);
  return { pattern: `{${name}}`, begins: '', ids: [{ name, column: values }], isNumeric: false };
}

function numericPart(
  input: PartInput,
  { name }: KeyPart,
  values: readonly string[],
  finds: Finds,
): PulledPart {
  const isZero = values.every((value) => value === '0');
  if (isZero) return { pattern: '0', begins: '', ids: [], isNumeric: true };
  const id = idName(input, { column: values, prefix: '', word: name }, finds);
  const form = values.every((value) => value.includes('.') || Number.isSafeInteger(Number(value)));
  return {
    ...{ pattern: `{${id}:${form ? 'number' : 'bigint'}}`, begins: '', isNumeric: true },
    ids: [{ name: id, column: values }],
  };
}

function keep(tried: Finds, finds: Finds): void {
  for (const name of tried.names) finds.names.add(name);
  for (const name of tried.ofIds) finds.ofIds.add(name);
  finds.notes.push(...tried.notes);
}

function isReadBy(pattern: string, values: readonly string[], ids: readonly PulledId[]): boolean {
  if (/[{}]/.test(pattern.replace(/\{\w+\}/g, ''))) return false;
  const read = keyPattern(pattern);
  return values.every((value, index) => {
    const found = read.parse(value);
    return found !== undefined && ids.every(({ name, column }) => found[name] === column[index]);
  });
}

interface Unnamed {
  readonly column: Column;
  readonly prefix: string;
  /** The text before it. */
  readonly word: string | undefined;
}

/** An id is called after the attribute that equals it or, without one, after the word before it. */
function idName(input: PartInput, { column, prefix, word }: Unnamed, finds: Finds): string {
  const { columns, kind, part, before } = input;
  const isVarying = new Set(column).size > 1;
  const same = before.find((id) => new Set(column).size > 2 && areEqual(id.column, column));
  if (same !== undefined) return same.name;
  const label = word === undefined ? undefined : labelOf(word);
  const named = [...columns].filter(([name, one]) => isNamedLike(name, one, column, prefix, label));
  for (const [name] of named) finds.ofIds.add(name);
  const inLowerCase =
    named.length > 0
      ? []
      : [...columns].filter(([name, one]) => {
          const lower = one.map((value) => value?.toLowerCase());
          return isVarying && areEqual(lower, column) && isNamedLike(name, lower, column, prefix, label);
        });
  for (const [name] of inLowerCase) finds.ofIds.add(name);
  if (inLowerCase[0] !== undefined)
    finds.notes.push(`Ids in ${part} are in lower case: \`${inLowerCase[0][0]}\` is not.`);
  const [best] = [...named, ...inLowerCase]
    .map(([name]) => name)
    .filter((name) => isIdName(name) || (label !== undefined && areAlike(name, label)))
    .toSorted((one, other) => Number(isIdName(other)) - Number(isIdName(one)) || one.length - other.length);
  const ofAttribute = best === undefined ? '' : camelCase(withoutId(best));
  const usable = [
    ofAttribute === 'id' ? '' : ofAttribute,
    label ?? '',
    named[0] ? camelCase(named[0][0]) : '',
  ];
  const chosen = usable.find((one) => one !== '');
  if (chosen === undefined) finds.notes.push(`Nothing names the id of ${part}: give it a name.`);
  const name = chosen ?? (part === 'sk' ? camelCase(kind) : 'pk');
  return uniqueName(input.idNames?.get(name) ?? name, finds.names);
}

/** `ORDER`, `acct_` and ElectroDB's `authorid_` as names. */
function labelOf(word: string): string | undefined {
  const name = camelCase(word.replace(/^\$/, '').replace(/(?<=[a-z]{2})id_$/, ''));
  return name === '' ? undefined : name;
}

/** Of a value that few items have, an equal one may be a coincidence, unless its name says more. */
function isNamedLike(
  name: string,
  values: Column,
  column: Column,
  prefix: string,
  label: string | undefined,
): boolean {
  const isEqual =
    areEqual(values, column) ||
    areEqual(
      values,
      column.map((value) => `${prefix}${value}`),
    );
  if (!isEqual) return false;
  const distinct = new Set(column).size;
  const isAlike = label !== undefined && areAlike(withoutId(name), label);
  return isAlike || distinct > 2 || (distinct > 1 && isIdName(name));
}

export function areEqual(one: Column, other: Column): boolean {
  return one.every((value, index) => value !== undefined && value === other[index]);
}
