import type { Aggregate } from '../../../../model/aggregate.ts';
import type { Item } from '../../../../model/item.ts';
import type { AnyKind } from '../../../../model/kind.ts';
import type { Registry } from '../../../../model/registry.ts';
import type { Rule } from '../../../../model/rule.ts';
import { relationOf } from '../../relation-of.ts';
import type { Relation } from '../oracle/relation.ts';
import { Random } from '../random.ts';
import {
  copyBy,
  isOfRoot,
  ownValues,
  placeOf,
  plainRecipe,
  type Recipe,
  recipesOf,
  rootNamed,
} from './copy-recipe.ts';
import { includedRoots } from './included-roots.ts';
import { idPool, itemWith, type KindValues, valuesOfKinds } from './kind-values.ts';
import { memberOf } from './members.ts';

/** A rule, and how its copies are written. */
export interface SimulatedRule {
  readonly rule: Rule;
  readonly relation: Relation;
  /** Undefined if the rule's root is its own copy, or if no way was found. */
  readonly recipe: Recipe | undefined;
  /** Whether everything that names the root in a copy comes from the root. */
  readonly certain: boolean;
}

/** The rules of a project, with values for their items. */
export interface Project {
  readonly registry: Registry;
  readonly rules: readonly SimulatedRule[];
  valuesOf(kind: AnyKind): KindValues;
  /** Values of a copy's own, in random order. */
  own(rule: SimulatedRule, random: Random): readonly string[];
}

/** What stands in the way of a simulation: examples that are needed, or a rule that cannot work. */
export interface Obstacle {
  readonly needs: 'examples' | 'correction';
  readonly message: string;
}

/** Roots of each kind on which recipes are tried. */
const samples = 8;

/** Finds values for the items of the rules, and how copies are written. */
export function projectOf(registry: Registry): {
  readonly project: Project;
  readonly obstacles: readonly Obstacle[];
} {
  const values = valuesOfKinds(registry);
  const valuesOf = (kind: AnyKind): KindValues =>
    values.get(kind) ?? { kind, pools: new Map(), keys: [], unknown: [], rejected: [] };
  const missing = [...values.values()].flatMap(({ kind, unknown, rejected }) => [
    ...unknown.map((name) => lacking(kind, name)),
    ...rejected.map((name) => mistaken(kind, name)),
  ]);
  const found = registry.rules.map((rule) => simulated(registry, rule, valuesOf));
  const memberless = registry.aggregates.flatMap((one) => withoutMembers(registry, one, valuesOf) ?? []);
  return {
    project: {
      ...{ registry, valuesOf, rules: found.map(({ rule }) => rule) },
      own({ rule }, random) {
        const own = ownValues(valuesOf(rule.copy));
        const first = random.int(0, own.length - 1);
        return [...own.slice(first), ...own.slice(0, first)];
      },
    },
    obstacles: [
      ...missing,
      ...(missing.length > 0 ? [] : [...found.flatMap(({ obstacle }) => obstacle ?? []), ...memberless]),
    ],
  };
}

function lacking(kind: AnyKind, name: string): Obstacle {
  const message = `Expected to make values of '${name}' of ${kind.name} from its schema, but it accepts none of those that were tried: add examples to the kind, such as examples: [{ ${name}: … }, { ${name}: … }]`;
  return { needs: 'examples', message };
}

function mistaken(kind: AnyKind, name: string): Obstacle {
  const message = `Expected each example of '${name}' of ${kind.name} to be a value that its schema accepts, found one that it rejects: correct the example`;
  return { needs: 'examples', message };
}

function simulated(
  registry: Registry,
  rule: Rule,
  valuesOf: (kind: AnyKind) => KindValues,
): { readonly rule: SimulatedRule; readonly obstacle?: Obstacle } {
  const relation = relationOf(registry.table, rule);
  const roots = valuesOf(rule.root);
  const whole = { rule, relation, recipe: undefined, certain: false };
  if (rule.when !== undefined && isNeverTrue(registry, rule, roots))
    return { rule: whole, obstacle: neverTrue(rule) };
  if (rule.located.in === 'itself') return { rule: whole };
  const copies = valuesOf(rule.copy);
  const random = new Random(1);
  const [copyKey] = copies.keys;
  const tried = Array.from({ length: copyKey === undefined ? 0 : samples }, (_, index) => ({
    root: itemWith(registry, roots, roots.keys[index % roots.keys.length] ?? { pk: '', sk: '' }, random),
    rest: itemWith(registry, copies, copyKey ?? { pk: '', sk: '' }, random),
  }));
  const recipes = recipesOf(registry, rule, copies, tried);
  const best = recipes[0]?.led ?? 0;
  // A name that comes from the root is what an application writes, wherever it leads.
  const certain = recipes.find(
    ({ recipe, led }) => led * 2 >= best && Object.values(recipe.attributes).every(isOfRoot),
  );
  const recipe = (certain ?? recipes[0])?.recipe;
  if (recipe !== undefined) return { rule: { rule, relation, recipe, certain: certain !== undefined } };
  return { rule: { rule, relation, recipe, certain: false }, obstacle: rootless(registry, rule, tried) };
}

/** What is lacking if no target has a member. */
function withoutMembers(
  registry: Registry,
  aggregate: Aggregate,
  valuesOf: (kind: AnyKind) => KindValues,
): Obstacle | undefined {
  const { name, of, on } = aggregate;
  const random = new Random(1);
  const targets = valuesOf(on);
  const isFound = Array.from({ length: samples }).some(() => {
    const [key] = targets.keys.slice(random.int(0, targets.keys.length - 1));
    const target = key && itemWith(registry, targets, key, random);
    return target && memberOf(registry, aggregate, valuesOf(of), target, random) !== undefined;
  });
  if (isFound) return undefined;
  const message = `Expected to make a ${of.name} that members.at of ${name} finds and whose targetsOf gives the target, but found none: correct the aggregate, or add examples to ${of.name} and ${on.name}`;
  return { needs: 'examples', message };
}

function isNeverTrue(registry: Registry, rule: Rule, roots: KindValues): boolean {
  const [key] = roots.keys;
  if (key === undefined) return false;
  const root = itemWith(registry, roots, key, new Random(1));
  return includedRoots(registry.table, rule, roots, root).next().done === true;
}

function neverTrue({ name, root, reads }: Rule): Obstacle {
  const message = `Expected to make a ${root.name} for which when of ${name} is true, but found none: add examples of ${reads.root.join(' and ') || 'its ids'} to ${root.name}, or correct when`;
  return { needs: 'examples', message };
}

function rootless(
  registry: Registry,
  rule: Rule,
  tried: readonly { readonly root: Item; readonly rest: Item }[],
): Obstacle {
  const places = tried.map(({ root }) => placeOf(registry, rule, root));
  const copies = tried.flatMap(
    ({ root, rest }) => copyBy(registry, rule, plainRecipe(rule), root, rest, idPool) ?? [],
  );
  if (
    places.some((place) => place !== undefined) &&
    copies.length > 0 &&
    copies.some((copy) => rootNamed(registry, rule, copy))
  )
    return {
      needs: 'correction',
      message: `Rule ${rule.name}: no copy that located.at finds leads back to its root: rootOf gives the key of another item. Correct rootOf or located`,
    };
  return {
    needs: 'examples',
    message: `Expected to make a ${rule.copy.name} that located.at of ${rule.name} finds and whose rootOf gives the root, but found none: correct the rule, or add examples to ${rule.copy.name} and ${rule.root.name}`,
  };
}
