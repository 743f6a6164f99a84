import { isInLocation, locationText } from '../model/copy-location.ts';
import { DenormError } from '../model/errors.ts';
import { changed } from '../model/guarded-write.ts';
import { type Item, keyIn, text } from '../model/item.ts';
import { itemSize } from '../model/item-size.ts';
import { isOfKind } from '../model/kind.ts';
import type { Rule } from '../model/rule.ts';
import { isCopiable } from '../model/rule-attributes.ts';
import type { TableNames } from '../model/table-names.ts';
import { unlessInvalid } from '../model/unless-invalid.ts';
import { planUpdate } from '../propagation/plan/plan-update.ts';
import { locationOf } from '../propagation/plan/rule-functions.ts';
import type { Changes } from './play-changes.ts';
import type { RuleItems } from './rule-items.ts';

export interface RuleChangesOptions {
  /** Of each root; fewer if its location has no room for them. */
  readonly copies: number;
  /** Roots and copies are padded to this size; undefined leaves them as they are. In bytes. */
  readonly itemBytes: number | undefined;
  /** How many roots change at most, if there are so many. */
  readonly roots: number;
  /** From one change to the next. */
  readonly everySeconds: number;
}

/** Changes of roots that a rule propagates to all of their copies. */
export interface RuleChanges {
  readonly changes: Changes;
  /** The attribute of the root that changes. */
  readonly attribute: string;
  /** Copies of each root; 1 for a root that is its own copy. */
  readonly copies: number;
  /** Of the first copy, in bytes. */
  readonly copyBytes: number;
}

/** A root with its copies, before and after a change. */
interface Family {
  readonly root: Item;
  readonly copies: readonly Item[];
  readonly changed: Item;
  readonly attribute: string;
}

/**
 * Changes of a rule's roots. Before, root and copies are equal; each change is of one attribute, the one that costs least
 * of those that the rule writes, and leaves the copies where they are.
 * @throws DenormError `cost.items` if the items are not a root and its copies, or no attribute's change concerns the rule
 */
export function changesOfRule(
  table: TableNames,
  rule: Rule,
  items: RuleItems,
  options: RuleChangesOptions,
): RuleChanges {
  const families = items.roots(options.roots).map((root) => familyOf(table, rule, items, root, options));
  const [first] = families;
  if (first === undefined)
    throw refused(rule, `an item of kind ${rule.root.name}`, 'none', 'name one with --root');
  return {
    changes: {
      before: families.flatMap(({ root, copies }) => [root, ...copies]),
      after: families.map((family) => family.changed),
      everySeconds: options.everySeconds,
    },
    attribute: first.attribute,
    copies: Math.max(1, first.copies.length),
    copyBytes: itemSize(first.copies[0] ?? first.root),
  };
}

function familyOf(
  table: TableNames,
  rule: Rule,
  items: RuleItems,
  given: Item,
  { copies: count, itemBytes }: RuleChangesOptions,
): Family {
  const itself = rule.located.in === 'itself';
  const made = itself ? [] : items.copies(given, count);
  if (!itself && made.length === 0)
    throw refused(rule, `a copy of kind ${rule.copy.name}`, 'none', 'name one with --copy');
  const { root: bare, copies: bareCopies } = padded(table, rule, given, made, itemBytes);
  const root = itself ? followed(table, rule, bare, bare) : bare;
  const copies = bareCopies.map((copy) => followed(table, rule, root, copy));
  const example = copies[0] ?? root;
  for (const attribute of attributesToChange(table, rule, root))
    for (const value of items.otherValues(root, attribute)) {
      const after = { ...root, [attribute]: value };
      if (isPropagated(table, rule, root, after, itself ? after : example))
        return { root, copies, changed: after, attribute };
    }
  throw refused(
    rule,
    'a root of which another value of an attribute changes copies and leaves them where they are',
    'none',
    'name a root that has the attributes that the rule reads and copies',
  );
}

/** What the rule makes of a copy. */
function followed(table: TableNames, rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(table, rule, root, copy)?.update;
  return update === undefined ? copy : changed(copy, update.set, update.remove);
}

/**
 * Those that are only copied first, because a change of one that is read may write the key of an index as well. Among them,
 * those last that repeat the root's key: applications do not change what names an item.
 */
function attributesToChange(table: TableNames, rule: Rule, root: Item): string[] {
  const { copies, reads } = rule;
  const copied =
    copies === 'all' ? Object.keys(root).filter((name) => isCopiable(table, rule, name)) : copies;
  const only = copied.filter((name) => !reads.root.includes(name));
  const { pk, sk } = keyIn(table, root);
  const names = (name: string) => `${pk} ${sk}`.includes(text(root[name]) ?? '\n');
  const all = [...new Set([...only, ...copied, ...reads.root])];
  return [...all.filter((name) => !names(name)), ...all.filter(names)];
}

function isPropagated(table: TableNames, rule: Rule, root: Item, after: Item, copy: Item): boolean {
  return unlessInvalid(
    () => {
      if (!isOfKind(table, rule.root, after)) return false;
      const location = locationOf(table, rule, after);
      if (locationText(location) !== locationText(locationOf(table, rule, root))) return false;
      const planned = planUpdate(table, rule, after, copy);
      if (planned === undefined || planned.partial) return false;
      return isInLocation(table, changed(copy, planned.update.set, planned.update.remove), location);
    },
    () => false,
  );
}

/** Root and copies of this size; with `copies: 'all'`, their padding is the same, because the rule copies it. */
function padded(
  table: TableNames,
  rule: Rule,
  root: Item,
  copies: readonly Item[],
  bytes: number | undefined,
): { readonly root: Item; readonly copies: readonly Item[] } {
  if (bytes === undefined) return { root, copies };
  const [first] = copies;
  if (rule.copies !== 'all' || first === undefined)
    return {
      root: paddedBy(root, room(root, bytes)),
      copies: copies.map((one) => paddedBy(one, room(one, bytes))),
    };
  const length = room(followed(table, rule, root, first), bytes);
  return { root: paddedBy(root, length), copies: copies.map((one) => paddedBy(one, length)) };
}

const padding = 'Padding';

function room(item: Item, bytes: number): number {
  return bytes - itemSize(item) - padding.length;
}

function paddedBy(item: Item, length: number): Item {
  return length > 0 ? { ...item, [padding]: { S: 'x'.repeat(length) } } : item;
}

function refused({ name }: Rule, expected: string, got: string, remedy: string): DenormError {
  return new DenormError('cost.items', `Expected ${expected} to count ${name} with, got ${got}: ${remedy}`, {
    rule: name,
  });
}
