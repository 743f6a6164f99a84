import { DenormError, unlessInvalid } from '../model/basics/errors.ts';
import { isInLocation, isListed, listedKeys } from '../model/items/copy-location.ts';
import { type Item, keyed, keyIn, keyText, text } from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import { isOfKind, keyWith } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { makeRegistry } from '../model/rules/registry.ts';
import { isCopiable, sourceName, writesNothing } from '../model/rules/rule-attributes.ts';
import { changed } from '../model/work/guarded-write.ts';
import { planUpdate, withProjection } from '../plan/plan-writes.ts';
import { RootProjection } from '../plan/projection.ts';
import { isIncluded, locationOf } from '../plan/rule-functions.ts';
import {
  type ExampleChange,
  type ExampleChanges,
  type Marked,
  padded,
  projectOfOne,
  roomIn,
  unmarked,
  wholeItem,
} from './example-changes.ts';
import { knownValues, variantOf } from './kind-values.ts';
import { linkedItem } from './linked-items.ts';
import { numbered, numberedIds } from './numbered-items.ts';

/** Without it, an id alone might be the key of the root, too. */
const firstCopy = 500_000;

interface Family {
  readonly root: Item;
  readonly copies: readonly Item[];
  readonly changedRoot: Item;
  readonly attribute: string | undefined;
}

/**
 * Changes of a rule's roots. Before, root and copies are equal; the change is of one attribute, the one that costs least of
 * those that the rule writes, and leaves the copies where they are.
 * @param marked if it has a mark, a rule that only removes copies may leave the root as it is. Default: {@link unmarked}
 * @throws DenormError `cost.items` if there are no such items
 */
export function changesOfRule(
  rule: BoundRule,
  itemBytes: number,
  { mark, isFixed }: Marked = unmarked,
): ExampleChanges {
  const project = projectOfOne(makeRegistry(rule.table, [rule]), rule.name);
  const roots = project.valuesOf(rule.root);
  const copies = project.valuesOf(rule.copy);
  const [link] = project.links;
  const itself = rule.located.in === 'itself';

  /** With a key in which each id differs; one of the simulation's if its ids take no numbers. */
  function rootAt(index: number): Item {
    const key =
      keyWith(rule.root, numberedIds(rule.root, index, mark)) ?? roots.keys[index % roots.keys.length];
    if (key === undefined) throw refused(rule, `an item of kind ${rule.root.name}`);
    const item = wholeItem(rule.table, roots, key, mark);
    return rule.when === undefined
      ? item
      : (variantOf(roots, item, rule.reads.root, (one) => isIncluded(rule, one)) ?? item);
  }

  function copiesOf(root: Item, count: number): Item[] {
    const [key] = copies.keys;
    if (link === undefined || key === undefined) return [];
    const rest = wholeItem(rule.table, copies, key, mark);
    const made = Array.from({ length: count }, (_, index) => {
      const own = numbered(firstCopy + index, mark);
      return linkedItem(link, root, rest, [own, own])?.item;
    }).filter((copy) => copy !== undefined);
    return [...new Map(made.map((copy) => [keyText(keyIn(rule.table, copy)), copy])).values()];
  }

  function familyOf(index: number, count: number): Family {
    const made = rootAt(index);
    const root = itself ? followed(new RootProjection(rule, made), made) : made;
    const projection = new RootProjection(rule, root);
    const of = itself ? [] : copiesOf(root, count).map((copy) => followed(projection, copy));
    const [example = itself ? root : undefined] = of;
    if (example === undefined) throw refused(rule, `a copy of kind ${rule.copy.name}`);
    if (mark !== '' && writesNothing(rule))
      return { root, copies: of, changedRoot: root, attribute: undefined };
    for (const attribute of attributesToChange(rule, root).filter((name) => !isFixed(name)))
      for (const value of knownValues(roots, attribute)) {
        const changedRoot = { ...root, [attribute]: value };
        if (isPropagated(rule, changedRoot, itself ? changedRoot : example))
          return { root, copies: of, changedRoot, attribute };
      }
    throw refused(
      rule,
      'a root of which another value of an attribute changes copies and leaves them where they are',
    );
  }

  return {
    change: (fanOut, index) => changeOf(rule, familyOf(index, fanOut), itemBytes),
    ...(rule.creates && {
      creation(index: number): ExampleChange {
        const root = rootAt(index);
        const after = padded(root, roomIn(itemBytes, root));
        const location = locationOf(rule, root);
        const keys = isListed(location) ? listedKeys(location).map(keyText) : [];
        const rest = { others: [], attribute: undefined, fanOut: new Set(keys).size, itemBytes };
        return { before: undefined, after, ...rest };
      },
    }),
  };
}

/**
 * The change on items that are of this size before it or after it, whichever is larger: a write is charged for the larger.
 * With `copies: 'all'`, copies have the padding of their root, because the rule copies it.
 */
function changeOf(rule: BoundRule, family: Family, bytes: number): ExampleChange {
  const { root, copies, changedRoot, attribute } = family;
  const projection = new RootProjection(rule, changedRoot);
  const copiesAfter = copies.map((copy) => followed(projection, copy));
  const rootAfter = copies.length === 0 ? followed(projection, changedRoot) : changedRoot;
  const rooms = copies.map((copy, index) => roomIn(bytes, copy, copiesAfter[index] ?? copy));
  const own = roomIn(bytes, root, rootAfter);
  const shared = rule.copies === 'all' ? Math.min(own, ...rooms) : undefined;
  const paddedRoot = padded(root, shared ?? own);
  const others = copies.map((copy, index) => padded(copy, shared ?? rooms[index] ?? 0));
  return {
    before: paddedRoot,
    after: padded(changedRoot, shared ?? own),
    others,
    attribute,
    fanOut: Math.max(1, copies.length),
    itemBytes: Math.max(bytes, itemSize(others[0] ?? paddedRoot)),
  };
}

/**
 * Those that are only copied first, because a change of one that is read may write the key of an index as well. Among them,
 * those last that repeat the root's key or are called an id: applications do not change what names an item.
 */
function attributesToChange(rule: BoundRule, root: Item): string[] {
  const { copies, reads } = rule;
  const copied =
    copies === 'all'
      ? Object.keys(root).filter((name) => isCopiable(rule, name))
      : copies.map((name) => sourceName(rule, name));
  const only = copied.filter((name) => !reads.root.includes(name));
  const { pk, sk } = keyIn(rule.table, root);
  const names = (name: string) =>
    /(^id|_id|I[dD])$/.test(name) || `${pk} ${sk}`.includes(text(root[name]) ?? '\n');
  const all = [...new Set([...only, ...copied, ...reads.root])];
  return [...all.filter((name) => !names(name)), ...all.filter(names)];
}

/** Whether the rule writes this copy when its root becomes `after`, and leaves it where the root places copies. */
function isPropagated(rule: BoundRule, after: Item, copy: Item): boolean {
  return unlessInvalid(
    () => {
      if (!isOfKind(rule.root, after)) return false;
      const planned = planUpdate(new RootProjection(rule, after), keyed(rule.table, copy));
      if (planned === undefined || planned.partial) return false;
      const copyAfter = changed(copy, planned.write.set, planned.write.remove);
      return isInLocation(rule.table, copyAfter, locationOf(rule, after));
    },
    () => false,
  );
}

function followed(projection: RootProjection, item: Item): Item {
  return withProjection(item, projection.on(item));
}

function refused({ name, root, copy }: BoundRule, expected: string): DenormError {
  const why = `Expected to make ${expected} that shows ${name}, but found none: add examples to ${root.name} and ${copy.name}`;
  return new DenormError('cost.items', why, { rule: name });
}
