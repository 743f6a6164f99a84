import { isInLocation, locationText } from '../../model/copy-location.ts';
import { DenormError } from '../../model/errors.ts';
import { changed } from '../../model/guarded-write.ts';
import { type Item, keyIn, text } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import { isCopiable } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { planUpdate } from '../../worker/propagation/plan/plan-update.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
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
  /** Of the first copy, before or after the change, whichever is larger; in bytes. */
  readonly copyBytes: number;
}

/** A root with its copies, before and after a change. */
interface Family {
  readonly root: Item;
  readonly copies: readonly Item[];
  readonly changedRoot: Item;
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
  const families = rootsApart(table, rule, items.roots(options.roots)).map((root) =>
    familyOf(table, rule, items, root, options),
  );
  const [first] = families;
  if (first === undefined)
    throw refused(rule, `an item of kind ${rule.root.name}`, 'none', 'name one with --root');
  return {
    changes: {
      before: families.flatMap(({ root, copies }) => [root, ...copies]),
      after: families.map(({ changedRoot }) => changedRoot),
      everySeconds: options.everySeconds,
    },
    attribute: first.attribute,
    copies: Math.max(1, first.copies.length),
    copyBytes: sizeOfCopy(table, rule, first),
  };
}

/** Those of which no two have their copies in one place, where they would be one another's. */
function rootsApart(table: TableNames, rule: Rule, roots: readonly Item[]): readonly Item[] {
  const byPlace = new Map(roots.map((root) => [locationText(locationOf(table, rule, root)), root]));
  return [...byPlace.values()];
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
  const root = itself ? followed(table, rule, given, given) : given;
  const copies = made.map((copy) => followed(table, rule, root, copy));
  const example = copies[0] ?? root;
  for (const attribute of attributesToChange(table, rule, root))
    for (const value of items.otherValues(root, attribute)) {
      const changedRoot = { ...root, [attribute]: value };
      if (isPropagated(table, rule, changedRoot, itself ? changedRoot : example))
        return padded(table, rule, { root, copies, changedRoot, attribute }, itemBytes);
    }
  throw refused(
    rule,
    'a root of which another value of an attribute changes copies and leaves them where they are',
    'none',
    'name a root that has the attributes that the rule reads and copies',
  );
}

function sizeOfCopy(table: TableNames, rule: Rule, { changedRoot, root, copies }: Family): number {
  const copy = copies[0] ?? root;
  const after = followed(table, rule, changedRoot, copies[0] ?? changedRoot);
  return Math.max(itemSize(copy), itemSize(after));
}

/** What the rule makes of a copy. */
function followed(table: TableNames, rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(table, rule, root, copy)?.update;
  return update === undefined ? copy : changed(copy, update.set, update.remove);
}

/**
 * Those that are only copied first, because a change of one that is read may write the key of an index as well. Among them,
 * those last that repeat the root's key or are called an id: applications do not change what names an item.
 */
function attributesToChange(table: TableNames, rule: Rule, root: Item): string[] {
  const { copies, reads } = rule;
  const copied =
    copies === 'all' ? Object.keys(root).filter((name) => isCopiable(table, rule, name)) : copies;
  const only = copied.filter((name) => !reads.root.includes(name));
  const { pk, sk } = keyIn(table, root);
  const names = (name: string) =>
    /(^id|_id|I[dD])$/.test(name) || `${pk} ${sk}`.includes(text(root[name]) ?? '\n');
  const all = [...new Set([...only, ...copied, ...reads.root])];
  return [...all.filter((name) => !names(name)), ...all.filter(names)];
}

/** Whether the rule writes this copy when its root becomes `after`, and leaves it where the root places copies. */
function isPropagated(table: TableNames, rule: Rule, after: Item, copy: Item): boolean {
  return unlessInvalid(
    () => {
      if (!isOfKind(table, rule.root, after)) return false;
      const planned = planUpdate(table, rule, after, copy);
      if (planned === undefined || planned.partial) return false;
      const copyAfter = changed(copy, planned.update.set, planned.update.remove);
      return isInLocation(table, copyAfter, locationOf(table, rule, after));
    },
    () => false,
  );
}

/**
 * The same with items that are of this size before the change or after it, whichever is larger: a write is charged for the
 * larger. With `copies: 'all'`, copies have the padding of their root, because the rule copies it.
 */
function padded(table: TableNames, rule: Rule, family: Family, bytes: number | undefined): Family {
  if (bytes === undefined) return family;
  const { root, copies, changedRoot } = family;
  const after = copies.map((copy) => followed(table, rule, changedRoot, copy));
  const rootAfter = copies.length === 0 ? followed(table, rule, changedRoot, changedRoot) : changedRoot;
  const lengths = copies.map((copy, index) => room(bytes, copy, after[index] ?? copy));
  const [shared] = lengths;
  const length = rule.copies === 'all' && shared !== undefined ? shared : room(bytes, root, rootAfter);
  return {
    ...family,
    root: paddedBy(root, length),
    changedRoot: paddedBy(changedRoot, length),
    copies: copies.map((copy, index) =>
      paddedBy(copy, rule.copies === 'all' ? length : (lengths[index] ?? 0)),
    ),
  };
}

const padding = 'Padding';

/** The item padded to this size, if it is smaller. In bytes. */
export function paddedTo(item: Item, bytes: number): Item {
  return paddedBy(item, room(bytes, item, item));
}

function room(bytes: number, before: Item, after: Item): number {
  return bytes - Math.max(itemSize(before), itemSize(after)) - padding.length;
}

function paddedBy(item: Item, length: number): Item {
  return length > 0 ? { ...item, [padding]: { S: 'x'.repeat(length) } } : item;
}

function refused({ name }: Rule, expected: string, got: string, remedy: string): DenormError {
  return new DenormError('cost.items', `Expected ${expected} to count ${name} with, got ${got}: ${remedy}`, {
    rule: name,
  });
}
