import { exampleItems } from '../examples/kind-values.ts';
import { canonicalMap } from '../model/items/attribute-value.ts';
import type { QueriedLocation } from '../model/items/copy-location.ts';
import { type Item, keyIn } from '../model/items/item.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { memberLocations, targetsOf } from '../plan/aggregate-functions.ts';
import { Totals } from '../plan/totals.ts';
import { exchangedIds, itemIn, misplacement, quotedParts } from './check-rules.ts';
import { type Finding, findings } from './finding.ts';
import { type Tries, tryFunction } from './try-function.ts';

export function checkAggregates({ aggregates }: Registry): readonly Finding[] {
  return aggregates.flatMap((aggregate) => {
    const { name, of, on } = aggregate;
    const targets = exampleItems(on);
    const members = exampleItems(of);
    const placed = tryFunction({ what: `members.at of rule ${name}`, kind: on }, targets, (one) =>
      memberLocations(aggregate, one),
    );
    const named = tryFunction({ what: `targetsOf of rule ${name}`, kind: of }, members, (one) =>
      targetsOf(aggregate, one),
    );
    const misplaced = placed.passed
      .flatMap(({ result }) => result.map((location) => misplacement(of, location)))
      .find((one) => one !== undefined);
    const foreign = named.passed.flatMap(({ result }) => result).find((key) => on.idsOf(key) === undefined);
    return findings('rules', name, [
      ...placed.faults,
      misplaced && `Expected members.at of rule ${name} ${misplaced}`,
      ...named.faults,
      foreign &&
        `Expected targetsOf of rule ${name} to return keys of ${on.name}, got ${quotedParts(foreign.pk, foreign.sk)} for an example: keys of ${on.name} are ${quotedParts(on.pkPattern.pattern, on.skPattern.pattern)}`,
      strayedTargets(aggregate, placed),
      ...Object.keys(aggregate.computes).flatMap((total) => addedUp(aggregate, total, targets, members)),
    ]);
  });
}

/** How `targetsOf` does not give back the target whose `members.at` finds a member. */
function strayedTargets(
  aggregate: BoundAggregate,
  { passed }: Tries<Item, readonly QueriedLocation[]>,
): string | undefined {
  const { name, of, on } = aggregate;
  const found = passed.flatMap(({ example: wanted, result }) =>
    result.flatMap((location) => {
      const members = [itemIn(of, location, 2)].filter((member) => member !== undefined);
      const named = tryFunction({ what: 'targetsOf', kind: of }, members, (one) => {
        const keys = targetsOf(aggregate, one);
        const got = keys.map((key) => exchangedIds(of, one, on, { wanted, named: key, location }));
        return got.every(({ length }) => length > 0) ? got.flat() : [];
      });
      return named.passed.flatMap(({ result }) => result);
    }),
  );
  return (
    found[0] &&
    `Expected targetsOf of rule ${name} to name the target whose members.at finds the member, ${found[0]}`
  );
}

/** What is wrong with a reducer: each member is added up alone, and then four of them in every order. */
function addedUp(
  aggregate: BoundAggregate,
  name: string,
  targets: readonly Item[],
  members: readonly Item[],
): readonly string[] {
  const reducer = aggregate.computes[name];
  if (reducer === undefined || !('from' in reducer)) return [];
  const pairs = targets.flatMap((target) => members.map((member) => ({ target, members: [member] })));
  const total = (one: Added) => totalOf({ ...aggregate, computes: { [name]: reducer } }, one);
  const tried = { what: `computes.${name} of rule ${aggregate.name}`, kind: aggregate.of };
  const alone = tryFunction(tried, pairs, total);
  const target = alone.passed[0]?.example.target;
  if (target === undefined) return alone.faults;
  const added = alone.passed.flatMap(({ example }) => (example.target === target ? example.members : []));
  const orders = permutations(added.slice(0, 4)).map((order) => ({ target, members: order }));
  const { passed, faults } = tryFunction(tried, orders, total);
  if (new Set(passed.map(({ result }) => result)).size <= 1) return [...alone.faults, ...faults];
  return [
    `Expected computes.${name} of rule ${aggregate.name} to give the same total in whatever order members come, got others for examples: add must be associative and commutative`,
  ];
}

interface Added {
  readonly target: Item;
  readonly members: readonly Item[];
}

function totalOf(aggregate: BoundAggregate, { target, members }: Added): string {
  const all: BoundAggregate = {
    ...aggregate,
    members: members.map((member) => ({
      in: 'partition',
      at: () => ({ pk: keyIn(aggregate.table, member).pk }),
    })),
    targetsOf: () => [keyIn(aggregate.table, target)],
    limit: members.length,
    invalid: 'dead-letter',
  };
  const totals = new Totals(all, target);
  for (const member of members) {
    const { pk } = keyIn(aggregate.table, member);
    const location = totals.locations.find((one) => one.pk === pk);
    if (location !== undefined) totals.add(member, location);
  }
  const values = [...totals.on()].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return canonicalMap(Object.fromEntries(values));
}

function permutations<One>(all: readonly One[]): One[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}
