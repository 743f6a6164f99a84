import { DenormError, unlessInvalid } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import { isInLocation, isListed, listedKeys } from '../model/items/copy-location.ts';
import {
  byKey,
  type Item,
  type ItemKey,
  keyAttributes,
  keyed,
  keyIn,
  keyText,
  text,
} from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import { idNames, isOfKind, keyWith } from '../model/kinds/kind.ts';
import { endOf } from '../model/rules/aggregate.ts';
import type { BoundAggregate, BoundRule, BoundWriter } from '../model/rules/bound-rule.ts';
import { headOf, namesOfLedger } from '../model/rules/ledger.ts';
import { registryOfOne } from '../model/rules/registry.ts';
import { isCopiable, sourceName, writesNothing } from '../model/rules/rule-attributes.ts';
import { changed, headAfter, isCreation } from '../model/work/guarded-write.ts';
import { memberLocations, targetsOf } from '../plan/aggregate-functions.ts';
import { OutermostMembers } from '../plan/outermost-members.ts';
import { planEntry } from '../plan/plan-entry.ts';
import { planUpdate, withProjection } from '../plan/plan-writes.ts';
import { RootProjection } from '../plan/projection.ts';
import { isIncluded, locationOf } from '../plan/rule-functions.ts';
import { Totals } from '../plan/totals.ts';
import { sameItem } from '../testing/table-model/same-value.ts';
import { knownValues, numbered, numberedIds, variantOf, wholeItem } from './kind-values.ts';
import { keysWithin, linkedItem } from './links.ts';
import { type Project, projectOf } from './project-examples.ts';

export interface ExampleChange {
  readonly before: Item | undefined;
  readonly after: Item;
  readonly others: readonly Item[];
  /** The attribute that changes; undefined of a new item. */
  readonly attribute: string | undefined;
  /** The copies or members that it concerns. */
  readonly fanOut: number;
  /** Of a copy or a member, in bytes. */
  readonly itemBytes: number;
}

export interface ExampleChanges {
  /**
   * @param fanOut fewer if there is no room for so many
   * @param index of several changes: other roots or members
   */
  change(fanOut: number, index: number): ExampleChange;
  creation?(index: number): ExampleChange;
}

/** How items are told from those of applications, on a table that has others. */
interface Marked {
  /** Part of each id, and the value of each attribute without examples that may be any text. */
  readonly mark: string;
  /** Whether an attribute is not to be changed. */
  readonly isFixed: (attribute: string) => boolean;
}

const unmarked: Marked = { mark: '', isFixed: () => false };

/** @throws DenormError `cost.items` if there are no items that show the rule or the aggregate */
export function exampleChanges(writer: BoundWriter, itemBytes: number, marked = unmarked): ExampleChanges {
  return writer.is === 'aggregate'
    ? changesOfAggregate(writer, itemBytes, marked)
    : changesOfRule(writer, itemBytes, marked);
}

/** @throws DenormError `cost.items` if the schemas and examples give no items */
function projectOfOne(writer: BoundWriter): Project {
  const { project, obstacles } = projectOf(registryOfOne(writer));
  const [obstacle] = obstacles;
  if (obstacle !== undefined) throw noItems(writer, obstacle.message);
  return project;
}

const padding = 'Padding';

/** How long the padding of these items may be, so that none is larger. In bytes. */
function roomIn(bytes: number, ...items: readonly Item[]): number {
  return bytes - Math.max(...items.map(itemSize)) - padding.length;
}

function padded(item: Item, length: number): Item {
  return length > 0 ? { ...item, [padding]: { S: 'x'.repeat(length) } } : item;
}

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
 * @param marked if it has a mark, a rule that only removes copies may leave the root as it is.
 * @throws DenormError `cost.items` if there are no such items
 */
function changesOfRule(rule: BoundRule, itemBytes: number, { mark, isFixed }: Marked): ExampleChanges {
  const project = projectOfOne(rule);
  const roots = project.valuesOf(rule.root);
  const copies = project.valuesOf(rule.copy);
  const [link] = project.links;
  const itself = rule.located.in === 'itself';

  /** With a key in which each id differs; one of the simulation's if its ids take no numbers. */
  function rootAt(index: number): Item {
    const key =
      keyWith(rule.root, numberedIds(rule.root, index, mark)) ?? roots.keys[index % roots.keys.length];
    if (key === undefined) throw nothingShows(rule, `an item of kind ${rule.root.name}`);
    const item = wholeItem(roots, key, mark);
    return rule.when === undefined
      ? item
      : (variantOf(roots, item, rule.reads.root, (one) => isIncluded(rule, one)) ?? item);
  }

  function copiesOf(root: Item, count: number): Item[] {
    const [key] = copies.keys;
    if (link === undefined || key === undefined) return [];
    const rest = wholeItem(copies, key, mark);
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
    if (example === undefined) throw nothingShows(rule, `a copy of kind ${rule.copy.name}`);
    if (mark !== '' && writesNothing(rule))
      return { root, copies: of, changedRoot: root, attribute: undefined };
    for (const attribute of attributesToChange(rule, root).filter((name) => !isFixed(name)))
      for (const value of knownValues(roots, attribute)) {
        const changedRoot = { ...root, [attribute]: value };
        if (isPropagated(rule, changedRoot, itself ? changedRoot : example))
          return { root, copies: of, changedRoot, attribute };
      }
    throw nothingShows(
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

function nothingShows(rule: BoundRule, expected: string): DenormError {
  const { name, root, copy } = rule;
  const why = `Expected to make ${expected} that shows ${name}, but found none: add examples to ${root.name} and ${copy.name}`;
  return noItems(rule, why);
}

function noItems({ name: rule }: BoundWriter, why: string): DenormError {
  return new DenormError('cost.items', why, { rule });
}

/**
 * Changes of one member of a target with so many: of an attribute that changes a total, or, if there is none, a member more.
 * @throws DenormError `cost.items` if no items can be made of a schema, or no members that name their target
 */
function changesOfAggregate(
  aggregate: BoundAggregate,
  itemBytes: number,
  { mark, isFixed }: Marked,
): ExampleChanges {
  const project = projectOfOne(aggregate);
  const values = project.valuesOf(aggregate.of);
  const targetKey = targetKeyOf(aggregate, mark);
  const bare = wholeItem(project.valuesOf(aggregate.on), targetKey, mark);
  const target = padded(bare, roomIn(itemBytes, bare));
  const withoutTotals = Object.fromEntries(
    Object.entries(target).filter(([name]) => !Object.hasOwn(aggregate.computes, name)),
  );
  const [link] = project.links;
  const [key] = values.keys;
  const rest = key && wholeItem(values, key, mark);

  const [located] = endOf(aggregate) === undefined ? [] : memberLocations(aggregate, target);
  /** At an end of an index, all members with equal sort keys are read: those of applications mostly differ. */
  const sortedAs = (own: string) =>
    located?.in === 'index' ? keysWithin(aggregate.table, located, own) : {};

  const inRoom = (item: Item) => padded(item, roomIn(itemBytes, item));

  function memberNumber(index: number): Item {
    // The target is number 0.
    const own = numbered(index + 1, mark);
    // An id of its own tells a member from the target's others.
    const ways = idNames(aggregate.of).map((id) => ({ ...link?.usual, [`id ${id}`]: 'own 0' }));
    for (const usual of ways) {
      const made = link && rest && linkedItem({ ...link, usual }, target, rest, [own, own])?.item;
      if (made !== undefined && keyText(keyIn(aggregate.table, made)).includes(numbered(index + 1, '')))
        return inRoom({ ...made, ...sortedAs(own) });
    }
    throw noItems(
      aggregate,
      `Expected to make ${withArticle(aggregate.of.name)} that names ${withArticle(aggregate.on.name)} and is where that has its members, but found none: add examples of ${aggregate.reads.member.join(' and ')} to ${aggregate.of.name}`,
    );
  }

  /** The same member with another value of an attribute, which changes a total and no target. */
  function memberVariant(member: Item, others: readonly Item[]) {
    const totalsWith = (one: Item) => withTotals(aggregate, target, [one, ...others]);
    const named = (one: Item) => JSON.stringify(targetsOf(aggregate, one));
    return aggregate.reads.member
      .filter((attribute) => !isFixed(attribute))
      .flatMap((attribute) =>
        knownValues(values, attribute).map((value) => ({
          attribute,
          item: { ...member, [attribute]: value },
        })),
      )
      .find(({ item }) => named(item) === named(member) && !sameItem(totalsWith(item), totalsWith(member)));
  }

  return {
    change(fanOut, index) {
      const members = Array.from({ length: fanOut }, (_, number) => memberNumber(number));
      const first = members[0] ?? memberNumber(0);
      const followedTarget = withTotals(aggregate, target, members);
      const about = { fanOut, itemBytes: itemSize(first) };
      const counting = membersCounting(aggregate, target, members);
      const changing = counting[index % counting.length] ?? first;
      const unchanged = members.filter((member) => member !== changing);
      const variant = memberVariant(changing, unchanged);
      if (variant === undefined) {
        const after = memberNumber(fanOut + index);
        // One more of many equal members may leave a rounded mean as it is: then the target is one that has no totals yet.
        const isMoved = !sameItem(withTotals(aggregate, target, [...members, after]), followedTarget);
        const others = [
          isMoved ? followedTarget : withoutTotals,
          ...members,
          ...ledgerOf(aggregate, targetKey, members),
        ];
        return { before: undefined, after, others, attribute: undefined, ...about };
      }
      const others = [followedTarget, ...unchanged, ...ledgerOf(aggregate, targetKey, members)];
      return { before: changing, after: variant.item, others, attribute: variant.attribute, ...about };
    },
  };
}

function targetKeyOf(aggregate: BoundAggregate, mark: string): ItemKey {
  const key = keyWith(aggregate.on, numberedIds(aggregate.on, 0, mark));
  if (key !== undefined) return key;
  throw noItems(aggregate, 'Expected ids of numbers in the keys of the target');
}

/** The entries of these members, and their heads. */
function ledgerOf(aggregate: BoundAggregate, target: ItemKey, members: readonly Item[]): readonly Item[] {
  if (aggregate.ledger === undefined) return [];
  const plans = members.map((item) =>
    planEntry(aggregate, target, { key: keyIn(aggregate.table, item), entry: undefined, item }),
  );
  const posts = plans.flatMap((plan) => (plan.is === 'post' && isCreation(plan.write) ? [plan.write] : []));
  const heads = [...Map.groupBy(posts, ({ key }) => key.pk).values()].map((some) => {
    const head = headOf(some[0]?.key ?? target);
    const bare = { ...keyAttributes(aggregate.table, head), ...namesOfLedger(target) };
    return headAfter(undefined, bare, some);
  });
  return [...posts.map(({ item }) => item), ...heads];
}

function unlimited(aggregate: BoundAggregate): BoundAggregate {
  return { ...aggregate, limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' };
}

/** Of some members at an end, those; else all. */
function membersCounting(aggregate: BoundAggregate, target: Item, members: readonly Item[]): readonly Item[] {
  const end = OutermostMembers.of(new Totals(unlimited(aggregate), target));
  end?.look(members);
  const found = byKey(end?.found.map((item) => keyed(aggregate.table, item)) ?? []);
  return end === undefined ? members : members.filter((one) => found(keyIn(aggregate.table, one)));
}

function withTotals(aggregate: BoundAggregate, target: Item, members: readonly Item[]): Item {
  if (aggregate.ledger !== undefined) {
    const ledger = ledgerOf(aggregate, keyIn(aggregate.table, target), members);
    return withTotals(aggregate.ledger.heads, target, ledger);
  }
  const totals = new Totals(unlimited(aggregate), target);
  const end = OutermostMembers.of(totals);
  end?.look(members);
  end?.add();
  for (const location of end === undefined ? totals.locations : [])
    for (const member of members)
      if (isInLocation(aggregate.table, member, location)) totals.add(member, location);
  return withProjection(target, totals.on());
}
