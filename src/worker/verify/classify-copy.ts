import { unlessInvalid } from '../../model/basics/errors.ts';
import { indexNamed } from '../../model/items/copy-location.ts';
import type { Item, ItemKey, KeyedItem } from '../../model/items/item.ts';
import { keyParts } from '../../model/items/table-names.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { RemovalPolicy } from '../../model/rules/rule.ts';
import { owns } from '../../model/rules/rule-attributes.ts';
import { planCheck } from '../../plan/plan-copy.ts';
import { differencesFrom, project } from '../../plan/projection.ts';
import { isUnlinked, rootNamedBy } from '../../plan/rule-functions.ts';
import { type CopyClassification, drifted, faultOf } from './drift.ts';
import { type Mapped, unmappedOn } from './unmapped-attributes.ts';

/** Which orphans count as drift: `unexplained`, if no policy of the rule explains them; `all`, unless every policy does. */
export type Orphans = 'unexplained' | 'all';

/** The key of a copy's root. If the copy names none: `rootless` if the rule says so on purpose, drift if it cannot tell. */
export function rootNamed(rule: BoundRule, { key, item: copy }: KeyedItem): ItemKey | CopyClassification {
  const about = { rule: rule.name, copy: key, root: undefined };
  if (isUnlinked(rule, copy) && !explains(rule, copy, rule.onUnlink)) return drifted('unlinked', about);
  return unlessInvalid(
    () => rootNamedBy(rule, copy) ?? { is: 'rootless' },
    (error) => drifted('invalid', about, faultOf(error)),
  );
}

export interface ClassifiedBy {
  readonly registry: Mapped & Pick<Registry, 'table'>;
  readonly rule: BoundRule;
  readonly orphans: Orphans;
}

/**
 * Compares a copy with its root, which must be read after the copy. Pure.
 * @param root undefined if it does not exist
 */
export function classifyCopy(
  { registry, rule, orphans }: ClassifiedBy,
  { key, item: copy }: KeyedItem,
  rootKey: ItemKey,
  root: Item | undefined,
): CopyClassification {
  const about = { rule: rule.name, copy: key, root: rootKey };
  const found = planCheck({ rule, rootKey, root }, { key, image: copy });
  switch (found.is) {
    case 'unchanged':
      return { is: 'right' };
    case 'orphan':
      return isExplained(rule, copy, orphans) ? { is: 'kept' } : drifted('orphan', about);
    case 'foreign':
      if (rule.located.in === 'keys' || rule.creates)
        return explains(rule, copy, rule.onDelete) ? { is: 'kept' } : drifted('unlisted', about);
      return isFindable(rule, copy) ? drifted('foreign', about) : { is: 'unfindable' };
    case 'taken':
    case 'later':
    case 'refuse':
      return drifted('invalid', about, faultOf(found.error));
    case 'update':
      return differing(registry, rule, copy, root ?? copy, about);
    // A check knows no location that the root has left, so only `when` removes copies.
    case 'remove':
      return drifted('excluded', about);
    case 'create':
      return drifted('missing', about);
  }
}

function differing(
  registry: Mapped & Pick<Registry, 'table'>,
  rule: BoundRule,
  copy: Item,
  root: Item,
  about: Parameters<typeof drifted>[1],
): CopyClassification {
  const wanted = project(rule, root, copy);
  const attributes = differencesFrom(wanted, copy).toSorted();
  const removed = attributes.filter((name) => wanted.get(name) === undefined);
  const kind = rule.located.in === 'itself' ? 'derived' : 'differs';
  return drifted(kind, about, { attributes, unmapped: unmappedOn(registry, about.copy, removed) });
}

/** A policy for either case explains an orphan: the table does not tell whether its root was deleted or has expired. */
function isExplained(rule: BoundRule, copy: Item, orphans: Orphans): boolean {
  const explained = [rule.onDelete, rule.onExpire].map((policy) => explains(rule, copy, policy));
  return orphans === 'all' ? !explained.includes(false) : explained.includes(true);
}

function explains(rule: BoundRule, copy: Item, policy: RemovalPolicy): boolean {
  if (policy === 'clear') return !Object.keys(copy).some((name) => owns(rule, name));
  return policy === 'keep';
}

/** Whether the rule's index contains the copy: an index is sparse. */
function isFindable(rule: BoundRule, copy: Item): boolean {
  if (rule.located.in !== 'index') return true;
  const index = indexNamed(rule.table, rule.located.index.name);
  return index === undefined || keyParts(index).names.every((name) => Object.hasOwn(copy, name));
}
