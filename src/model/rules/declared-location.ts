import { refusalOf } from '../basics/errors.ts';
import type { KeyRange } from '../items/given-keys.ts';
import { type IndexNames, keyParts } from '../items/table-names.ts';
import { filled, type IndexKeyPattern } from '../kinds/key-pattern.ts';
import { type AnyKind, idNames, type View } from '../kinds/kind.ts';
import type { InDeclaredIndex, PlacedBy } from './rule.ts';

type ErasedView = View<Record<string, unknown>, string>;

/**
 * The location, with a function in place of `of`: the partition of the index in which the items of a kind follow one of
 * another kind, such as a user's reviews in `USER#{userId}`. The names of that pattern are ids of the other kind, or its
 * partition key has the same text around other ids.
 * @param by the kind whose ids say where
 * @param found the kind of what is found there
 * @throws RuleError `rule.no-pattern` if the kind declares no such keys, or they do not follow from the ids
 */
export function locationByFunction<Some extends { readonly in: string }>(
  rule: string,
  location: Some,
  by: AnyKind,
  found: AnyKind,
):
  | PlacedBy<Some>
  | { readonly in: 'index'; readonly index: IndexNames; readonly at: (view: ErasedView) => KeyRange } {
  if (!isDeclared(location)) return location as PlacedBy<Some>;
  const { index, of, ...rest } = location;
  const refuse = (why: string) =>
    refusalOf({ name: rule })('rule.no-pattern', `finds ${of.name} in ${index.name}, ${why}`);
  if (of.name !== found.name) throw refuse(`but is about ${found.name}: give ${found.name} as of`);
  const keys = of.keys[index.name];
  if (keys === undefined)
    throw refuse(
      `for which ${of.name} declares no keys: add ${index.name} to its keys, or give at instead of of`,
    );
  const partition = keys.pk.map((pattern) => {
    const idOf = idsBehind(pattern, by, keys.pk.length === 1);
    if (idOf !== undefined) return { pattern, idOf };
    throw refuse(
      `whose partition '${pattern.pattern}' does not follow from the key of ${by.name}: name its ids (${idNames(by).join(', ')}) there, or give at instead of of`,
    );
  });
  const sortsAsText = keyParts(index).sk[0]?.type === 'S';
  const begins = (sortsAsText && keys.sk[0]?.literals[0]) || undefined;
  const at = ({ ids }: ErasedView): KeyRange => {
    const [first = '', ...others] = partition.map(
      ({ pattern, idOf }) => pattern.write((name) => ids[idOf.get(name) ?? name]) ?? '',
    );
    return {
      pk: others.length === 0 ? first : [first, ...others],
      ...(begins !== undefined && { begins }),
    };
  };
  return { ...rest, index, at };
}

function isDeclared(location: object): location is InDeclaredIndex {
  return 'of' in location && location.of !== undefined;
}

/**
 * The id of the kind that each name of an index's pattern stands for: the one of that name, or the one in its place, if the
 * kind's partition key has the same text around its ids.
 * @param isAlone of several attributes, each could pass for the one partition key of the kind
 * @returns undefined if the pattern does not follow from the kind's ids
 */
function idsBehind(
  pattern: IndexKeyPattern,
  kind: AnyKind,
  isAlone: boolean,
): ReadonlyMap<string, string> | undefined {
  const { names, forms } = pattern;
  const ids = idNames(kind);
  if (names.every((name) => ids.includes(name))) return new Map(names.map((name) => [name, name]));
  const isPadded = forms.some((width) => width !== undefined);
  const [text, textOfKind] = [pattern, kind.pkPattern].map((one) => filled(one, () => '{}'));
  if (!isAlone || isPadded || text !== textOfKind) return undefined;
  return new Map(names.map((name, place) => [name, kind.pkPattern.names[place] ?? name]));
}
