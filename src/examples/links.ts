import { unlessInvalid } from '../model/basics/errors.ts';
import { wholeNumber } from '../model/items/attribute-value.ts';
import {
  type CopyLocation,
  conditionsOf,
  indexNamed,
  isInLocation,
  isListed,
  isReversed,
  listedKeys,
  type QueriedLocation,
} from '../model/items/copy-location.ts';
import { plainNumber } from '../model/items/decimal.ts';
import { type Item, type ItemKey, keyAttributes, keyIn, partValue, sameKey } from '../model/items/item.ts';
import { isKeyName, type KeyNames, keyParts, type TableNames } from '../model/items/table-names.ts';
import { type BoundKind, idNames, isOfKind, keyWith, numericId } from '../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../model/rules/bound-rule.ts';
import { memberLocations, targetsOf } from '../plan/aggregate-functions.ts';
import { bareTarget } from '../plan/plan-target.ts';
import { appliesTo, locationOf, locationsOf, rootNamedBy } from '../plan/rule-functions.ts';
import { combinations, idPool, idsFor, type KindValues } from './kind-values.ts';
import { accepts } from './value-pool.ts';

/** How items name another one that looks for them: copies their root, members their target. */
export interface Link {
  readonly table: TableNames;
  readonly name: string;
  readonly root: BoundKind;
  readonly item: BoundKind;
  /** Attributes by which an item may name its root. */
  readonly reads: readonly string[];
  /** Where a root looks for its items; nowhere if it cannot say. */
  placesOf(root: Item): readonly Place[];
  /** Whether the item names this root, which finds it. */
  leads(item: Item, root: Item): boolean;
  /** The root that the worker makes at a key when it has items. */
  bare?(key: ItemKey): Item;
  /** How most of its items name their root: this is tried first. */
  readonly usual?: Sources;
}

/** For each id and attribute of an item, where its text comes from: an id, a key part or a text of the root, or itself. */
export type Sources = Readonly<Record<string, string>>;

/** Where a root looks for its items; a member of a ledger may be anywhere. */
type Place = ({ readonly in: 'key' } & ItemKey) | QueriedLocation | { readonly in: 'anywhere' };

/** The link of a rule; undefined if its root is its own copy. */
export function linkOfRule(rule: BoundRule): Link | undefined {
  if (rule.located.in === 'itself') return undefined;
  return {
    table: rule.table,
    name: rule.name,
    root: rule.root,
    item: rule.copy,
    reads: rule.reads.copy,
    placesOf: (root) => locationsOf(rule, root).flatMap((location) => placesIn(rule.table, location)),
    leads: orFalse((item, root) => {
      const named = isOfKind(rule.copy, item) ? rootNamedBy(rule, item) : undefined;
      if (named === undefined || !sameKey(named, keyIn(rule.table, root))) return false;
      // A root for which `when` is false has copies as well, as long as it can be told.
      appliesTo(rule, root);
      return isOfKind(rule.root, root) && isInLocation(rule.table, item, locationOf(rule, root));
    }),
  };
}

export function linkOfAggregate(aggregate: BoundAggregate): Link {
  const { name, on, of, reads } = aggregate;
  const isCounted = (member: Item, target: Item) =>
    aggregate.ledger !== undefined ||
    memberLocations(aggregate, target).some((location) => isInLocation(aggregate.table, member, location));
  return {
    table: aggregate.table,
    name,
    root: on,
    item: of,
    reads: reads.member,
    ...(aggregate.creates && { bare: (key) => bareTarget(aggregate, key) }),
    placesOf(target) {
      if (aggregate.ledger !== undefined) return [{ in: 'anywhere' }];
      return unlessInvalid(
        () => memberLocations(aggregate, target).flatMap((location) => placesIn(aggregate.table, location)),
        () => [],
      );
    },
    leads: orFalse((item, target) => {
      const isNamed = () =>
        targetsOf(aggregate, item).some((key) => sameKey(key, keyIn(aggregate.table, target)));
      return isOfKind(of, item) && isCounted(item, target) && isNamed();
    }),
  };
}

/** Each key is a place of its own, and no item is in a range that ends before it begins. */
function placesIn(table: TableNames, location: CopyLocation): Place[] {
  if (isListed(location)) return listedKeys(location).map((key) => ({ in: 'key', ...key }));
  const keys = keysOf(table, location);
  return keys === undefined || isReversed(keys, location) ? [] : [location];
}

function keysOf(table: TableNames, location: QueriedLocation): KeyNames | undefined {
  return location.in === 'partition' ? table : indexNamed(table, location.index);
}

function orFalse(leads: Link['leads']): Link['leads'] {
  return (item, root) =>
    unlessInvalid(
      () => leads(item, root),
      () => false,
    );
}

/**
 * Key attributes of the table or the index, of an item in this range.
 * @param own what tells it from others there
 */
export function keysWithin(table: TableNames, location: QueriedLocation, own: string): Item {
  const keys = keysOf(table, location);
  if (keys === undefined) return {};
  const { equal } = conditionsOf(keys, location);
  const { begins = '', from, to } = location;
  const [next, ...others] = keyParts(keys).all.slice(equal.length);
  const limit = from ?? to;
  const texts = [
    ...equal.map(({ part, text }) => [part, text] as const),
    ...(next === undefined ? [] : [[next, limit ?? `${begins}${own}`] as const]),
    ...others.map((part) => [part, own] as const),
  ];
  return Object.fromEntries(
    texts.map(([part, text]) => [
      part.name,
      partValue(part, part.type === 'N' ? (plainNumber(text) ?? '1') : text),
    ]),
  );
}

type Texts = Readonly<Record<string, string | undefined>>;

/** Ways that are tried for each place. */
const maxTries = 500;

/**
 * @param own texts that tell the items of one root apart.
 * @returns undefined if no item was found that leads to the root
 */
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
        if (tries > maxTries) break;
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
  const fixed = place.in === 'key' ? idNames(item) : place.in === 'partition' ? item.pkPattern.names : [];
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
  if (place.in === 'index') Object.assign(item, keysWithin(table, place, key.sk === '' ? key.pk : key.sk));
  return item;
}

/** Undefined if it is neither text nor a number. */
function plainText(value: Item[string]): string | undefined {
  if ('S' in value) return value.S;
  return 'N' in value ? plainNumber(value.N) : undefined;
}

/** The text as a value of the attribute: itself or, for an attribute that names several items, a list of it. */
function naming(kind: BoundKind, name: string, value: string | undefined): Item[string] | undefined {
  const schema = kind.attributes.shape[name];
  if (schema === undefined || value === undefined) return undefined;
  if (accepts(schema, value)) return { S: value };
  if (plainNumber(value) === value && accepts(schema, Number(value))) return { N: value };
  const whole = wholeNumber(value);
  if (whole !== undefined && plainNumber(value) === value && accepts(schema, whole)) return { N: value };
  return accepts(schema, [value]) ? { L: [{ S: value }] } : undefined;
}

function keyAt(
  kind: BoundKind,
  place: Place,
  textFor: (name: string) => string | undefined,
  table: TableNames,
): ItemKey | undefined {
  if (place.in === 'key') return kind.idsOf(place) && { pk: place.pk, sk: place.sk };
  const ids = Object.fromEntries(
    idNames(kind).map((name) => [name, idFrom(kind, name, textFor(`id ${name}`) ?? '')]),
  );
  if (place.in === 'anywhere' || place.in === 'index') return keyWith(kind, ids);
  const pk = String(place.pk);
  const fixed = kind.pkPattern.parse(pk);
  const key = fixed && keyWith(kind, { ...ids, ...fixed });
  if (key === undefined || isInLocation(table, keyAttributes(table, key), place)) return key;
  // The location asks for more of the sort key than its pattern says.
  const longer = { pk, sk: place.from ?? place.to ?? `${place.begins ?? ''}${key.sk}` };
  return kind.idsOf(longer) && longer;
}

/** A text that is no number stands for one where an id is a number: for the digits at its end, if it has some. */
function idFrom(kind: BoundKind, name: string, text: string): string {
  if (numericId(kind, name) === undefined || plainNumber(text) !== undefined) return text;
  const [digits] = /[1-9]\d*$/.exec(text) ?? [];
  if (digits !== undefined) return digits;
  const numbers = idsFor(kind, name);
  return numbers[text.length % numbers.length] ?? '';
}

/** Values of an item's own that an id or a name may have. */
export function ownTexts({ kind, pools }: KindValues): readonly string[] {
  return [
    ...new Set([...idPool, ...idNames(kind).flatMap((name) => idsFor(kind, name))]),
    ...[...pools.values()].flat().filter((value) => typeof value === 'string'),
  ];
}
