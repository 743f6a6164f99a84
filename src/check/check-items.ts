import { unlessInvalid } from '../model/basics/errors.ts';
import { expiryOf, isTooOld } from '../model/items/expiry.ts';
import { attribute, type Item, type KeyedItem, keyAsJson, keyText } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { type BoundKind, fitsKind, isOfKind, isSameKind } from '../model/kinds/kind.ts';
import { exceededLimit, parsedBy } from '../model/kinds/view.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { declaresKeys } from '../model/rules/index-keys.ts';
import { countedKinds, type KindCounts, usedKinds } from '../model/rules/kind-counts.ts';
import type { Registry } from '../model/rules/registry.ts';
import { requiredOf } from '../model/rules/rule-checks.ts';
import { targetsOf } from '../plan/aggregate-functions.ts';
import { RootProjection } from '../plan/projection.ts';
import { rootNamedBy } from '../plan/rule-functions.ts';
import { countedIn } from '../worker/verify/candidates.ts';
import { readersOf } from './check-cleared.ts';
import { kindMessages, remedy } from './check-kinds.ts';
import { type Finding, findings } from './finding.ts';

const noItems: Finding = {
  about: 'table',
  subject: 'items',
  message: 'Expected items to compare with the kinds, found none: nothing was looked at',
};

/**
 * Compares kinds with items of the table. Findings hold keys, types and attribute names, no other content.
 * @param counts of a larger part of the table, if more than these items were counted
 */
export function checkItems(
  registry: Registry,
  items: readonly KeyedItem[],
  counts: KindCounts = countedKinds(registry, items),
): readonly Finding[] {
  if (items.length === 0) return [noItems];
  const used = new Map(usedKinds(registry).map((one) => [one.kind.name, one]));
  const ofKinds = registry.kinds.flatMap((kind) => {
    const own = items.filter(({ item }) => isOfKind(kind, item));
    return findings('table', kind.name, [
      ...kindMessages(used.get(kind.name) ?? { kind, users: [] }, counts),
      ...claimedTwice(registry, kind, items),
      ...unaccepted(registry, kind, own),
      ...unmade(registry, kind, own),
      ...unexpiring(kind, own),
    ]);
  });
  const ofAggregates = registry.aggregates.flatMap((one) =>
    findings('table', one.name, [targetless(one, items)]),
  );
  return [...ofKinds, ...ofAggregates, ...nameless(registry, items)];
}

/** If a sample has some targets, those that it lacks may exist. */
function targetless(aggregate: BoundAggregate, items: readonly KeyedItem[]): string | undefined {
  if (aggregate.creates || items.some(({ item }) => isOfKind(aggregate.on, item))) return undefined;
  const named = items.flatMap((item) => countedIn(aggregate, item)).filter(({ is }) => is === 'member');
  const [first] = named;
  if (first === undefined) return undefined;
  const members = new Set(named.map(({ member }) => keyText(member))).size;
  return `Expected items of ${aggregate.on.name} for ${members} of ${aggregate.of.name} to count for, such as ${keyAsJson(aggregate.table, first.target)}, found none: write the targets, or let the aggregate create them: creates`;
}

/** Items that a kind listed later could claim as well. */
function claimedTwice({ table, kinds }: Registry, kind: BoundKind, items: readonly KeyedItem[]) {
  return kinds.slice(kinds.indexOf(kind) + 1).map((other) => {
    const both = items.filter(({ item }) => [kind, other].every((one) => fitsKind(one, item)));
    const [first] = both;
    if (first === undefined || kind.name === other.name) return undefined;
    const taken = [kind, other].flatMap((one) => (isOfKind(one, first.item) ? one.name : []));
    return `Expected each item to fit one kind, found ${both.length} of ${items.length} items that fit ${kind.name} and ${other.name}, such as ${keyAsJson(table, first.key)}, which is taken for ${taken.join(' and ')}: ${remedy}`;
  });
}

function unaccepted(registry: Registry, kind: BoundKind, own: readonly KeyedItem[]) {
  const { table } = registry;
  const needed = neededOf(registry, kind);
  return Object.entries(kind.attributes.shape).map(([name, schema]) => {
    const wrong = own.filter(({ item }) => {
      const value = attribute(item, name);
      if (value === undefined && !needed.has(name)) return false;
      return !parsedBy(schema, value).success;
    });
    const [first] = wrong;
    if (first === undefined) return undefined;
    const value = attribute(first.item, name);
    const limit = exceededLimit(parsedBy(schema, value).error?.issues[0], value);
    const found = value === undefined ? 'none' : `another of type ${Object.keys(value)[0]}${limit}`;
    return `Expected ${name} of ${kind.name} to be a value that its schema accepts, found ${found} on ${wrong.length} of ${own.length} items, such as ${keyAsJson(table, first.key)}: widen the schema, or correct the items`;
  });
}

/** Items of which a declared index key cannot be made, other than for a value that the schema refuses. */
function unmade({ table, rules }: Registry, kind: BoundKind, own: readonly KeyedItem[]) {
  const declaring = rules.filter((rule) => isSameKind(rule.root, kind) && declaresKeys(rule));
  return declaring.map((rule) => {
    const faults = own.flatMap(({ key, item }) => {
      const projection = new RootProjection(rule, item);
      projection.on(item);
      const { fault } = projection;
      return fault === undefined || fault.attribute !== undefined ? [] : [{ key, fault }];
    });
    const [first] = faults;
    if (first === undefined) return undefined;
    return `Expected ${kind.name} to have values of which its index keys can be made, found others on ${faults.length} of ${own.length} items, such as ${keyAsJson(table, first.key)}: ${first.fault.message}: correct the items, or the pattern`;
  });
}

/** What rules read of a kind or copy from it by name, and what the copies that they create must have. */
function neededOf(registry: Registry, kind: BoundKind): ReadonlySet<string> {
  const created = registry.rules.filter((rule) => rule.creates && isSameKind(rule.copy, kind));
  const read = readersOf(registry, kind).flatMap(({ reads }) => reads);
  return new Set([...created.flatMap(requiredOf), ...read]);
}

/** Rules of which no copy names a root, and aggregates of which no member names a target: they do nothing. */
export function nameless(registry: Registry, items: readonly KeyedItem[]): readonly Finding[] {
  const { rules, aggregates } = registry;
  const ofRules = rules.flatMap((rule) => {
    const names = (copy: Item) => rootNamedBy(rule, copy) !== undefined;
    return noneNames(rule.name, rule.copy, names, 'a root, found none: correct rootOf, or the items');
  });
  const ofAggregates = aggregates.flatMap((aggregate) => {
    const names = (member: Item) => targetsOf(aggregate, member).length > 0;
    return noneNames(
      aggregate.name,
      aggregate.of,
      names,
      'a target, found none: correct targetsOf, or the items',
    );
  });
  return [...ofRules, ...ofAggregates];

  function noneNames(rule: string, kind: BoundKind, names: (item: Item) => boolean, what: string) {
    const own = items.filter(({ item }) => isOfKind(kind, item));
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

/** Later is a year after 5000, or milliseconds of one after 1973. */
const maxSeconds = 1e11;

/** Of items of a kind whose TTL attribute lets DynamoDB keep them, a message for each reason. */
function unexpiring(kind: BoundKind, own: readonly KeyedItem[]): string[] {
  const { table } = kind;
  const now = Date.now() / 1000;
  const found = own.flatMap(({ key, item }) => {
    const because = unexpiringBecause(table, item, now);
    return because === undefined ? [] : [{ key, ...because }];
  });
  return [...Map.groupBy(found, ({ is }) => is)].flatMap(([is, [first, ...others]]) => {
    if (first === undefined) return [];
    const where = `on ${others.length + 1} of ${own.length} items, such as ${keyAsJson(table, first.key)}`;
    return `Expected ${table.ttl} of ${kind.name}, the TTL attribute, to be a number in epoch seconds, found ${is} ${where}: ${first.correct}`;
  });
}

function unexpiringBecause(table: TableNames, item: Item, now: number) {
  const value = attribute(item, table.ttl);
  if (value === undefined) return undefined;
  const seconds = expiryOf(table, item);
  if (seconds === undefined)
    return {
      is: `another of type ${Object.keys(value)[0]}`,
      correct: 'correct the items, which neither expire nor are archived',
    };
  if (seconds > maxSeconds)
    return { is: 'milliseconds', correct: 'divide them by 1,000, as the items do not expire' };
  if (isTooOld(seconds, now))
    return {
      is: 'a time more than five years ago',
      correct: 'set a later one, as DynamoDB does not delete the items',
    };
  return undefined;
}
