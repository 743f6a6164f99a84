import { withArticle } from '../model/basics/text.ts';
import { keyAsJson } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import type { BoundKind } from '../model/kinds/kind.ts';
import {
  type KindCounts,
  type Stranger,
  type Strangers,
  strangersLike,
  type UsedKind,
} from '../model/rules/kind-counts.ts';
import { quotedParts } from './check-rules.ts';

/** Groups of items of no kind that a message names. */
const maxNamed = 5;

/**
 * What is wrong with a kind, by what a table's items are: items that are nearly of it, or else that none is.
 */
export function kindMessages(
  table: TableNames,
  { kind, users }: UsedKind,
  counts: KindCounts,
): readonly string[] {
  const near = strangersLike(kind, counts).map((strangers) => nearMessage(table, kind, strangers));
  if (near.length > 0 || users.length === 0 || (counts.kinds[kind.name] ?? 0) > 0) return near;
  const others = counts.strangers
    .filter(({ like }) => like === 'nothing')
    .toSorted((one, other) => other.items - one.items)
    .slice(0, maxNamed)
    .map(({ type, shape, items }) => `${items} with ${table.type} ${type} and keys like ${shape}`);
  return [
    `Expected some of ${counts.items} items to be of ${kind.name} (${patternsOf(kind)}), found none, so that ${users.join(', ')} may match nothing: compare the patterns with the keys of your items${others.length === 0 ? '' : `, of which those of no kind are ${others.join('; ')}`}`,
  ];
}

function nearMessage(
  table: TableNames,
  kind: BoundKind,
  { like, type, shape, items, example }: Strangers,
): string {
  const such = `such as ${keyAsJson(table, example)}`;
  if (like === 'key')
    return `Expected items with keys of ${kind.name} to have the ${table.type} '${kind.type}', found ${items} with ${type}, ${such}: correct the type of the kind, or of the items`;
  return `Expected items with the ${table.type} '${kind.type}' to have keys of ${kind.name} (${patternsOf(kind)}), found ${items} with keys like ${shape}, ${such}: correct the patterns of the kind, or the keys of the items`;
}

/** Why an item is of no kind: `the key is a Comment's, its _type is 'comment' and not 'Comment'`. Undefined if it is like none. */
export function strangerText(table: TableNames, { like, kinds, type, shape }: Stranger): string | undefined {
  const names = kinds.map(({ name }) => `${withArticle(name)}'s`).join(' or ');
  const types = [...new Set(kinds.map((kind) => `'${kind.type}'`))].join(' or ');
  switch (like) {
    case 'key':
      return `the key is ${names}, its ${table.type} is ${type} and not ${types}`;
    case 'type':
      return `its ${table.type} is ${names}, the key is like ${shape} and not ${kinds.map(patternsOf).join(' or ')}`;
    case 'nothing':
      return undefined;
  }
}

function patternsOf({ pkPattern, skPattern }: BoundKind): string {
  return quotedParts(pkPattern.pattern, skPattern.pattern);
}
