import { exampleIds, exampleItem, exampleItems, exampleKey } from '../examples/kind-values.ts';
import { keysWithin } from '../examples/links.ts';
import { didYouMean } from '../model/basics/nearest.ts';
import { type CopyLocation, isListed, listedKeys } from '../model/items/copy-location.ts';
import { type Item, type ItemKey, keyIn } from '../model/items/item.ts';
import { type KeyNames, keyParts } from '../model/items/table-names.ts';
import { filled, type KeyPattern } from '../model/kinds/key-pattern.ts';
import { type BoundKind, idNames, keyWith, type TextIds } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { requiredOf } from '../model/rules/rule-checks.ts';
import { bareCopy, RootProjection } from '../plan/projection.ts';
import { appliesTo, locationOf, rootNamedBy, rootView } from '../plan/rule-functions.ts';
import { impure } from '../testing/purity.ts';
import { type Finding, findings } from './finding.ts';
import { tryFunction } from './try-function.ts';

export function checkRules({ rules }: Registry): readonly Finding[] {
  return rules.flatMap((rule) => findings('rules', rule.name, faultsOf(rule)));
}

function faultsOf(rule: BoundRule): readonly string[] {
  const { root, copy, located } = rule;
  const of = (name: string, kind: BoundKind) => ({ what: `${name} of rule ${rule.name}`, kind });
  const applied = tryFunction(of('when.root', root), exampleItems(root), (one) => appliesTo(rule, one));
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
  const copies = exampleItems(copy);
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

/** How `rootOf` does not give back the root whose `located.at` places a copy, by the first example that shows it. */
function strayedRoots(rule: BoundRule, places: readonly Place[]): readonly string[] {
  const faults = places.map(({ root, location }): readonly string[] => {
    // Two copies in the location, which differ in all that it leaves open.
    const copies = [2, 3]
      .map((number) => itemIn(rule.copy, location, number))
      .filter((copy) => copy !== undefined);
    const { passed } = tryFunction({ what: 'rootOf', kind: rule.copy }, copies, (copy) =>
      rootNamedBy(rule, copy),
    );
    const [one, other] = passed;
    if (one?.result === undefined || other?.result === undefined) return [];
    const about = { wanted: root, named: one.result, location };
    const exchanged = exchangedIds(rule.copy, one.example, rule.root, about);
    return exchanged.length > 0
      ? exchanged
      : strayed(rule, keyIn(rule.table, root), one.result, other.result);
  });
  const found = faults.find(({ length }) => length > 0) ?? [];
  return found.map(
    (got) => `Expected rootOf of rule ${rule.name} to name the root whose located.at places the copy, ${got}`,
  );
}

/**
 * The ids that an item gives to the root that it names from other ids of its key, which has those of the root that finds it as well.
 * To take them from attributes is never one of these. An index says nothing of the key's ids: that of followers finds by user B an
 * item at USER#A and FOLLOWS#B, which names user B.
 */
export function exchangedIds(
  kind: BoundKind,
  item: Item,
  root: BoundKind,
  {
    wanted,
    named,
    location,
  }: { readonly wanted: Item; readonly named: ItemKey; readonly location: CopyLocation },
): readonly string[] {
  if (location.in === 'index') return [];
  const [own = {}, ids = {}] = [keyIn(root.table, wanted), named].map(root.idsOf);
  const ofItem = kind.idsOf(keyIn(kind.table, item)) ?? {};
  return Object.keys(own).flatMap((name) => {
    const id = ids[name];
    if (id === undefined || id === own[name] || ofItem[name] !== own[name]) return [];
    return Object.values(ofItem).includes(id) ? [anotherId(name, id, own[name])] : [];
  });
}

function anotherId(name: string, got: string | undefined, wanted: string | undefined): string {
  return `got another ${name} ('${got}', not '${wanted}') for an example`;
}

/** How the roots that two copies name differ from theirs, other than by what the location leaves open. */
function strayed({ root, copy }: BoundRule, rootKey: ItemKey, one: ItemKey, other: ItemKey): string[] {
  const [ids, others, own = {}] = [one, other, rootKey].map(root.idsOf);
  if (ids !== undefined && others !== undefined)
    return Object.keys(own)
      .filter((name) => ids[name] === others[name] && ids[name] !== own[name])
      .map((name) => anotherId(name, ids[name], own[name]));
  if (copy.idsOf(one) !== undefined && ids === undefined)
    return [`got a key of ${copy.name} for an example: return ${root.name}.key(…)`];
  const wrong = (['pk', 'sk'] as const).find((part) => {
    const pattern = part === 'pk' ? root.pkPattern : root.skPattern;
    return one[part] === other[part] && pattern.parse(one[part]) === undefined;
  });
  if (wrong === undefined) return [];
  return [
    `got the ${wrong} '${one[wrong]}' for an example, and that of the root is '${rootKey[wrong]}': return ${root.name}.key(…)`,
  ];
}

/** An example that is in this location. */
export function itemIn(kind: BoundKind, location: CopyLocation, number: number): Item | undefined {
  const key = itemKeyIn(kind, location, number);
  if (key === undefined || kind.idsOf(key) === undefined) return undefined;
  const item = exampleItem(kind, key, number);
  return location.in === 'index' ? { ...item, ...keysWithin(kind.table, location, String(number)) } : item;
}

function itemKeyIn(kind: BoundKind, location: CopyLocation, number: number): ItemKey | undefined {
  if (isListed(location)) return listedKeys(location)[0];
  const ids = exampleIds(kind, number);
  if (ids === undefined) return undefined;
  if (location.in === 'index') return keyWith(kind, ids);
  const pk = String(location.pk);
  const open = { ...ids, ...kind.pkPattern.parse(pk) };
  const sk = completed(kind.skPattern, location.begins ?? '', open);
  return sk === undefined ? undefined : { pk, sk };
}

/** A key part that begins with this text, its open ids filled in; undefined if none of the pattern does. */
function completed(pattern: KeyPattern, begins: string, ids: TextIds): string | undefined {
  if (pattern.numeric !== undefined) return begins === '' ? ids[pattern.names[0] ?? ''] : undefined;
  const whole = filled(pattern, (name) => ids[name] ?? 'x');
  const letters = [...whole.split('').keys()];
  // What follows the text is the end of such a key part, likely from where the two differ.
  const differ = letters.find((index) => whole[index] !== begins[index]) ?? whole.length;
  return [differ, ...letters]
    .map((from) => begins + whole.slice(from))
    .find((text) => pattern.parse(text) !== undefined);
}

/** Finds rules by which a copy may get the attributes of a foreign tenant's root, because an attribute of the copy names it. */
export function checkTenants({ rules }: Registry): readonly Finding[] {
  return rules.flatMap((rule): Finding[] => {
    const id = idFromAttributes(rule);
    if (id === undefined) return [];
    const message = `Expected rootOf of rule ${rule.name} to take the ${id} from the copy's key, got it from an attribute, by which whoever writes a copy chooses any root: set tenant: '${id}', or, if a copy and its root may have different ones, give the id of one key another name`;
    return findings('rules', rule.name, [message]);
  });
}

/** An id of both keys that a root does not have from its copy's key, although `tenant` could require it. */
function idFromAttributes(rule: BoundRule): string | undefined {
  const { root, copy, reads, located, tenant, tree } = rule;
  const key = exampleKey(copy, 0);
  if (tenant !== undefined || located.in === 'itself' || reads.copy.length === 0 || key === undefined) return;
  const own = copy.idsOf(key) ?? {};
  const copies = [0, 1].map((number) => exampleItem(copy, key, number));
  const { passed } = tryFunction({ what: 'rootOf', kind: copy }, copies, (one) => rootNamedBy(rule, one));
  const named = passed.map(({ result }) => result && root.idsOf(result));
  return idNames(root).find(
    (id) =>
      id !== tree?.id &&
      Object.hasOwn(own, id) &&
      named.some((ids) => ids !== undefined && ids[id] !== own[id]),
  );
}
