import { attribute, type Item, keyOf, text } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import { allKinds, type Registry } from '../../model/registry.ts';

export interface TypeElsewhere {
  readonly kinds: readonly AnyKind[];
  /** Its type, as a message names it: `'comment'`, `missing`. */
  readonly type: string;
}

/** No rule takes an item whose type contradicts its key for what the key says. Types do tell kinds with the same keys apart. */
export function typeElsewhere(registry: Registry): (item: Item) => TypeElsewhere | undefined {
  const { table } = registry;
  const all = allKinds(registry);
  return (item) => {
    const key = keyOf(table, item);
    if (key === undefined || all.some((kind) => isOfKind(table, kind, item))) return undefined;
    const kinds = all.filter((kind) => kind.idsOf(key) !== undefined);
    if (kinds.length === 0) return undefined;
    const type = attribute(item, table.type);
    const value = text(type);
    return { kinds, type: value === undefined ? (type ? 'no text' : 'missing') : `'${value}'` };
  };
}

/** The contradiction in words: `the key is a Comment's, its _type is 'comment' and not 'Comment'`. */
export function typeElsewhereText(
  { table }: Pick<Registry, 'table'>,
  { kinds, type }: TypeElsewhere,
): string {
  const names = kinds.map(({ name }) => `a ${name}'s`).join(' or ');
  const types = kinds.map((kind) => `'${kind.type}'`).join(' or ');
  return `the key is ${names}, its ${table.type} is ${type} and not ${types}`;
}
