import type { AttributeValue } from '../../../../model/attribute-value.ts';
import type { Item, ItemKey } from '../../../../model/item.ts';

/** What each attribute of a copy that follows its root is to be; undefined means that it is to be missing. */
export type Wanted = ReadonlyMap<string, AttributeValue | undefined>;

/**
 * How copies follow roots, written from the data model alone and apart from the rules: a fault in either shows as a
 * difference between them.
 */
export interface Relation {
  /** The name of the rule that does it. */
  readonly rule: string;
  readonly onDelete: 'delete' | 'clear' | 'keep';
  readonly onExpire: 'delete' | 'clear' | 'keep';
  /** Whether an item of this key is a root. @param image what it is or was */
  isRoot(key: ItemKey, image: Item): boolean;
  isCopy(item: Item): boolean;
  /** Whether the copy belongs to another tenant than this root: nothing may be written across. */
  crosses(root: ItemKey, copy: Item): boolean;
  /** The root that this copy names, or undefined where it names none. */
  rootOf(copy: Item): ItemKey | undefined;
  /** Whether the root places a copy where this one stands; undefined where the root does not say. False if it is excluded. */
  locations(root: Item, copy: Item): boolean | undefined;
  /** Whether the rule does not apply to this root, so that none of its copies is to stay, wherever it is. Default: no. */
  isExcluded?(root: Item): boolean;
  /** The same of a root that would otherwise place a copy where this one stands. */
  excludes?(root: Item, copy: Item): boolean;
  /** The keys at which the worker is to create this root's copies; none where the root does not say. Default: it creates none. */
  placed?(root: Item): readonly ItemKey[];
  /** What the copy should be; undefined where the root, or this copy, does not hold what is needed for it. */
  wanted(root: Item, copy: Item): Wanted | undefined;
  /** Whether the worker may write this attribute of a copy. */
  writes(attribute: string): boolean;
  /** Whether a write of this attribute by an application makes another copy of it: it is copied, or it places or names. */
  concerns(attribute: string): boolean;
}

/** Whether an item has more attributes than one write changes. Source: AWS, "Quotas", expression parameters. */
export function isWide(item: Item): boolean {
  return Object.keys(item).length > 100;
}
