/**
 * Tries the functions of each aggregate on targets and members of several values, which are the examples of their kinds, or
 * made from their schemas: where a target has its members, the targets that a member names, and how members are added up. A
 * function that works on one of them is no finding, because the others may be values that the application never writes.
 */
import type { Aggregate } from '../../model/aggregate.ts';
import { canonicalMap } from '../../model/attribute-value.ts';
import { type Item, keyIn } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { memberLocations, targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { Totals } from '../../worker/propagation/plan/totals.ts';
import { misplacement } from './check-locations.ts';
import { exampleItems } from './example-items.ts';
import { faultsOf } from './faults-of.ts';
import type { Finding } from './finding.ts';

export function checkAggregates({ table, aggregates }: Registry): readonly Finding[] {
  return aggregates.flatMap((aggregate) => {
    const examples = {
      targets: exampleItems(table, aggregate.on),
      members: exampleItems(table, aggregate.of),
    };
    const says = [
      ...placed(table, aggregate, examples),
      ...named(table, aggregate, examples),
      ...Object.keys(aggregate.computes).flatMap((name) => added(table, aggregate, name, examples)),
    ];
    return [...new Set(says)].map((one): Finding => ({ about: 'rules', subject: aggregate.name, says: one }));
  });
}

interface Examples {
  readonly targets: readonly Item[];
  readonly members: readonly Item[];
}

/** What is wrong with where examples of a target have their members. */
function placed(table: TableNames, aggregate: Aggregate, { targets }: Examples): string[] {
  const { faults, results } = triedOn(targets, aggregate.on, (one) => memberLocations(table, aggregate, one));
  const misplaced = results
    .flat()
    .map((location) => misplacement(aggregate.of, location))
    .find((one) => one !== undefined);
  if (misplaced === undefined) return faults;
  return [...faults, `Expected members.at of rule ${aggregate.name} ${misplaced}`];
}

/** What is wrong with the targets that examples of a member name. */
function named(table: TableNames, aggregate: Aggregate, { members }: Examples): string[] {
  const { name, on } = aggregate;
  const { faults, results } = triedOn(members, aggregate.of, (one) => ({
    first: targetsOf(table, aggregate, one),
    again: targetsOf(table, aggregate, one),
  }));
  if (results.some(({ first, again }) => JSON.stringify(first) !== JSON.stringify(again)))
    return [
      `Expected targetsOf of rule ${name} to give the same keys for the same member, got others: it must be pure`,
    ];
  const wrong = results.flatMap(({ first }) => first).find((key) => on.idsOf(key) === undefined);
  if (wrong === undefined) return faults;
  return [
    `Expected targetsOf of rule ${name} to return keys of ${on.name}, got '${wrong.pk}' and '${wrong.sk}' for an example: keys of ${on.name} are '${on.pkPattern.pattern}' and '${on.skPattern.pattern}'`,
  ];
}

/** What is wrong with a reducer: each member is added up alone, and then four of them in every order. */
function added(table: TableNames, aggregate: Aggregate, name: string, examples: Examples): string[] {
  const reducer = aggregate.computes[name];
  if (reducer === undefined || !('from' in reducer)) return [];
  const total = (target: Item, members: readonly Item[]) => totalOf(table, aggregate, name, target, members);
  const pairs = examples.targets.flatMap((target) => examples.members.map((member) => ({ target, member })));
  const { faults, results } = triedOn(pairs, aggregate.of, (pair) => {
    total(pair.target, [pair.member]);
    return pair;
  });
  const target = results[0]?.target;
  if (target === undefined) return faults;
  const members = results.filter((one) => one.target === target).map(({ member }) => member);
  const start = `Expected computes.${name} of rule ${aggregate.name} to give the same total`;
  const orders = permutations(members.slice(0, 4));
  const { faults: ofOrders, results: totals } = triedOn(orders, aggregate.of, (order) => ({
    first: total(target, order),
    again: total(target, order),
  }));
  if (totals.some(({ first, again }) => first !== again))
    return [`${start} for the same members, got others: from and add must be pure`];
  if (new Set(totals.map(({ first }) => first)).size > 1)
    return [
      `${start} in whatever order members come, got others for examples: add must be associative and commutative`,
    ];
  return [...faults, ...ofOrders];
}

/** The total of these members, wherever they are and whatever targets they name. */
function totalOf(
  table: TableNames,
  aggregate: Aggregate,
  name: string,
  target: Item,
  members: readonly Item[],
): string {
  const reducer = aggregate.computes[name];
  const all: Aggregate = {
    ...aggregate,
    computes: { ...(reducer && { [name]: reducer }) },
    members: members.map((member) => ({ in: 'partition', at: () => ({ pk: keyIn(table, member).pk }) })),
    targetsOf: () => [keyIn(table, target)],
    limit: members.length,
    invalid: 'dead-letter',
  };
  const totals = new Totals(table, all, target);
  for (const member of members) {
    const { pk } = keyIn(table, member);
    const location = totals.locations.find((one) => one.pk === pk);
    if (location !== undefined) totals.add(member, location);
  }
  const value = totals.computed().get(name);
  return canonicalMap(value === undefined ? {} : { [name]: value });
}

/**
 * What a function returns for examples of a kind, and its faults. To read what is not declared is always one; to throw, or
 * to return something else, is one if it happens on every example.
 */
function triedOn<Example, Result>(
  examples: readonly Example[],
  { name }: AnyKind,
  run: (example: Example) => Result,
): { readonly results: readonly Result[]; readonly faults: string[] } {
  const tries = examples.map((example) => faultsOf(() => run(example), ['rule.threw']));
  const results = tries.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const undeclared = tries.flatMap(({ code, faults }) => (code === 'rule.undeclared-read' ? faults : []));
  if (undeclared.length > 0 || !tries.every(({ faults }) => faults.length > 0))
    return { results, faults: undeclared };
  const [first = []] = tries.map(({ faults }) => faults);
  return { results, faults: first.map((fault) => `${fault}. If ${name} has other values, give it examples`) };
}

function permutations<One>(all: readonly One[]): One[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}
