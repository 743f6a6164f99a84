import { unlessInvalid } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import { type Item, keyIn } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { type BoundKind, isOfKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { policyEffects } from '../model/rules/rule.ts';
import { policiesOf, sourceName, withoutOwned } from '../model/rules/rule-attributes.ts';
import { isIncluded, rootNamedBy } from '../plan/rule-functions.ts';
import { faultsOf } from '../testing/purity.ts';
import { anyOf, itemWith, type KindValues, knownValues, valuesOfKinds, variantOf } from './kind-values.ts';
import {
  itemNear,
  type Link,
  linkedItem,
  linkOfAggregate,
  linkOfRule,
  ownTexts,
  type Sources,
} from './links.ts';
import { Random } from './random.ts';

export interface Project {
  readonly registry: Registry;
  readonly table: TableNames;
  readonly links: readonly Link[];
  valuesOf(kind: BoundKind): KindValues;
  /** Undefined if the item is of no kind. */
  valuesOfItem(item: Item): KindValues | undefined;
  own(kind: BoundKind, random: Random): readonly string[];
}

export interface Obstacle {
  readonly needs: 'examples' | 'correction';
  readonly message: string;
}

/** Roots of each key on which links and functions are tried. */
const samples = 8;

export function projectOf(registry: Registry): {
  readonly project: Project;
  readonly obstacles: readonly Obstacle[];
} {
  const { table, rules, aggregates } = registry;
  const values = valuesOfKinds(registry);
  const valuesOf = (kind: BoundKind): KindValues =>
    values.get(kind.name) ?? { kind, pools: new Map(), keys: [], unknown: [], rejected: [] };
  const own = (kind: BoundKind, random: Random): readonly string[] => {
    const texts = ownTexts(valuesOf(kind));
    const first = random.int(0, texts.length - 1);
    return [...texts.slice(first), ...texts.slice(0, first)];
  };
  const making = { rules, valuesOf, own };
  const missing = [...values.values()].flatMap(obstaclesOf);
  const tried = [
    ...rules.map((rule) => tryOut(making, linkOfRule(rule), rule)),
    ...aggregates.map((aggregate) => tryOut(making, linkOfAggregate(aggregate))),
  ];
  const valuesOfItem = (item: Item) => [...values.values()].find(({ kind }) => isOfKind(kind, item));
  const links = tried.flatMap(({ link }) => link ?? []);
  return {
    project: { registry, table, links, valuesOf, valuesOfItem, own },
    obstacles: missing.length > 0 ? missing : tried.flatMap(({ obstacles }) => obstacles),
  };
}

function obstaclesOf({ kind, unknown, rejected }: KindValues): Obstacle[] {
  return [
    ...unknown.map(
      (name) =>
        `Expected to make values of '${name}' of ${kind.name} from its schema, but it accepts none of those that were tried: add examples to the kind, such as examples: [{ ${name}: … }, { ${name}: … }]`,
    ),
    ...rejected.map(
      (name) =>
        `Expected each example of '${name}' of ${kind.name} to be a value that its schema accepts, found one that it rejects: correct the example`,
    ),
  ].map(needingExamples);
}

function needingExamples(message: string): Obstacle {
  return { needs: 'examples', message };
}

type Making = Pick<Project, 'valuesOf' | 'own'> & Pick<Registry, 'rules'>;

interface Tried {
  readonly root: Item;
  readonly rest: Item;
  readonly found: ReturnType<typeof linkedItem>;
}

/** Makes roots, and items for each; with a rule, calls its functions for them. */
function tryOut(
  making: Making,
  link: Link | undefined,
  rule?: BoundRule,
): { readonly link?: Link; readonly obstacles: readonly Obstacle[] } {
  const { valuesOf } = making;
  const root = rule?.root ?? link?.root;
  const roots = root === undefined ? [] : rootsOf(making, root);
  if (rule?.when !== undefined && !roots.some((one) => isIncludable(rule, valuesOf(rule.root), one)))
    return { obstacles: [neverTrue(rule)] };
  const tried = link === undefined ? [] : roots.map((one) => triedFor(making, link, one));
  const usual = mostFrequent(tried.flatMap(({ found }) => (found === undefined ? [] : [found.sources])));
  const faults = rule === undefined ? [] : faultsIn(making, rule, tried, roots);
  const wrong = link === undefined ? undefined : wrongLink(link, tried, rule);
  return {
    ...(link && { link: usual === undefined ? link : { ...link, usual } }),
    obstacles: faults.length > 0 || wrong === undefined ? faults : [wrong],
  };
}

function rootsOf({ valuesOf }: Making, kind: BoundKind): Item[] {
  const random = new Random(1);
  const values = valuesOf(kind);
  return values.keys.flatMap((key) =>
    Array.from({ length: samples }, () => itemWith(values, key, anyOf(random))),
  );
}

function triedFor({ valuesOf, own }: Making, link: Link, root: Item): Tried {
  const random = new Random(2);
  const values = valuesOf(link.item);
  const rest = itemWith(values, values.keys[0] ?? { pk: '', sk: '' }, anyOf(random));
  return { root, rest, found: linkedItem(link, root, rest, own(link.item, random)) };
}

function mostFrequent(all: readonly Sources[]): Sources | undefined {
  const counted = [...Map.groupBy(all, (one) => JSON.stringify(one)).values()];
  return counted.sort((a, b) => b.length - a.length)[0]?.[0];
}

function isIncludable(rule: BoundRule, values: KindValues, root: Item): boolean {
  return variantOf(values, root, rule.reads.root, (one) => isIncluded(rule, one)) !== undefined;
}

function neverTrue({ name, root, reads }: BoundRule): Obstacle {
  return needingExamples(
    `Expected to make ${withArticle(root.name)} for which when of ${name} is true, but found none: add examples of ${reads.root.join(' and ') || 'its ids'} to ${root.name}, or correct when`,
  );
}

/** What is wrong with the functions of a rule (promise 9), each sentence once. */
function faultsIn(
  { rules, valuesOf }: Making,
  rule: BoundRule,
  tried: readonly Tried[],
  roots: readonly Item[],
): Obstacle[] {
  const pairs =
    rule.located.in === 'itself'
      ? roots.map((root) => ({ root, copy: root }))
      : tried.map(({ root, rest, found }) => ({ root, copy: found?.item ?? rest }));
  // What another rule clears may be what this one needs.
  const clearing = rules.filter((one) => policiesOf(one).some((policy) => policyEffects[policy].clears));
  const [pair] = pairs;
  const cleared = clearing.flatMap((other) => {
    if (pair === undefined) return [];
    const root = isOfKind(other.copy, pair.root) ? withoutOwned(other, pair.root) : pair.root;
    return [{ root, copy: rule.located.in === 'itself' ? root : pair.copy }];
  });
  const faults = faultsOf(rule, [...pairs, ...cleared]);
  const moved = linkMoves(rule, valuesOf(rule.root), roots);
  return [...new Set([...faults, ...moved].map((what) => `Rule ${rule.name}: ${what}`))].map((message) => ({
    needs: 'correction',
    message,
  }));
}

/** A copied attribute that decides where copies are never reaches one: those at the old location are not moved, nor others created. */
function linkMoves(rule: BoundRule, values: KindValues, roots: readonly Item[]): string[] {
  const link = linkOfRule(rule);
  if (link === undefined || rule.copies === 'all' || rule.creates) return [];
  const sources = rule.copies.map((name) => sourceName(rule, name));
  return sources.flatMap((name) => {
    const known = knownValues(values, name);
    const isMoved = roots.some((root) => {
      const places = known.map((value) => link.placesOf({ ...root, [name]: value }));
      return new Set(places.filter(({ length }) => length > 0).map((one) => JSON.stringify(one))).size > 1;
    });
    return isMoved
      ? [
          `located.at depends on '${name}', which the rule copies: no copy is at the new location, so its change reaches none. Locate copies by what does not change`,
        ]
      : [];
  });
}

function wrongLink(link: Link, tried: readonly Tried[], rule: BoundRule | undefined): Obstacle | undefined {
  const { table, name, root, item } = link;
  const astray = tried.filter(({ found }) => found === undefined);
  if (rule === undefined) {
    if (astray.length < tried.length) return undefined;
    return needingExamples(
      `Expected to make ${withArticle(item.name)} that members.at of ${name} finds and whose targetsOf gives the target, but found none: correct the aggregate, or add examples to ${item.name} and ${root.name}`,
    );
  }
  const near = astray.map((one) => itemNear(link, one.root, one.rest));
  const rootOf = (copy: Item) =>
    unlessInvalid(
      () => rootNamedBy(rule, copy),
      () => undefined,
    );
  const isNamed = near.some((copy) => copy !== undefined && rootOf(copy) !== undefined);
  if (astray.length === tried.length && !isNamed)
    return needingExamples(
      `Expected to make ${withArticle(item.name)} that located.at of ${name} finds and whose rootOf gives the root, but found none: correct the rule, or add examples to ${item.name} and ${root.name}`,
    );
  if (!isNamed) return undefined;
  const what =
    astray.length === tried.length
      ? 'no copy that located.at finds leads back to its root: rootOf gives the key of another item. Correct rootOf or located'
      : `located.at of a root finds a copy whose rootOf gives another root: give each root its own copies, or correct rootOf. No copy leads back to ${JSON.stringify(keyIn(table, astray[0]?.root ?? {}))}`;
  return { needs: 'correction', message: `Rule ${name}: ${what}` };
}
