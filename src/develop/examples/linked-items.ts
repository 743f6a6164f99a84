import type { Aggregate } from '../../model/aggregate.ts';
import { wholeNumber } from '../../model/attribute-value.ts';
import { isInRange, isReversed, type QueriedRange } from '../../model/copy-location.ts';
import { plainNumber } from '../../model/decimal.ts';
import { type KeyRange, keyGiven, rangeGiven } from '../../model/given-keys.ts';
import { type Item, type ItemKey, keyAttributes, keyIn } from '../../model/item.ts';
import { type AnyKind, idNames, keyWith, numericId } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import { type IndexNames, isKeyName, type TableNames } from '../../model/table-names.ts';
import { viewOf } from '../../model/view.ts';
import { attempt, namesRoot, relationOf, rootView } from '../testing/simulation/oracle/relation.ts';
import { totalsOf } from '../testing/simulation/oracle/totals.ts';
import { entryIn } from './index-entry.ts';
import { combinations, idPool, idsFor, type KindValues } from './kind-values.ts';
import { accepts } from './value-pool.ts';

/** How items name another one that looks for them: copies their root, members their target. */
export interface Link {
  readonly table: TableNames;
  readonly name: string;
  readonly root: AnyKind;
  readonly item: AnyKind;
  /** Attributes by which an item may name its root. */
  readonly reads: readonly string[];
  /** Where a root looks for its items; nowhere if it cannot say. */
  placesOf(root: Item): readonly Place[];
  /** Whether the item names this root, which finds it. */
  leads(item: Item, root: Item): boolean;
  /** How most of its items name their root: this is tried first. */
  readonly usual?: Sources;
}

/** A key, a stretch of a partition of the table or of an index, or for members of a ledger any place. */
type Place =
  | { readonly key: ItemKey }
  | { readonly anywhere: true }
  | { readonly range: QueriedRange; readonly index: IndexNames | undefined };

/** The link of a rule; undefined if its root is its own copy. */
export function linkOfRule(table: TableNames, rule: Rule): Link | undefined {
  const { located } = rule;
  if (located.in === 'itself') return undefined;
  const relation = relationOf(table, rule);
  return {
    ...{ table, name: rule.name, root: rule.root, item: rule.copy, reads: rule.reads.copy },
    placesOf: orNone((root) => {
      const view = rootView(table, rule, root);
      if (located.in === 'key') return [{ key: keyGiven(table, located.at(view)) }];
      if (located.in === 'keys') return located.at(view).map((key) => ({ key: keyGiven(table, key) }));
      return placesIn(table, located, located.at(view));
    }),
    leads(item, root) {
      if (!namesRoot(relation, item, keyIn(table, root))) return false;
      return relation.locations(root, item) === true || relation.excludes(root, item);
    },
  };
}

export function linkOfAggregate(table: TableNames, aggregate: Aggregate): Link {
  const { name, on, of, reads } = aggregate;
  const { isMember } = totalsOf(table, aggregate);
  return {
    ...{ table, name, root: on, item: of, reads: reads.member },
    placesOf: orNone((target) => {
      if (aggregate.ledger !== undefined) return [{ anywhere: true }];
      const view = viewOf(table, on, target, { rule: name, role: 'target', reads: reads.target });
      return aggregate.members.flatMap((location) => placesIn(table, location, location.at(view)));
    }),
    leads: (item, target) => attempt(() => isMember(target, item)) === true,
  };
}

function placesIn(
  table: TableNames,
  location: { readonly in: 'partition' } | { readonly in: 'index'; readonly index: IndexNames },
  given: KeyRange,
): Place[] {
  const index = location.in === 'index' ? location.index : undefined;
  const range = rangeGiven(index ?? table, given);
  return isReversed(index ?? table, range) ? [] : [{ range, index }];
}

function orNone(placesOf: (root: Item) => readonly Place[]): Link['placesOf'] {
  return (root) => attempt(() => placesOf(root)) ?? [];
}

/** For each id and attribute of an item, where its text comes from: an id, a key part or a text of the root, or itself. */
export type Sources = Readonly<Record<string, string>>;

type Texts = Readonly<Record<string, string | undefined>>;

const most = 500;

/** @param own texts that tell the items of one root apart. @returns undefined if no item was found that leads to the root */
export function linkedItem(
  link: Link,
  root: Item,
  rest: Item,
  own: readonly string[],
): { readonly item: Item; readonly sources: Sources } | undefined {
  const places = link.placesOf(root);
  const start = [...(own[0] ?? '')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % places.length;
  const texts: Texts = { ...textsOf(link, root), 'own 0': own[0], 'own 1': own[1] };
  const usual = link.usual === undefined ? [] : [link.usual];
  for (const place of [...places.slice(start), ...places.slice(0, start)]) {
    let tries = 0;
    for (const some of [usual, sourcesFor(link, place, texts)])
      for (const sources of some) {
        const item = itemAt(link, place, rest, (name) => texts[sources[name] ?? '']);
        if (item !== undefined && link.leads(item, root)) return { item, sources };
        tries += 1;
        if (tries > most) break;
      }
  }
  return undefined;
}

export function itemNear(link: Link, root: Item, rest: Item): Item | undefined {
  const [place] = link.placesOf(root);
  return (
    place &&
    itemAt(link, place, rest, (name) =>
      name.startsWith('id ') ? idsFor(link.item, name.slice('id '.length))[0] : undefined,
    )
  );
}

function textsOf({ table, root: kind }: Link, root: Item): Texts {
  const key = keyIn(table, root);
  const ids = Object.entries(kind.idsOf(key) ?? {}).map(([name, id]) => [`id ${name}`, id]);
  const attributes = Object.entries(root)
    .filter(([name]) => !isKeyName(table, name) && name !== table.type)
    .map(([name, value]) => [`attribute ${name}`, plainText(value)]);
  return { ...Object.fromEntries([...ids, ...attributes]), ...key };
}

/** The ways to fill the ids that the place leaves open and the attributes that are read, the likeliest first. */
function sourcesFor({ item, reads }: Link, place: Place, texts: Texts): Iterable<Sources> {
  const named = Object.keys(texts).filter((source) => !source.startsWith('own'));
  const fixed = 'key' in place ? idNames(item) : isInPartition(place) ? item.pkPattern.names : [];
  const ids = idNames(item)
    .filter((name) => !fixed.includes(name))
    .map((name): [string, string[]] => {
      const [alike, others] = byLikeness(named, name);
      return [`id ${name}`, alike.length > 0 ? [...alike, 'own 0', ...others] : ['own 0', ...others]];
    });
  const attributes = reads.map((name): [string, string[]] => {
    const [alike, others] = byLikeness(named, name);
    const all = alike.length > 0 ? ['own 1', ...alike, 'kept', ...others] : ['kept', ...others, 'own 1'];
    return [
      name,
      all.filter((source) => source === 'kept' || naming(item, name, texts[source]) !== undefined),
    ];
  });
  return combinations([...ids, ...attributes]);
}

/** Ids of a like name: `author` for `author`, `authorId` or `post_author`; and everything else. */
function byLikeness(sources: readonly string[], name: string): [alike: string[], others: string[]] {
  const isAlike = (source: string) =>
    source.startsWith('id ') && name.toLowerCase().includes(source.slice('id '.length).toLowerCase());
  return [sources.filter(isAlike), sources.filter((source) => !isAlike(source))];
}

function itemAt(
  { table, item: kind, reads }: Link,
  place: Place,
  rest: Item,
  textFor: (name: string) => string | undefined,
): Item | undefined {
  const key = keyAt(kind, place, textFor, table);
  if (key === undefined) return undefined;
  const item: Record<string, Item[string]> = {
    ...rest,
    ...keyAttributes(table, key),
  };
  if (kind.type !== undefined) item[table.type] = { S: kind.type };
  for (const name of reads) {
    const value = naming(kind, name, textFor(name));
    if (value !== undefined) item[name] = value;
  }
  if ('range' in place && place.index !== undefined)
    Object.assign(item, entryIn(place.index, place.range, key.sk === '' ? key.pk : key.sk));
  return item;
}

/** Undefined if it is neither text nor a number. */
function plainText(value: Item[string]): string | undefined {
  if ('S' in value) return value.S;
  return 'N' in value ? plainNumber(value.N) : undefined;
}

/** The text as a value of the attribute: itself or, for an attribute that names several items, a list of it. */
function naming(kind: AnyKind, name: string, value: string | undefined): Item[string] | undefined {
  const schema = kind.attributes.shape[name];
  if (schema === undefined || value === undefined) return undefined;
  if (accepts(schema, value)) return { S: value };
  if (plainNumber(value) === value && accepts(schema, Number(value))) return { N: value };
  const whole = wholeNumber(value);
  if (whole !== undefined && plainNumber(value) === value && accepts(schema, whole)) return { N: value };
  return accepts(schema, [value]) ? { L: [{ S: value }] } : undefined;
}

function keyAt(
  kind: AnyKind,
  place: Place,
  textFor: (name: string) => string | undefined,
  table: TableNames,
): ItemKey | undefined {
  if ('key' in place) return kind.idsOf(place.key) && { pk: place.key.pk, sk: place.key.sk };
  const ids = Object.fromEntries(
    idNames(kind).map((name) => [name, idFrom(kind, name, textFor(`id ${name}`) ?? '')]),
  );
  if ('anywhere' in place) return keyWith(kind, ids);
  const { range, index } = place;
  const { begins = '', from, to } = range;
  const pk = String(range.pk);
  const fixed = index === undefined ? kind.pkPattern.parse(pk) : {};
  if (fixed === undefined) return undefined;
  const key = keyWith(kind, { ...ids, ...fixed });
  if (key === undefined || index !== undefined) return key;
  if (isInRange(table, keyAttributes(table, key), range)) return key;
  // The location asks for more of the sort key than its pattern says.
  const longer = { pk, sk: from ?? to ?? `${begins}${key.sk}` };
  return kind.idsOf(longer) && longer;
}

/** A text that is no number stands for one where an id is a number: for the digits at its end, if it has some. */
function idFrom(kind: AnyKind, name: string, text: string): string {
  if (numericId(kind, name) === undefined || plainNumber(text) !== undefined) return text;
  const [digits] = /[1-9]\d*$/.exec(text) ?? [];
  if (digits !== undefined) return digits;
  const numbers = idsFor(kind, name);
  return numbers[text.length % numbers.length] ?? '';
}

function isInPartition(place: Place): boolean {
  return 'range' in place && place.index === undefined;
}

/** Values of an item's own that an id or a name may have. */
export function ownTexts({ kind, pools }: KindValues): readonly string[] {
  return [
    ...new Set([...idPool, ...idNames(kind).flatMap((name) => idsFor(kind, name))]),
    ...[...pools.values()].flat().filter((value) => typeof value === 'string'),
  ];
}
