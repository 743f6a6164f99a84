import { type AttributeValue, equal, fromDerived } from '../../model/attribute-value.ts';
import { InvalidItemError } from '../../model/errors.ts';
import type { GuardedUpdate } from '../../model/guarded-write.ts';
import { attribute, type Item, isLegalKeyPart, keyIn, maxPkBytes, maxSkBytes } from '../../model/item.ts';
import { itemSize, maxItem } from '../../model/item-size.ts';
import type { Rule } from '../../model/rule.ts';
import { isCopiable } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { guard, maxChanges } from './guard.ts';
import { deriveAll, faultOf } from './rule-functions.ts';

/** `partial`: one write cannot hold all changes. `narrowed`: the condition cannot hold all comparisons. */
export interface PlannedUpdate {
  readonly update: GuardedUpdate;
  readonly partial: boolean;
  readonly narrowed: boolean;
}

/**
 * Compares this copy with the projection of its root, and plans a conditional update of what differs; undefined if nothing
 * does.
 * @throws InvalidItemError if root or copy cannot be projected, or if the copy would be too large
 */
export function planUpdate(table: TableNames, rule: Rule, root: Item, copy: Item): PlannedUpdate | undefined {
  const projection = project(table, rule, root, copy);
  const differing = [...projection.keys()].filter(
    (name) => !equal(attribute(copy, name), projection.get(name)),
  );
  if (differing.length === 0) return undefined;
  const changes = differing.slice(0, maxChanges);
  const set: Record<string, AttributeValue> = {};
  const remove: string[] = [];
  for (const name of changes) {
    const value = projection.get(name);
    if (value === undefined) remove.push(name);
    else set[name] = value;
  }
  refuseTooLarge(table, rule, copy, set, remove);
  const { expect, narrowed } = guard(table, rule, copy, new Set([...projection.keys()]), changes);
  const key = keyIn(table, copy);
  return { update: { key, set, remove, expect }, partial: changes.length < differing.length, narrowed };
}

function refuseTooLarge(
  table: TableNames,
  rule: Rule,
  copy: Item,
  set: Item,
  remove: readonly string[],
): void {
  const removed = new Set(remove);
  const after = Object.entries({ ...copy, ...set }).filter(([name]) => !removed.has(name));
  if (itemSize(Object.fromEntries(after)) <= maxItem) return;
  const why = `A copy of rule ${rule.name} would grow beyond DynamoDB's 400 KB: make the root or the copy smaller`;
  throw new InvalidItemError('copy', 'copy.too-large', why, { rule: rule.name, key: keyIn(table, copy) });
}

/** The value that each attribute of the rule should have on a copy; undefined if the copy should not have it. */
export type Projection = ReadonlyMap<string, AttributeValue | undefined>;

/**
 * The projection of this root on this copy.
 * @throws InvalidItemError if root or copy lacks what the rule needs
 */
export function project(table: TableNames, rule: Rule, root: Item, copy: Item): Projection {
  const projection = new Map<string, AttributeValue | undefined>();
  for (const name of copiedNames(table, rule, root, copy)) projection.set(name, attribute(root, name));
  for (const [name, derived] of deriveAll(table, rule, root, copy)) {
    const value = derived === undefined ? undefined : fromDerived(derived);
    if (value !== undefined) refuseIllegal(table, rule, root, copy, name, value);
    projection.set(name, value);
  }
  return projection;
}

/** The attributes that the rule copies from this root, including those that the copy must lose. */
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
  const got = !('N' in value) ? '' : longest === undefined ? `, got ${value.N}` : ', got a number';
  const why = `Rule ${rule.name} derives a value of '${name}' that DynamoDB rejects: expected ${accepted}${got}`;
  throw new InvalidItemError(concerns, `${concerns}.invalid`, why, { rule: rule.name, key });
}

/** The most bytes of an index key; undefined if the attribute is not an index key. */
function maxIn(table: TableNames, name: string): number | undefined {
  const indexes = Object.values(table.indexes);
  if (indexes.some(({ pk }) => pk === name)) return maxPkBytes;
  return indexes.some(({ sk }) => sk === name) ? maxSkBytes : undefined;
}
