import type { TableNames } from '../items/table-names.ts';
import { type AnyKind, type BoundKind, idNames, keyWith, numericId } from './kind.ts';

/**
 * The same kinds, bound to the table, each with those that are more specific: whose keys, or whose items by their type, are all of
 * this kind too, and not the other way round. An item of both is then of the more specific one alone.
 */
export function bindKinds(table: TableNames, kinds: Iterable<AnyKind>): (kind: AnyKind) => BoundKind {
  const all = [...new Set(kinds)];
  const bind = (kind: AnyKind): BoundKind => {
    const narrower = all.filter((one) => includes(kind, one) && !includes(one, kind));
    // The kind of a project stays what it is where one of its rules is alone.
    if (isBoundTo(table, kind) && narrower.every((one) => kind.narrower.includes(one))) return kind;
    return { ...kind, table, narrower };
  };
  const bound = new Map(all.map((kind) => [kind, bind(kind)]));
  return (kind) => bound.get(kind) ?? bind(kind);
}

function isBoundTo(table: TableNames, kind: AnyKind): kind is BoundKind {
  return 'table' in kind && kind.table === table;
}

/** Whether all items of the other kind are of this one too. */
function includes(kind: AnyKind, other: AnyKind): boolean {
  if (kind.type !== undefined && kind.type !== other.type) return false;
  const key = keyWith(other, idsThatNoPatternHas(other));
  return key !== undefined && kind.idsOf(key) !== undefined;
}

/** No text of a pattern has their characters (of Unicode's private use), so an id of the other kind holds each of them whole. */
function idsThatNoPatternHas(kind: AnyKind): Readonly<Record<string, string>> {
  const ids = idNames(kind).map((name, index) => {
    const text = String.fromCharCode(0xe000 + index);
    const numbers = { number: `-${index}.987654321`, bigint: `-987654321${index}` } as const;
    const numeric = numericId(kind, name);
    return [name, numeric === undefined ? text : numbers[numeric]];
  });
  return Object.fromEntries(ids);
}
