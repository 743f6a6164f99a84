import { type AnyKind, idNames, keyWith, numericId } from './kind.ts';

/**
 * The same kinds, each with those that are more specific: whose keys, or whose items by their type, are all of this kind too, and
 * not the other way round. An item of both is then of the more specific one alone. A kind without such kinds stays the same object.
 */
export function narrowing(kinds: Iterable<AnyKind>): (kind: AnyKind) => AnyKind {
  const all = [...new Set(kinds)];
  const known = all.map((kind) => {
    const narrower = all.filter((one) => includes(kind, one) && !includes(one, kind));
    return [kind, narrower.length === 0 ? kind : { ...kind, narrower }] as const;
  });
  const byKind = new Map(known);
  return (kind) => byKind.get(kind) ?? kind;
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
