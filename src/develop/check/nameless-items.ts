import { unlessInvalid } from '../../model/errors.ts';
import type { Item, KeyedItem } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import { targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { rootNamedBy } from '../../worker/propagation/plan/rule-functions.ts';
import { type Finding, findings } from './finding.ts';

/** Rules of which no copy names a root, and aggregates of which no member names a target: they do nothing. */
export function nameless(registry: Registry, items: readonly KeyedItem[]): readonly Finding[] {
  const { table, rules, aggregates } = registry;
  const ofRules = rules.flatMap((rule) => {
    const names = (copy: Item) => rootNamedBy(table, rule, copy) !== undefined;
    return noneNames(rule.name, rule.copy, names, 'a root, found none: correct rootOf, or the items');
  });
  const ofAggregates = aggregates.flatMap((aggregate) => {
    const names = (member: Item) => targetsOf(table, aggregate, member).length > 0;
    return noneNames(
      aggregate.name,
      aggregate.of,
      names,
      'a target, found none: correct targetsOf, or the items',
    );
  });
  return [...ofRules, ...ofAggregates];

  function noneNames(rule: string, kind: AnyKind, names: (item: Item) => boolean, what: string) {
    const own = items.filter(({ item }) => isOfKind(table, kind, item));
    // An item on which the function fails is another finding.
    const doesName = ({ item }: KeyedItem) =>
      unlessInvalid(
        () => names(item),
        () => true,
      );
    if (own.length === 0 || own.some(doesName)) return [];
    return findings('table', rule, [`Expected some of ${own.length} items of ${kind.name} to name ${what}`]);
  }
}
