import { type AttributeValue, fromDerived } from '../domain/attribute-value.ts';
import { Unprojectable } from '../domain/errors.ts';
import { type Item, isLegalKeyPart, keyOf, longestPk, longestSk } from '../domain/item.ts';
import { isCopiable } from '../domain/owned.ts';
import type { Rule } from '../domain/rule.ts';
import type { TableNames } from '../domain/table-names.ts';
import { deriveAll } from './rule-functions.ts';

/** What each attribute of a copy that is the rule's is to be; undefined means that it is to be missing. */
export type Projection = ReadonlyMap<string, AttributeValue | undefined>;

/**
 * What the rule wants of this copy, given its root.
 * @throws Unprojectable where root or copy does not hold what the rule needs
 */
export function project(table: TableNames, rule: Rule, root: Item, copy: Item): Projection {
  const wanted = new Map<string, AttributeValue | undefined>();
  for (const name of copiedNames(table, rule, root, copy)) wanted.set(name, root[name]);
  for (const [name, derived] of deriveAll(table, rule, root, copy)) {
    const value = derived === undefined ? undefined : fromDerived(derived);
    if (value !== undefined) refuseIllegal(table, rule, root, name, value);
    wanted.set(name, value);
  }
  return wanted;
}

/** The attributes that the rule copies from this root to this copy, those that the copy is to lose included. */
function copiedNames(table: TableNames, rule: Rule, root: Item, copy: Item): readonly string[] {
  if (rule.copies !== 'all') return rule.copies;
  const candidates =
    rule.unknown === 'remove' ? new Set([...Object.keys(root), ...Object.keys(copy)]) : Object.keys(root);
  return [...candidates].filter((name) => isCopiable(table, rule, name) && !(name in rule.derive));
}

function refuseIllegal(table: TableNames, rule: Rule, root: Item, name: string, value: AttributeValue): void {
  const indexes = Object.values(table.indexes);
  const longest = indexes.some(({ pk }) => pk === name)
    ? longestPk
    : indexes.some(({ sk }) => sk === name)
      ? longestSk
      : undefined;
  const legal =
    'N' in value
      ? Number.isFinite(Number(value.N)) && longest === undefined
      : longest === undefined || ('S' in value && isLegalKeyPart(value.S, longest));
  if (legal) return;
  const key = keyOf(table, root);
  throw new Unprojectable(
    'root.unprojectable',
    `Rule ${rule.name} derives a '${name}' that DynamoDB does not take: an index key is text, not empty, of at most ${longest ?? longestSk} bytes; a number is finite`,
    { rule: rule.name, ...(key && { key }) },
  );
}
