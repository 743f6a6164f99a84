import { keysWithin } from '../examples/links.ts';
import { exampleIds, exampleItem } from '../examples/numbered-items.ts';
import { type CopyLocation, isListed, listedKeys } from '../model/items/copy-location.ts';
import { type Item, type ItemKey, keyIn } from '../model/items/item.ts';
import { filled, type KeyPattern } from '../model/kinds/key-pattern.ts';
import { type BoundKind, keyWith, type TextIds } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { rootNamedBy } from '../plan/rule-functions.ts';
import { tryFunction } from './try-function.ts';

/** How `rootOf` does not give back the root whose `located.at` places a copy. */
export function strayedRoots(
  rule: BoundRule,
  places: readonly { readonly root: Item; readonly location: CopyLocation }[],
): readonly string[] {
  return places.flatMap(({ root, location }) => {
    // Two copies in the location, which differ in all that it leaves open.
    const copies = [2, 3]
      .map((number) => copyIn(rule, location, number))
      .filter((copy) => copy !== undefined);
    const { passed } = tryFunction({ what: 'rootOf', kind: rule.copy }, copies, (copy) =>
      rootNamedBy(rule, copy),
    );
    const [one, other] = passed.map(({ result }) => result);
    return one === undefined || other === undefined ? [] : strayed(rule, keyIn(rule.table, root), one, other);
  });
}

/** How the roots that two copies name differ from theirs, other than by what the location leaves open. */
function strayed(
  { name: rule, root, copy }: BoundRule,
  rootKey: ItemKey,
  one: ItemKey,
  other: ItemKey,
): string[] {
  const start = `Expected rootOf of rule ${rule} to name the root whose located.at places the copy`;
  const [ids, others, own = {}] = [one, other, rootKey].map(root.idsOf);
  if (ids !== undefined && others !== undefined)
    return Object.keys(own)
      .filter((name) => ids[name] === others[name] && ids[name] !== own[name])
      .map((name) => `${start}, got another ${name} ('${ids[name]}', not '${own[name]}') for an example`);
  if (copy.idsOf(one) !== undefined && ids === undefined)
    return [`${start}, got a key of ${copy.name} for an example: return ${root.name}.key(…)`];
  const wrong = (['pk', 'sk'] as const).find((part) => {
    const pattern = part === 'pk' ? root.pkPattern : root.skPattern;
    return one[part] === other[part] && pattern.parse(one[part]) === undefined;
  });
  if (wrong === undefined) return [];
  return [
    `${start}, got the ${wrong} '${one[wrong]}' for an example, and that of the root is '${rootKey[wrong]}': return ${root.name}.key(…)`,
  ];
}

function copyIn(rule: BoundRule, location: CopyLocation, number: number): Item | undefined {
  const key = copyKeyIn(rule.copy, location, number);
  if (key === undefined || rule.copy.idsOf(key) === undefined) return undefined;
  const copy = exampleItem(rule.table, rule.copy, key, number);
  return location.in === 'index' ? { ...copy, ...keysWithin(rule.table, location, String(number)) } : copy;
}

function copyKeyIn(kind: BoundKind, location: CopyLocation, number: number): ItemKey | undefined {
  if (isListed(location)) return listedKeys(location)[0];
  const ids = exampleIds(kind, number);
  if (ids === undefined) return undefined;
  if (location.in === 'index') return keyWith(kind, ids);
  const pk = String(location.pk);
  const open = { ...ids, ...kind.pkPattern.parse(pk) };
  const sk = completed(kind.skPattern, location.begins ?? '', open);
  return sk === undefined ? undefined : { pk, sk };
}

/** A key part that begins with this text, its open ids filled in; undefined if none of the pattern does. */
export function completed(pattern: KeyPattern, begins: string, ids: TextIds): string | undefined {
  if (pattern.numeric !== undefined) return begins === '' ? ids[pattern.names[0] ?? ''] : undefined;
  const whole = filled(pattern, (name) => ids[name] ?? 'x');
  const letters = [...whole.split('').keys()];
  // What follows the text is the end of such a key part, likely from where the two differ.
  const differ = letters.find((index) => whole[index] !== begins[index]) ?? whole.length;
  return [differ, ...letters]
    .map((from) => begins + whole.slice(from))
    .find((text) => pattern.parse(text) !== undefined);
}
