import { unlessInvalid } from '../model/basics/errors.ts';
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
import { type Item, type ItemKey, keyIn, partValue, sameKey } from '../model/items/item.ts';
import { type KeyNames, keyParts, type TableNames } from '../model/items/table-names.ts';
import { type BoundKind, isOfKind } from '../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../model/rules/bound-rule.ts';
import { memberLocations, targetsOf } from '../plan/aggregate-functions.ts';
import { appliesTo, locationOf, locationsOf, rootNamedBy } from '../plan/rule-functions.ts';

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
  /** How most of its items name their root: this is tried first. */
  readonly usual?: Sources;
}

/** For each id and attribute of an item, where its text comes from: an id, a key part or a text of the root, or itself. */
export type Sources = Readonly<Record<string, string>>;

/** Where a root looks for its items; a member of a ledger may be anywhere. */
export type Place = ({ readonly in: 'key' } & ItemKey) | QueriedLocation | { readonly in: 'anywhere' };

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
