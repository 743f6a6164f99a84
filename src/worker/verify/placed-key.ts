import { unlessInvalid } from '../../model/basics/errors.ts';
import { isListed, listedKeys } from '../../model/items/copy-location.ts';
import { type Item, type ItemKey, type KeyedItem, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import { planCheck } from '../../plan/plan-copy.ts';
import { appliesTo, locationOf, rootOf } from '../../plan/rule-functions.ts';
import { type CopyClassification, drifted, faultOf } from './drift.ts';

/** A key at which a root places a copy that its rule creates. */
export interface PlacedKey {
  readonly rule: BoundRule;
  readonly root: ItemKey;
  readonly key: ItemKey;
}

/** The keys at which this item places copies, by each rule that creates them. */
export function placedKeysIn(rules: readonly BoundRule[], root: KeyedItem): readonly PlacedKey[] {
  return rules
    .filter((rule) => rule.creates && isOfKind(rule.root, root.item))
    .flatMap((rule) => keysPlaced(rule, root).map((key) => ({ rule, root: root.key, key })));
}

/** An invalid root gives its own key, so that it is looked at and reported although it may have no copies. */
function keysPlaced(rule: BoundRule, { key, item: root }: KeyedItem): readonly ItemKey[] {
  return unlessInvalid(
    () => {
      if (!appliesTo(rule, root)) return [];
      const location = locationOf(rule, root);
      return isListed(location) ? listedKeys(location) : [];
    },
    () => [key],
  );
}

/** Whether the item at the key is the root's copy, or claims to be: then it is classified as a copy. */
export function hasCopy({ rule, root }: PlacedKey, item: Item | undefined): boolean {
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
  { rule, root: rootKey, key }: PlacedKey,
  item: Item | undefined,
  root: Item | undefined,
): CopyClassification {
  const about = { rule: rule.name, copy: key, root: rootKey };
  const found = planCheck({ rule, rootKey, root }, { key, image: item });
  if (found.is === 'create') return drifted('missing', about);
  if (found.is !== 'taken' && found.is !== 'refuse') return { is: 'right' };
  return drifted('invalid', about, faultOf(found.error));
}
