/**
 * Tries the functions of each aggregate on generated targets and members: where a target has its members, and whether a
 * member names targets. A function that fails because of an example, which may be none that the application writes, is no
 * finding.
 */
import type { Aggregate } from '../model/aggregate.ts';
import type { Item } from '../model/item.ts';
import type { AnyKind } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import type { TableNames } from '../model/table-names.ts';
import { memberLocations, targetsOf } from '../propagation/plan/aggregate-functions.ts';
import { faultsOf, misplacement } from './check-locations.ts';
import { exampleItem, exampleKey } from './example-items.ts';
import type { Finding } from './finding.ts';

export function checkAggregates({ table, aggregates }: Registry): readonly Finding[] {
  const says = new Map<string, string>();
  for (const aggregate of aggregates)
    for (const seed of ['A', 'BB'])
      for (const one of [...placed(table, aggregate, seed), ...named(table, aggregate, seed)])
        says.set(one, aggregate.name);
  return [...says].map(([sentence, rule]) => ({ about: 'rules', subject: rule, says: sentence }));
}

/** What is wrong with where an example of a target has its members. */
function placed(table: TableNames, aggregate: Aggregate, seed: string): string[] {
  const target = example(table, aggregate.on, seed);
  if (target === undefined) return [];
  const { faults, result = [] } = faultsOf(() => memberLocations(table, aggregate, target));
  const misplaced = result.flatMap((location) => misplacement(aggregate.of, location) ?? []);
  return [...faults, ...misplaced.map((one) => `Expected members.at of rule ${aggregate.name} ${one}`)];
}

/** What is wrong with the targets that an example of a member names. */
function named(table: TableNames, aggregate: Aggregate, seed: string): string[] {
  const { name, on } = aggregate;
  const member = example(table, aggregate.of, seed);
  if (member === undefined) return [];
  const { faults, result = [] } = faultsOf(() => targetsOf(table, aggregate, member));
  const again = faultsOf(() => targetsOf(table, aggregate, member)).result ?? [];
  if (JSON.stringify(result) !== JSON.stringify(again))
    return [
      `Expected targetsOf of rule ${name} to give the same keys for the same member, got others: it must be pure`,
    ];
  const wrong = result.find((key) => on.idsOf(key) === undefined);
  if (wrong === undefined) return faults;
  return [
    `Expected targetsOf of rule ${name} to return keys of ${on.name}, got '${wrong.pk}' and '${wrong.sk}' for an example: keys of ${on.name} are '${on.pkPattern.pattern}' and '${on.skPattern.pattern}'`,
  ];
}

function example(table: TableNames, kind: AnyKind, seed: string): Item | undefined {
  const key = exampleKey(kind, seed);
  return key && exampleItem(table, kind, key, seed);
}
