import { DenormError } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import { isInLocation } from '../model/items/copy-location.ts';
import { type Item, type ItemKey, keyAttributes, keyIn, keyText } from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import { idNames, keyWith } from '../model/kinds/kind.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { headOf, namesOfLedger } from '../model/rules/ledger.ts';
import { makeRegistry } from '../model/rules/registry.ts';
import { headAfter, isCreation } from '../model/work/guarded-write.ts';
import { targetsOf } from '../plan/aggregate-functions.ts';
import { planEntry } from '../plan/plan-entry.ts';
import { withProjection } from '../plan/plan-writes.ts';
import { Totals } from '../plan/totals.ts';
import {
  type ExampleChanges,
  type Marked,
  padded,
  projectOfOne,
  roomIn,
  unmarked,
  wholeItem,
} from './example-changes.ts';
import { knownValues } from './kind-values.ts';
import { linkedItem } from './linked-items.ts';
import { numbered, numberedIds } from './numbered-items.ts';

/**
 * Changes of one member of a target with so many: of an attribute that changes a total, or, if there is none, a member more.
 * @throws DenormError `cost.items` if no items can be made of a schema, or no members that name their target
 */
export function changesOfAggregate(
  aggregate: BoundAggregate,
  itemBytes: number,
  { mark, isFixed }: Marked = unmarked,
): ExampleChanges {
  const project = projectOfOne(makeRegistry(aggregate.table, [], [], [], [aggregate]), aggregate.name);
  const values = project.valuesOf(aggregate.of);
  const targetKey = targetKeyOf(aggregate, mark);
  const bare = wholeItem(aggregate.table, project.valuesOf(aggregate.on), targetKey, mark);
  const target = padded(bare, roomIn(itemBytes, bare));
  const [link] = project.links;
  const [key] = values.keys;
  const rest = key && wholeItem(aggregate.table, values, key, mark);

  function memberNumber(index: number): Item {
    // The target is number 0.
    const own = numbered(index + 1, mark);
    // An id of its own tells a member from the target's others.
    const ways = idNames(aggregate.of).map((id) => ({ ...link?.usual, [`id ${id}`]: 'own 0' }));
    for (const usual of ways) {
      const made = link && rest && linkedItem({ ...link, usual }, target, rest, [own, own])?.item;
      if (made !== undefined && keyText(keyIn(aggregate.table, made)).includes(numbered(index + 1, '')))
        return padded(made, roomIn(itemBytes, made));
    }
    throw refused(
      aggregate,
      `Expected to make ${withArticle(aggregate.of.name)} that names ${withArticle(aggregate.on.name)} and is where that has its members, but found none: add examples of ${aggregate.reads.member.join(' and ')} to ${aggregate.of.name}`,
    );
  }

  /** The same member with another value of an attribute, which changes a total and no target. */
  function variantOf(
    member: Item,
    others: readonly Item[],
  ): { readonly attribute: string; readonly item: Item } | undefined {
    const totalsWith = (one: Item) => JSON.stringify(withTotals(aggregate, target, [one, ...others]));
    const named = (one: Item) => JSON.stringify(targetsOf(aggregate, one));
    return aggregate.reads.member
      .filter((attribute) => !isFixed(attribute))
      .flatMap((attribute) =>
        knownValues(values, attribute).map((value) => ({
          attribute,
          item: { ...member, [attribute]: value },
        })),
      )
      .find(({ item }) => named(item) === named(member) && totalsWith(item) !== totalsWith(member));
  }

  return {
    change(fanOut, index) {
      const members = Array.from({ length: fanOut }, (_, number) => memberNumber(number));
      const first = members[0] ?? memberNumber(0);
      const followedTarget = withTotals(aggregate, target, members);
      const about = { fanOut, itemBytes: itemSize(first) };
      const changing = members[index % fanOut] ?? first;
      const unchanged = members.filter((member) => member !== changing);
      const variant = variantOf(changing, unchanged);
      if (variant === undefined) {
        const others = [followedTarget, ...members, ...ledgerOf(aggregate, targetKey, members)];
        return {
          before: undefined,
          after: memberNumber(fanOut + index),
          others,
          attribute: undefined,
          ...about,
        };
      }
      const others = [followedTarget, ...unchanged, ...ledgerOf(aggregate, targetKey, members)];
      return { before: changing, after: variant.item, others, attribute: variant.attribute, ...about };
    },
  };
}

function targetKeyOf(aggregate: BoundAggregate, mark: string): ItemKey {
  const key = keyWith(aggregate.on, numberedIds(aggregate.on, 0, mark));
  if (key !== undefined) return key;
  throw refused(aggregate, 'Expected ids of numbers in the keys of the target');
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

function withTotals(aggregate: BoundAggregate, target: Item, members: readonly Item[]): Item {
  if (aggregate.ledger !== undefined) {
    const ledger = ledgerOf(aggregate, keyIn(aggregate.table, target), members);
    return withTotals(aggregate.ledger.heads, target, ledger);
  }
  const unlimited = { ...aggregate, limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' } as const;
  const totals = new Totals(unlimited, target);
  for (const location of totals.locations)
    for (const member of members)
      if (isInLocation(aggregate.table, member, location)) totals.add(member, location);
  return withProjection(target, totals.on());
}

function refused({ name }: BoundAggregate, why: string): DenormError {
  return new DenormError('cost.items', why, { rule: name });
}
