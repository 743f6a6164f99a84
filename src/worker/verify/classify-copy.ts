import { unlessInvalid } from '../../model/basics/errors.ts';
import { indexNamed } from '../../model/items/copy-location.ts';
import { type Item, type ItemKey, type KeyedItem, sameKey } from '../../model/items/item.ts';
import { keyParts } from '../../model/items/table-names.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { RemovalPolicy } from '../../model/rules/rule.ts';
import { clearedBy, namedOutputs } from '../../model/rules/rule-attributes.ts';
import { planCheck, projectionOfRoot } from '../../plan/plan-copy.ts';
import { differencesFrom } from '../../plan/projection.ts';
import { isUnlinked, rootNamedBy, rootOf } from '../../plan/rule-functions.ts';
import type { CandidateThat } from './candidates.ts';
import { type CopyClassification, drifted, faultOf } from './drift.ts';

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
  readonly registry: Mapped;
  readonly rule: BoundRule;
  readonly orphans: Orphans;
}

/**
 * Compares a copy with its root, which must be read after the copy. Pure.
 * @param rootKey which the copy names
 * @param root undefined if it does not exist
 */
export function classifyCopy(
  { registry, rule, orphans }: ClassifiedBy,
  { key, item: copy }: KeyedItem,
  rootKey: ItemKey,
  root: Item | undefined,
): CopyClassification {
  const about = { rule: rule.name, copy: key, root: rootKey };
  const found = planCheck({ rule, rootKey, root }, { key, image: copy, named: rootKey });
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
      return differing(registry, rule, copy, root, about);
    // A check knows no location that the root has left, so only `when` removes copies.
    case 'remove':
      return drifted('excluded', about);
    case 'create':
      return drifted('missing', about);
  }
}

function differing(
  registry: Mapped,
  rule: BoundRule,
  copy: Item,
  root: Item | undefined,
  about: Parameters<typeof drifted>[1],
): CopyClassification {
  const wanted = projectionOfRoot(rule, root)?.on(copy) ?? new Map();
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

/** Whether the copy is as the policy leaves it. */
function explains(rule: BoundRule, copy: Item, policy: RemovalPolicy): boolean {
  return clearedBy(policy, rule, copy)?.length === 0;
}

/** Whether the rule's index contains the copy: an index is sparse. */
function isFindable(rule: BoundRule, copy: Item): boolean {
  if (rule.located.in !== 'index') return true;
  const index = indexNamed(rule.table, rule.located.index.name);
  return index === undefined || keyParts(index).names.every((name) => Object.hasOwn(copy, name));
}

/** Whether the item at the key is the root's copy, or claims to be: then it is classified as a copy. */
export function hasCopy(
  { rule, root }: Pick<CandidateThat<'placed'>, 'rule' | 'root'>,
  item: Item | undefined,
): boolean {
  if (item === undefined || !isOfKind(rule.copy, item)) return false;
  return unlessInvalid(
    () => {
      const named = rootOf(rule, item);
      return named !== undefined && sameKey(named, root);
    },
    () => true,
  );
}

/**
 * Classifies a key without its copy: `missing` if the root still places one there, `invalid` if it cannot be created. Pure.
 * @param item another item at the key, if there is one
 * @param root read after the key; undefined if it does not exist
 */
export function classifyPlaced(
  { rule, root: rootKey, key }: CandidateThat<'placed'>,
  item: Item | undefined,
  root: Item | undefined,
): CopyClassification {
  const about = { rule: rule.name, copy: key, root: rootKey };
  const found = planCheck({ rule, rootKey, root }, { key, image: item });
  if (found.is === 'create') return drifted('missing', about);
  if (found.is !== 'taken' && found.is !== 'refuse') return { is: 'right' };
  return drifted('invalid', about, faultOf(found.error));
}

export type Mapped = Pick<Registry, 'rules'> & Partial<Pick<Registry, 'aggregates'>>;

/**
 * Returns the attributes that no rule for this kind of copy names: in a schema of root or copy, or in what it copies,
 * derives, reads or leaves to the copy. A strict mirror removes such attributes if the root lacks them. Nothing tells
 * whether the root has lost them or an application has set them on the copy.
 */
export function unmappedOn(
  { rules, aggregates = [] }: Mapped,
  copy: ItemKey,
  attributes: readonly string[],
): readonly string[] {
  const named = [
    ...rules.filter((rule) => rule.copy.idsOf(copy) !== undefined).map(namesOf),
    ...aggregates.filter(({ on }) => on.idsOf(copy) !== undefined).map(namesOfTarget),
  ];
  return attributes.filter((name) => !named.some((names) => names.has(name)));
}

function namesOf(rule: BoundRule): ReadonlySet<string> {
  return new Set([
    ...Object.keys(rule.root.attributes.shape),
    ...Object.keys(rule.copy.attributes.shape),
    ...namedOutputs(rule),
    ...rule.reads.root,
    ...rule.reads.copy,
    ...rule.own,
  ]);
}

function namesOfTarget({ on, computes, reads }: BoundAggregate): ReadonlySet<string> {
  return new Set([...Object.keys(on.attributes.shape), ...Object.keys(computes), ...reads.target]);
}
