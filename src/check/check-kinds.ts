import { exampleKey } from '../examples/kind-values.ts';
import { nearest } from '../model/basics/nearest.ts';
import { withArticle } from '../model/basics/text.ts';
import { keyAsJson } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { keyDifference, knownWords } from '../model/kinds/key-shape.ts';
import { type BoundKind, patternText } from '../model/kinds/kind.ts';
import { parsedBy } from '../model/kinds/view.ts';
import {
  type KindCounts,
  type Stranger,
  type Strangers,
  strangersLike,
  strangersLikeNone,
  type UsedKind,
} from '../model/rules/kind-counts.ts';
import type { Registry } from '../model/rules/registry.ts';
import { quotedParts } from './check-rules.ts';
import { type Finding, findings } from './finding.ts';

export function checkKinds(registry: Registry): readonly Finding[] {
  const kinds = registry.kinds;
  return kinds.flatMap((kind, index) => {
    const ofPairs = kinds
      .slice(index + 1)
      .map((other) =>
        kind.name === other.name ? namesakes(kind) : (taken(kind, other) ?? taken(other, kind)),
      );
    return findings('kinds', kind.name, [refusedExpiry(kind), ...ofPairs]);
  });
}

function refusedExpiry({ name, attributes, table: { ttl } }: BoundKind): string | undefined {
  const schema = attributes.shape[ttl];
  if (schema === undefined || parsedBy(schema, { N: '1800000000' }).success) return undefined;
  return `Expected ${ttl} of ${name}, the TTL attribute, to be a number in epoch seconds, got a schema that refuses one: correct the schema`;
}

/** Of two kinds of one key. */
export const remedy = 'give both a type, or text of their own in their key patterns';

function namesakes({ name }: BoundKind): string {
  return `Expected each kind to have a name of its own, got two called ${name}: rename one of them`;
}

/** Whether a usual key of one kind, whose ids are letters and digits, is a key of the other as well. */
function taken(kind: BoundKind, other: BoundKind): string | undefined {
  const apart = kind.type !== undefined && other.type !== undefined && kind.type !== other.type;
  const key = exampleKey(kind, 0);
  if (apart || key === undefined || other.idsOf(key) === undefined) return undefined;
  const isNarrower = other.narrower.some(({ name }) => name === kind.name);
  const which = isNarrower ? `which fit both and are taken for ${kind.name}` : 'which fit both';
  return `Expected keys of ${kind.name} not to be keys of ${other.name}, got ${quotedParts(key.pk, key.sk)}, ${which}: ${remedy}`;
}

/** Groups of items of no kind that a message names. */
const maxNamed = 5;

/**
 * What is wrong with a kind, by what a table's items are: items that are nearly of it, or else that none is.
 */
export function kindMessages({ kind, users }: UsedKind, counts: KindCounts): readonly string[] {
  const near = strangersLike(kind, counts).map((strangers) => nearMessage(kind, strangers));
  if (near.length > 0 || users.length === 0 || (counts.kinds[kind.name] ?? 0) > 0) return near;
  return [
    `Expected some of ${counts.items} items to be of ${kind.name} (${patternsOf(kind)}), found none, so that ${users.join(', ')} may match nothing: ${perhaps(kind, counts)}`,
  ];
}

/** What may be meant for a kind without items. */
function perhaps(kind: BoundKind, counts: KindCounts): string {
  const { table } = kind;
  const others = strangersLikeNone(counts);
  const near = nearest(
    patternText(kind).replace(/\{\w+(:\w+)?\}/g, '…'),
    others.map(({ shape }) => shape),
  );
  const meant = others.find(({ shape }) => shape === near);
  if (meant !== undefined)
    return `did you mean the ${meant.items} with keys like ${meant.shape}, such as ${keyAsJson(table, meant.example)}?`;
  const named = others
    .slice(0, maxNamed)
    .map(({ type, shape, items }) => `${items} with ${table.type} ${type} and keys like ${shape}`);
  return `compare the patterns with the keys of your items${named.length === 0 ? '' : `, of which those of no kind are ${named.join('; ')}`}`;
}

function nearMessage(kind: BoundKind, { like, type, shape, items, example }: Strangers): string {
  const { table } = kind;
  const such = `such as ${keyAsJson(table, example)}`;
  const patterns = `${kind.name} (${patternsOf(kind)})`;
  const differing = `keys like ${shape}${differenceText(kind, shape)}`;
  switch (like) {
    case 'key':
      return `Expected items with keys of ${kind.name} to have the ${table.type} '${kind.type}', found ${items} with ${type}, ${such}: correct the type of the kind, or of the items`;
    case 'type':
      return `Expected items with the ${table.type} '${kind.type}' to have keys of ${patterns}, found ${items} with ${differing}, ${such}: correct the patterns of the kind, or the keys of the items`;
    case 'shape':
      return `Expected items to have keys of ${patterns}, found ${items} with ${differing}, ${such}: correct the patterns of the kind, or the keys of the items`;
    case 'name':
    case 'nothing':
      return `Expected items to have the ${table.type} '${kind.type}' and keys of ${patterns}, found ${items} with ${type} and keys like ${shape}, ${such}: correct the kind, or the items`;
  }
}

function differenceText(kind: BoundKind, shape: string): string {
  const difference = keyDifference(shape, kind, knownWords([kind]));
  switch (difference) {
    case 'case':
      return ', in other letter case';
    case 'separator':
      return ', with something else between their parts';
    case 'word':
      return ', with another word';
    case 'id':
      return ', with an id more or fewer';
    case undefined:
      return '';
  }
}

/** Why an item is of no kind: `the key is a Comment's, its _type is 'comment' and not 'Comment'`. Undefined if it is like none. */
export function strangerText(table: TableNames, { like, kinds, type, shape }: Stranger): string | undefined {
  const names = kinds.map(({ name }) => `${withArticle(name)}'s`).join(' or ');
  const types = [...new Set(kinds.map((kind) => `'${kind.type}'`))].join(' or ');
  const patterns = kinds.map(patternsOf).join(' or ');
  switch (like) {
    case 'key':
      return `the key is ${names}, its ${table.type} is ${type} and not ${types}`;
    case 'type':
      return `its ${table.type} is ${names}, the key is like ${shape} and not ${patterns}`;
    case 'shape':
      return `the key is nearly ${names}, like ${shape} and not ${patterns}`;
    case 'name':
      return `its ${table.type} is ${type}, which is nearly ${names}, and its key is like ${shape} and not ${patterns}`;
    case 'nothing':
      return undefined;
  }
}

function patternsOf({ pkPattern, skPattern }: BoundKind): string {
  return quotedParts(pkPattern.pattern, skPattern.pattern);
}
