/**
 * Tries the functions of each rule on generated roots and copies: where a root places its copies, and whether a copy there
 * names that root again. A function that fails because of an example, which may be none that the application writes, is no
 * finding, unless it throws on every example.
 */
import { type CopyLocation, isListed, listedKeys } from '../../model/copy-location.ts';
import { requiredOf } from '../../model/creation-checks.ts';
import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import { type AnyKind, type Ids, keyWith } from '../../model/kind.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { viewOf } from '../../model/view.ts';
import { bareCopy } from '../../worker/propagation/plan/root-projection.ts';
import {
  appliesTo,
  derived,
  locationOf,
  rootNamedBy,
  rootView,
} from '../../worker/propagation/plan/rule-functions.ts';
import { completed, exampleIds, exampleItem, exampleItems } from './example-items.ts';
import { faultsOf } from './faults-of.ts';
import type { Finding } from './finding.ts';

export function checkLocations({ table, rules }: Registry): readonly Finding[] {
  const says = new Map<string, string>();
  for (const rule of rules)
    for (const one of [
      ...['A', 'BB'].flatMap((seed) => tried(table, rule, seed)),
      ...thrown(table, rule),
      ...incomplete(table, rule),
    ])
      says.set(one, rule.name);
  return [...says].map(([sentence, rule]) => ({ about: 'rules', subject: rule, says: sentence }));
}

function tried(table: TableNames, rule: Rule, seed: string): string[] {
  const rootIds = exampleIds(rule.root, seed);
  const rootKey = rootIds && keyWith(rule.root, rootIds);
  if (rootIds === undefined || rootKey === undefined) return [];
  const root = exampleItem(table, rule.root, rootKey, seed);
  const predicate = faultsOf(() => appliesTo(table, rule, root)).faults;
  if (predicate.length > 0) return predicate;
  if (rule.located.in === 'itself') return derivedFaults(table, rule, root, root);
  const { faults, result: location } = faultsOf(() => locationOf(table, rule, root));
  if (location === undefined) return faults;
  const misplaced = misplacement(rule.copy, location);
  if (misplaced !== undefined) return [`Expected located.at of rule ${rule.name} ${misplaced}`];
  return [
    ...unknownFields(table, rule, root),
    ...roundTrip(table, rule, { root, rootIds, rootKey }, location, seed),
  ];
}

/** Functions that throw on every example. */
function thrown(table: TableNames, rule: Rule): string[] {
  const all = exampleItems(table, rule.root);
  const excluding = throwing(all, rule.root, (root) => appliesTo(table, rule, root));
  // For an excluded root, the other functions may throw.
  const roots = all.filter((root) => faultsOf(() => appliesTo(table, rule, root)).result === true);
  const itself = rule.located.in === 'itself';
  const copies = itself ? [] : exampleItems(table, rule.copy);
  const pairs = itself
    ? roots.map((root) => ({ root, copy: root }))
    : roots.flatMap((root) => copies.map((copy) => ({ root, copy })));
  return [
    ...excluding,
    ...(itself ? [] : throwing(roots, rule.root, (root) => locationOf(table, rule, root))),
    ...Object.keys(rule.derive).flatMap((name) =>
      throwing(pairs, rule.root, ({ root, copy }) => derivedValue(table, rule, name, { root, copy })),
    ),
    ...throwing(copies, rule.copy, (copy) => rootNamedBy(table, rule, copy)),
  ];
}

function throwing<Example>(
  examples: readonly Example[],
  { name }: AnyKind,
  run: (example: Example) => unknown,
): string[] {
  const tries = examples.map((example) => faultsOf(() => run(example), ['rule.threw']));
  if (!tries.every(({ code }) => code === 'rule.threw')) return [];
  return (tries[0]?.faults ?? []).map((fault) => `${fault}. If ${name} has other values, give it examples`);
}

/** Why no key of the kind can be in this location, as the end of a sentence; undefined if one can. */
export function misplacement(kind: AnyKind, location: CopyLocation): string | undefined {
  const keys = `keys of ${kind.name} are '${kind.pkPattern.pattern}' and '${kind.skPattern.pattern}'`;
  if (location.in === 'index') return undefined;
  if (isListed(location)) {
    const wrong = listedKeys(location).find((key) => kind.idsOf(key) === undefined);
    return (
      wrong &&
      `to return ${location.in === 'keys' ? 'keys' : 'a key'} of ${kind.name}, got '${wrong.pk}' and '${wrong.sk}' for an example: ${keys}`
    );
  }
  const ids = kind.pkPattern.parse(location.pk);
  if (ids === undefined)
    return `to return a partition of ${kind.name}, got '${location.pk}' for an example: ${keys}`;
  const { begins } = location;
  return begins === undefined || completed(kind.skPattern, begins, ids) !== undefined
    ? undefined
    : `to return a begins with which a sort key of ${kind.name} begins, got '${begins}' for an example: ${keys}`;
}

/** A misspelt `begins` would read the whole partition. */
function unknownFields(table: TableNames, rule: Rule, root: Item): string[] {
  const { located } = rule;
  if (located.in === 'itself') return [];
  const view = viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
  const known = located.in === 'key' || located.in === 'keys' ? ['pk', 'sk'] : ['pk', 'begins'];
  const returned = located.in === 'keys' ? located.at(view) : [located.at(view)];
  return [...new Set(returned.flatMap((one) => Object.keys(one)))]
    .filter((name) => !known.includes(name))
    .map(
      (name) =>
        `Expected located.at of rule ${rule.name} to return ${known.join(' and ')} only, got '${name}' too: ${didYouMean(name, known)}`,
    );
}

interface Example {
  readonly root: Item;
  readonly rootIds: Ids;
  readonly rootKey: ItemKey;
}

/** Two copies in the location, which differ in all that the location leaves open. */
function roundTrip(
  table: TableNames,
  rule: Rule,
  { root, rootIds, rootKey }: Example,
  location: CopyLocation,
  seed: string,
): string[] {
  const copies = [`${seed}ccc`, `${seed}dddd`].map((one) => copyIn(table, rule, location, one));
  const [first, second] = copies;
  if (first === undefined || second === undefined) return [];
  const named = [first, second].map((copy) => faultsOf(() => rootNamedBy(table, rule, copy)));
  const faults = [...derivedFaults(table, rule, root, first), ...named.flatMap((one) => one.faults)];
  const [one, other] = named.map(({ result }) => result);
  if (faults.length > 0 || one === undefined || other === undefined) return faults;
  return strayed(rule, rootIds, rootKey, one, other);
}

/** The faults of each function of `derive`. */
function derivedFaults(table: TableNames, rule: Rule, root: Item, copy: Item): string[] {
  return Object.keys(rule.derive).flatMap((name) => {
    const more = rule.creates ? ['copy.invalid'] : [];
    const { faults, code } = faultsOf(() => derivedValue(table, rule, name, { root, copy }), more);
    if (code !== 'copy.invalid') return faults;
    return faults.map(
      (fault) =>
        `${fault}: rule ${rule.name} creates copies, so derive sees no attribute of them, only their ids`,
    );
  });
}

/** The value that a rule derives. A copy that is created is derived from its root and its key alone. */
function derivedValue(
  table: TableNames,
  rule: Rule,
  name: string,
  { root, copy }: { readonly root: Item; readonly copy: Item },
) {
  const seen = rule.creates ? bareCopy(table, rule, keyIn(table, copy)) : copy;
  return derived(table, rule, name, { root, seen: rootView(table, rule, root), copy: seen });
}

/** What a copy that is created would lack for an example, although its schema requires it. */
function incomplete(table: TableNames, rule: Rule): string[] {
  if (!rule.creates) return [];
  const pairs = exampleItems(table, rule.root).flatMap((root) => {
    const { result: keys = [] } = faultsOf(() => {
      const location = appliesTo(table, rule, root) ? locationOf(table, rule, root) : undefined;
      return location !== undefined && isListed(location) ? listedKeys(location) : [];
    });
    return keys.map((key) => ({ root, copy: bareCopy(table, rule, key) }));
  });
  const isLacking = (name: string, pair: (typeof pairs)[number]) => {
    const { result } = faultsOf(() => derivedValue(table, rule, name, pair));
    return result !== undefined && result.value === undefined;
  };
  return requiredOf(table, rule)
    .filter((name) => Object.hasOwn(rule.derive, name) && pairs.some((pair) => isLacking(name, pair)))
    .map(
      (name) =>
        `Expected derive.${name} of rule ${rule.name} to return a value, because the schema of ${rule.copy.name} requires it, got undefined for an example: return one, or make it optional in the schema`,
    );
}

/** How the roots that two copies name differ from theirs, other than by what the location leaves open. */
function strayed(rule: Rule, rootIds: Ids, rootKey: ItemKey, one: ItemKey, other: ItemKey): string[] {
  const start = `Expected rootOf of rule ${rule.name} to name the root whose located.at places the copy`;
  const ids = rule.root.idsOf(one);
  const others = rule.root.idsOf(other);
  if (ids !== undefined && others !== undefined)
    return Object.keys(rootIds)
      .filter((name) => ids[name] === others[name] && ids[name] !== rootIds[name])
      .map((name) => `${start}, got another ${name} ('${ids[name]}', not '${rootIds[name]}') for an example`);
  if (rule.copy.idsOf(one) !== undefined && ids === undefined)
    return [`${start}, got a key of ${rule.copy.name} for an example: return ${rule.root.name}.key(…)`];
  const wrong = (['pk', 'sk'] as const).find((part) => {
    const pattern = part === 'pk' ? rule.root.pkPattern : rule.root.skPattern;
    return one[part] === other[part] && pattern.parse(one[part]) === undefined;
  });
  if (wrong === undefined) return [];
  return [
    `${start}, got the ${wrong} '${one[wrong]}' for an example, and that of the root is '${rootKey[wrong]}': return ${rule.root.name}.key(…)`,
  ];
}

function copyIn(table: TableNames, rule: Rule, location: CopyLocation, seed: string): Item | undefined {
  const key = copyKeyIn(rule.copy, location, seed);
  if (key === undefined || rule.copy.idsOf(key) === undefined) return undefined;
  const copy = exampleItem(table, rule.copy, key, seed);
  if (location.in !== 'index' || rule.located.in !== 'index') return copy;
  const { index } = rule.located;
  return { ...copy, [index.pk]: { S: location.pk }, [index.sk]: { S: `${location.begins ?? ''}${seed}` } };
}

function copyKeyIn(kind: AnyKind, location: CopyLocation, seed: string): ItemKey | undefined {
  if (isListed(location)) return listedKeys(location)[0];
  const ids = exampleIds(kind, seed);
  if (ids === undefined) return undefined;
  if (location.in === 'index') return keyWith(kind, ids);
  const sk = completed(kind.skPattern, location.begins ?? '', {
    ...ids,
    ...kind.pkPattern.parse(location.pk),
  });
  return sk === undefined ? undefined : { pk: location.pk, sk };
}
