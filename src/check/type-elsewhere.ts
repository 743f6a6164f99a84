import { attribute, type Item, keyOf, text } from '../model/item.ts';
import { type AnyKind, isOfKind } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import { kindsOf } from './check-kinds.ts';

/** A kind whose keys an item has, though the item's type is another. */
export interface TypeElsewhere {
  readonly kind: AnyKind;
  /** The item's type; undefined if it is no text. */
  readonly type: string | undefined;
}

/**
 * The kinds whose keys an item has and whose type it contradicts. Empty if the item is of any kind: then its type tells
 * kinds with the same keys apart, as it should.
 */
export function typeElsewhere(registry: Registry, item: Item): readonly TypeElsewhere[] {
  const { table } = registry;
  const kinds = kindsOf(registry);
  const key = keyOf(table, item);
  if (key === undefined || kinds.some((kind) => isOfKind(table, kind, item))) return [];
  const type = text(attribute(item, table.type));
  return kinds.filter((kind) => kind.idsOf(key) !== undefined).map((kind) => ({ kind, type }));
}

/** What to say of an item whose type contradicts its key. */
export function typeElsewhereText(registry: Registry, item: Item): string | undefined {
  const found = typeElsewhere(registry, item);
  const [first] = found;
  if (first === undefined) return undefined;
  const kinds = found
    .map(({ kind }) => `a ${kind.name}'s (${registry.table.type} '${kind.type}')`)
    .join(' or ');
  const is = first.type === undefined ? 'is no text' : `is '${first.type}'`;
  return `The key is ${kinds}, its ${registry.table.type} ${is}: no rule takes it for one. Correct the item, or the type of the kind`;
}
