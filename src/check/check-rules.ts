import { exampleItems } from '../examples/numbered-items.ts';
import { didYouMean } from '../model/basics/nearest.ts';
import { type CopyLocation, isListed, listedKeys } from '../model/items/copy-location.ts';
import type { Item } from '../model/items/item.ts';
import { type KeyNames, keyParts } from '../model/items/table-names.ts';
import type { BoundKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { requiredOf } from '../model/rules/creation-checks.ts';
import type { Registry } from '../model/rules/registry.ts';
import { bareCopy, RootProjection } from '../plan/projection.ts';
import { appliesTo, locationOf, rootNamedBy, rootView } from '../plan/rule-functions.ts';
import { impure } from '../testing/purity.ts';
import { type Finding, findings } from './finding.ts';
import { completed, strayedRoots } from './strayed-roots.ts';
import { tryFunction } from './try-function.ts';

export function checkRules({ rules }: Registry): readonly Finding[] {
  return rules.flatMap((rule) => findings('rules', rule.name, faultsOf(rule)));
}

function faultsOf(rule: BoundRule): readonly string[] {
  const { root, copy, located } = rule;
  const of = (name: string, kind: BoundKind) => ({ what: `${name} of rule ${rule.name}`, kind });
  const applied = tryFunction(of('when.root', root), exampleItems(rule.table, root), (one) =>
    appliesTo(rule, one),
  );
  // For an excluded root, the other functions may throw.
  const roots = applied.passed.flatMap(({ example, result }) => (result ? [example] : []));
  if (located.in === 'itself')
    return [
      ...applied.faults,
      ...derivedFaults(
        rule,
        roots.map((one) => ({ root: one, copy: one })),
      ),
    ];
  const placed = tryFunction(of('located.at', root), roots, (one) => locationOf(rule, one));
  const places = placed.passed.map(({ example, result }) => ({ root: example, location: result }));
  const misplaced = places
    .map(({ location }) => misplacement(copy, location))
    .find((one) => one !== undefined);
  const copies = exampleItems(rule.table, copy);
  const named = tryFunction(of('rootOf', copy), copies, (one) => rootNamedBy(rule, one));
  const pairs = rule.creates
    ? places.flatMap((place) => createdAt(rule, place))
    : roots.flatMap((one) => copies.map((other) => ({ root: one, copy: other })));
  return [
    ...[...applied.faults, ...placed.faults],
    ...(misplaced === undefined
      ? [...unknownFields(rule, places), ...strayedRoots(rule, places)]
      : [`Expected located.at of rule ${rule.name} ${misplaced}`]),
    ...named.faults,
    ...derivedFaults(rule, pairs),
  ];
}

interface Place {
  readonly root: Item;
  readonly location: CopyLocation;
}

interface Pair {
  readonly root: Item;
  readonly copy: Item;
}

/** The copies that a rule creates of a root: they are derived from the root and their keys alone. */
function createdAt(rule: BoundRule, { root, location }: Place): Pair[] {
  const keys = isListed(location) ? listedKeys(location) : [];
  return keys.map((key) => ({ root, copy: bareCopy(rule, key) }));
}

function derivedFaults(rule: BoundRule, pairs: readonly Pair[]): readonly string[] {
  const required = rule.creates ? requiredOf(rule) : [];
  return Object.keys(rule.derive).flatMap((name) => {
    const run = ({ root, copy }: Pair) => new RootProjection(rule, root).derive(name, copy);
    const always = rule.creates ? ['copy.invalid'] : [];
    const tried = { what: `derive.${name} of rule ${rule.name}`, kind: rule.root, always };
    const { passed, faults } = tryFunction(tried, pairs, run);
    if (faults.length > 0)
      return rule.creates
        ? faults.map((one) =>
            one.endsWith(impure) ? one : `${one}: of a copy that it creates, derive sees only ids`,
          )
        : faults;
    if (!required.includes(name) || passed.every(({ result }) => result.value !== undefined)) return [];
    return [
      `Expected derive.${name} of rule ${rule.name} to return a value, because the schema of ${rule.copy.name} requires it, got undefined for an example: return one, or make it optional in the schema`,
    ];
  });
}

/** Of a key or of its patterns: `'POST#1' and 'COMMENT#2'`, without a sort key `'POST#1'`. */
export function quotedParts(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => `'${part}'`)
    .join(' and ');
}

/** Why no key of the kind can be in this location, as the end of a sentence; undefined if one can. */
export function misplacement(kind: BoundKind, location: CopyLocation): string | undefined {
  const keys = `keys of ${kind.name} are ${quotedParts(kind.pkPattern.pattern, kind.skPattern.pattern)}`;
  if (location.in === 'index') return undefined;
  if (isListed(location)) {
    const wrong = listedKeys(location).find((key) => kind.idsOf(key) === undefined);
    return (
      wrong &&
      `to return ${location.in === 'keys' ? 'keys' : 'a key'} of ${kind.name}, got ${quotedParts(wrong.pk, wrong.sk)} for an example: ${keys}`
    );
  }
  const pk = String(location.pk);
  const ids = kind.pkPattern.parse(pk);
  if (ids === undefined) return `to return a partition of ${kind.name}, got '${pk}' for an example: ${keys}`;
  const { begins } = location;
  return begins === undefined || completed(kind.skPattern, begins, ids) !== undefined
    ? undefined
    : `to return a begins with which a sort key of ${kind.name} begins, got '${begins}' for an example: ${keys}`;
}

function knownOf(keys: KeyNames): string[] {
  const { sk } = keyParts(keys);
  const limits = sk.some(({ type }) => type === 'S') ? ['begins', 'from', 'to'] : ['from', 'to'];
  return ['pk', ...(sk.length > 1 ? ['sk'] : []), ...(sk.length > 0 ? limits : [])];
}

/** A misspelt `begins` would read the whole partition. */
function unknownFields(rule: BoundRule, places: readonly Place[]): readonly string[] {
  const { located } = rule;
  if (located.in === 'itself') return [];
  const known =
    located.in === 'key' || located.in === 'keys'
      ? ['pk', 'sk']
      : knownOf(located.in === 'index' ? located.index : rule.table);
  const returned = places.flatMap(({ root }) => located.at(rootView(rule, root)));
  const names = returned.flatMap((one) => Object.keys(one));
  return names
    .filter((name) => !known.includes(name))
    .map(
      (name) =>
        `Expected located.at of rule ${rule.name} to return ${known.join(', ')} only, got '${name}' too: ${didYouMean(name, known)}`,
    );
}
