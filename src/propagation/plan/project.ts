import { type AttributeValue, fromDerived } from '../../model/attribute-value.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { attribute, type Item, isLegalKeyPart, keyIn, maxPkBytes, maxSkBytes } from '../../model/item.ts';
import type { Rule } from '../../model/rule.ts';
import { isCopiable } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { deriveAll, faultOf } from './rule-functions.ts';

/** What each attribute of a copy that is the rule's is to be; undefined means that it is to be missing. */
export type Projection = ReadonlyMap<string, AttributeValue | undefined>;

/**
 * What the rule wants of this copy, given its root.
 * @throws InvalidItemError where root or copy does not hold what the rule needs
 */
export function project(table: TableNames, rule: Rule, root: Item, copy: Item): Projection {
  const wanted = new Map<string, AttributeValue | undefined>();
  for (const name of copiedNames(table, rule, root, copy)) wanted.set(name, attribute(root, name));
  for (const [name, derived] of deriveAll(table, rule, root, copy)) {
    const value = derived === undefined ? undefined : fromDerived(derived);
    if (value !== undefined) refuseIllegal(table, rule, root, copy, name, value);
    wanted.set(name, value);
  }
  return wanted;
}

/** The attributes that the rule copies from this root to this copy, those that the copy is to lose included. */
function copiedNames(table: TableNames, rule: Rule, root: Item, copy: Item): readonly string[] {
  if (rule.copies !== 'all') return rule.copies;
  const candidates =
    rule.unknown === 'remove' ? new Set([...Object.keys(root), ...Object.keys(copy)]) : Object.keys(root);
  return [...candidates].filter((name) => isCopiable(table, rule, name) && !Object.hasOwn(rule.derive, name));
}

function refuseIllegal(
  table: TableNames,
  rule: Rule,
  root: Item,
  copy: Item,
  name: string,
  value: AttributeValue,
): void {
  const longest = maxIn(table, name);
  if (
    longest === undefined
      ? !('N' in value) || Number.isFinite(Number(value.N))
      : 'S' in value && isLegalKeyPart(value.S, longest)
  )
    return;
  const concerns = faultOf(rule);
  const key = keyIn(table, concerns === 'root' ? root : copy);
  const accepted =
    longest === undefined ? 'a finite number' : `text of 1 to ${longest} bytes, as an index key must be`;
  const why = `Rule ${rule.name} derives a value of '${name}' that DynamoDB rejects: expected ${accepted}`;
  throw new InvalidItemError(concerns, `${concerns}.invalid`, why, { rule: rule.name, key });
}

/** The longest value of an index key, in bytes; undefined for an attribute that is none. */
function maxIn(table: TableNames, name: string): number | undefined {
  const indexes = Object.values(table.indexes);
  if (indexes.some(({ pk }) => pk === name)) return maxPkBytes;
  return indexes.some(({ sk }) => sk === name) ? maxSkBytes : undefined;
}
