import { unlessInvalid } from '../../model/basics/errors.ts';
import { isListed, listedKeys } from '../../model/items/copy-location.ts';
import type { ItemKey, KeyedItem } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import { entryIn, isHead, targetNamed } from '../../model/rules/ledger.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { targetsOf } from '../../plan/aggregate-functions.ts';
import { appliesTo, locationOf } from '../../plan/rule-functions.ts';

/** Rules and aggregates whose drift is searched, or repaired, together. */
export type Selection = Pick<Registry, 'rules' | 'aggregates'>;

/**
 * What a search checks:
 * - `copy`: an item, against the root that it names;
 * - `target`: an item, against its members; the head of a ledger, against its entries;
 * - `placed`: a key at which a root places a copy that its rule creates;
 * - `entry`: what a ledger has of a member for a target;
 * - `member`: whether a target exists that a member names. Without it, the member counts nowhere, unless the aggregate makes it;
 * - `made`: the key of a target that an aggregate makes, against its members.
 */
export type Candidate =
  | { readonly is: 'copy'; readonly rule: BoundRule; readonly copy: KeyedItem }
  | { readonly is: 'target'; readonly rule: BoundAggregate; readonly copy: KeyedItem }
  | { readonly is: 'placed'; readonly rule: BoundRule; readonly root: ItemKey; readonly key: ItemKey }
  | ({ readonly is: 'entry' } & MemberOfTarget)
  | ({ readonly is: 'member' } & MemberOfTarget)
  | { readonly is: 'made'; readonly rule: BoundAggregate; readonly target: ItemKey };

interface MemberOfTarget {
  readonly rule: BoundAggregate;
  readonly target: ItemKey;
  readonly member: ItemKey;
}

export type CandidateThat<Is extends Candidate['is']> = Extract<Candidate, { readonly is: Is }>;

/** What rules and aggregates say of an item: all that it is a copy or a target of, and where it places copies. */
export function candidatesIn(selection: Selection, item: KeyedItem): readonly Candidate[] {
  return [
    ...copiesIn(selection, item),
    ...placedKeysIn(selection.rules, item),
    ...selection.aggregates.flatMap((aggregate) => [
      ...countedIn(aggregate, item),
      ...headedBy(aggregate, item),
    ]),
  ];
}

export function copiesIn(
  { rules, aggregates }: Selection,
  copy: KeyedItem,
): readonly CandidateThat<'copy' | 'target'>[] {
  // Heads of a ledger are the targets of their entries.
  const isTarget = (rule: BoundAggregate) => isOfKind(rule.on, copy.item) || isHead(rule, copy.key);
  return [
    ...rules
      .filter((rule) => isOfKind(rule.copy, copy.item))
      .map((rule) => ({ is: 'copy', rule, copy }) as const),
    ...aggregates.filter(isTarget).map((rule) => ({ is: 'target', rule, copy }) as const),
  ];
}

/** The keys at which this item places copies, by each rule that creates them. */
export function placedKeysIn(
  rules: readonly BoundRule[],
  root: KeyedItem,
): readonly CandidateThat<'placed'>[] {
  return rules
    .filter((rule) => rule.creates && isOfKind(rule.root, root.item))
    .flatMap((rule) =>
      keysPlaced(rule, root).map((key) => ({ is: 'placed', rule, root: root.key, key }) as const),
    );
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

/** The target of a head, if the aggregate makes it. */
export function headedBy(rule: BoundAggregate, { key, item }: KeyedItem): readonly CandidateThat<'made'>[] {
  const target = rule.creates && isHead(rule, key) ? targetNamed(item) : undefined;
  return target === undefined ? [] : [{ is: 'made', rule, target }];
}

/**
 * What an item says of an aggregate: whose entry it is, or the targets that it counts for as a member. With or without a ledger, a
 * member on which `targetsOf` fails gives its own key, so that it is looked at and reported although no target may find it.
 */
export function countedIn(
  rule: BoundAggregate,
  { key, item }: KeyedItem,
): readonly CandidateThat<'entry' | 'member'>[] {
  const entry = entryIn(rule, key, item);
  const own = entry && ({ is: 'entry', rule, ...entry } as const);
  if (!isOfKind(rule.of, item)) return own === undefined ? [] : [own];
  const countsFor = (is: 'entry' | 'member', target: ItemKey) => ({ is, rule, target, member: key });
  return unlessInvalid(
    () => {
      const targets = targetsOf(rule, item);
      const posted = rule.ledger === undefined ? [] : targets.map((target) => countsFor('entry', target));
      return [
        ...(own === undefined ? posted : [own]),
        ...targets.map((target) => countsFor('member', target)),
      ];
    },
    () => [own ?? countsFor('entry', key)],
  );
}
