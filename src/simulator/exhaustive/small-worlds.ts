import { anyOf, itemWith, variantOf } from '../../examples/kind-values.ts';
import { linkedItem } from '../../examples/links.ts';
import type { Project } from '../../examples/project-examples.ts';
import { Random } from '../../examples/random.ts';
import { type Item, keyAttributes, keyIn, sameKey } from '../../model/items/item.ts';
import type { BoundKind } from '../../model/kinds/kind.ts';
import { endOf } from '../../model/rules/aggregate.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import { policyEffects } from '../../model/rules/rule.ts';
import { sourceName, writesNothing } from '../../model/rules/rule-attributes.ts';
import { bareTarget } from '../../plan/plan-target.ts';
import { sameItem } from '../../testing/table-model/same-value.ts';
import {
  applied,
  namesRoot,
  type Relation,
  relationOf,
  ruleApplies,
  withWanted,
} from '../oracle/relation.ts';
import { totalsOf } from '../oracle/totals.ts';
import { dropAttributes, type Write } from '../world/step.ts';
import type { SmallWorld } from './explore.ts';

/** How late an index is, in milliseconds: less than the recheck delay. */
const lateness = 20_000;

/** Roots that are tried. */
const tries = 12;

/** The numbers from this seed on give every small world, and those of the docs texts that a page can print. */
const firstSeed = 70;

/** For each rule and each aggregate, what can happen to a root and a copy, or to a target and two members. */
export function smallWorlds(project: Project, faults = 1): readonly SmallWorld[] {
  const worlds = [
    ...project.registry.rules.flatMap((rule) => worldsOfRule(project, rule)),
    ...project.registry.aggregates.flatMap((aggregate) => worldsOfAggregate(project, aggregate)),
  ];
  return worlds.map((world) => ({ ...world, faults }));
}

/** A root with other values, which its copy shows, elsewhere, and excluded; as far as the values of its kind give them. */
interface Variants {
  readonly root: Item;
  readonly copy: Item;
  readonly changed: readonly Item[];
  readonly moved: Item | undefined;
  readonly excluded: Item | undefined;
  /** The copy, which names no root. */
  readonly unlinked: Item | undefined;
  /** Another root, and the copy, which names that now and shows what the first one says. */
  readonly relinked: { readonly root: Item; readonly copy: Item } | undefined;
}

type World = Omit<SmallWorld, 'faults'>;

function worldsOfRule(project: Project, rule: BoundRule): World[] {
  const { table, registry } = project;
  const relation = relationOf(rule);
  const cast = variantsOf(project, rule, relation);
  if (cast === undefined) return [];
  const { root, copy, changed, moved, excluded, unlinked, relinked } = cast;
  const isItself = rule.located.in === 'itself';
  const isFound = rule.located.in === 'index';
  const world = (what: string, ...applications: readonly (readonly Write[])[]): World => ({
    name: `${rule.name}: ${what}`,
    applications,
    registry: { ...registry, rules: [rule], aggregates: [], archives: [] },
    items: isItself || rule.creates ? [root] : [root, copy],
    lag: isFound ? lateness : 0,
  });
  const [first = root] = changed;
  const outdated = applied(relation, first, copy);
  const changes = changed.map((item) => ({ put: item }));
  const firstChange = changes.length === 0 ? [] : [{ put: first }];
  const gone = { delete: keyIn(table, root) };
  const expired = { put: { ...root, [table.ttl]: { N: '1' } } };
  return [
    ...(changes.length === 0 ? [] : [world('changes', changes)]),
    ...(isItself ? [] : [world('a late copy', firstChange, [{ put: copy }])]),
    // An index does not show it yet.
    ...(isFound ? [{ ...world('a new copy', firstChange, [{ put: copy }]), items: [root] }] : []),
    ...(isItself ? [] : [world('removal', [...firstChange, gone]), world('expiry', [expired])]),
    // A copy is written when nothing but the recheck of an index is left to see it, which the index does not show by then.
    ...(isFound && policyEffects[rule.onDelete].clears
      ? [{ ...world('removal and a late write', [gone], [{ put: copy }]), lag: 2 * lateness }]
      : []),
    ...(moved === undefined ? [] : [world('move', [{ put: moved }, ...firstChange])]),
    ...(unlinked === undefined
      ? []
      : [
          {
            // It changes again before it is checked, in an attribute that concerns no rule.
            ...world('unlink', firstChange, [
              { put: unlinked },
              { put: { ...unlinked, Seen: { BOOL: true } } },
            ]),
            shards: 1,
          },
        ]),
    ...(relinked === undefined
      ? []
      : [
          world('relink', firstChange, [{ put: relinked.copy }]),
          // The copy changes, names the other root, and goes, one after another; where the worker creates it, that has too many states.
          ...(rule.creates
            ? []
            : [
                world(
                  'a copy that relinks and goes',
                  [{ put: outdated }, { put: relinked.copy }, { delete: keyIn(table, copy) }],
                  [{ put: copy }],
                ),
              ]),
        ].map((one) => ({ ...one, items: [root, relinked.root, copy] }))),
    ...(isItself || changed.length === 0
      ? []
      : [world('a copy that goes', firstChange, [{ delete: keyIn(table, copy) }])]),
    ...(excluded === undefined ? [] : [world('exclusion', [{ put: excluded }, ...firstChange])]),
  ];
}

function variantsOf(project: Project, rule: BoundRule, relation: Relation): Variants | undefined {
  const { valuesOf } = project;
  const values = valuesOf(rule.root);
  // Attributes that the rule reads or copies: no other makes a difference.
  const copied =
    rule.copies === 'all' ? [...values.pools.keys()] : rule.copies.map((name) => sourceName(rule, name));
  const names = [...new Set([...rule.reads.root, ...copied])].slice(0, 4);
  for (let seed = 1; seed <= tries; seed += 1) {
    const root = itemOf(project, rule.root, seed);
    const found = root && (rule.located.in === 'itself' ? root : linkedTo(project, rule.name, root, seed));
    if (root === undefined || found === undefined || relation.locations(root, found) !== true) continue;
    const copy = applied(relation, root, found);
    const isOther =
      (...before: readonly Item[]) =>
      (item: Item) =>
        relation.locations(item, copy) === true &&
        before.every((one) => !sameItem(applied(relation, item, copy), applied(relation, one, copy)));
    const first = variantOf(values, root, names, isOther(root));
    if (first === undefined && !writesNothing(rule)) continue;
    const second = first && (variantOf(values, root, names, isOther(root, first)) ?? root);
    const isExcluded = (item: Item) => ruleApplies(rule, item) === false;
    const isMoved = (item: Item) => relation.locations(item, copy) === false && !isExcluded(item);
    return {
      root,
      copy,
      changed: first && second ? [first, second] : [],
      moved: variantOf(values, root, rule.reads.root, isMoved),
      unlinked: policyEffects[rule.onUnlink].keeps
        ? undefined
        : variantOf(valuesOf(rule.copy), copy, rule.reads.copy, relation.isNameless),
      relinked: rule.located.in === 'itself' ? undefined : relinkedFrom(project, rule, root, copy),
      excluded: rule.when && variantOf(values, root, rule.reads.root, isExcluded),
    };
  }
  return undefined;
}

/** Undefined if the rule finds a copy of another root only at another key. */
function relinkedFrom(project: Project, rule: BoundRule, root: Item, copy: Item): Variants['relinked'] {
  const { table } = project;
  const relation = relationOf(rule);
  for (let seed = 1; seed <= tries; seed += 1) {
    const other = itemOf(project, rule.root, seed);
    const found = other && linkedTo(project, rule.name, other, seed);
    if (other === undefined || found === undefined || sameKey(keyIn(table, other), keyIn(table, root)))
      continue;
    const there = { ...found, ...keyAttributes(table, keyIn(table, copy)) };
    const isNew = (item: Item) =>
      namesRoot(relation, item, keyIn(table, other)) && relation.locations(other, item) === true;
    const renamed = [applied(relation, root, there), there].find(isNew);
    if (renamed !== undefined) return { root: other, copy: renamed };
  }
  return undefined;
}

function worldsOfAggregate(project: Project, aggregate: BoundAggregate): World[] {
  const { table, registry, valuesOf } = project;
  const { wanted } = totalsOf(aggregate);
  const values = valuesOf(aggregate.of);
  for (let seed = 1; seed <= tries; seed += 1) {
    const target = itemOf(project, aggregate.on, seed);
    const made = [seed, seed + 1, seed + 2].flatMap((other) => {
      const member = target && linkedTo(project, aggregate.name, target, other);
      return member === undefined ? [] : [member];
    });
    const [one, two] = made;
    if (target === undefined || one === undefined || two === undefined) continue;
    const totals = (...members: readonly Item[]) => JSON.stringify([...(wanted(target, members) ?? [])]);
    if (sameKey(keyIn(table, one), keyIn(table, two)) || totals(one) === totals() || totals(two) === totals())
      continue;
    const other = variantOf(values, one, aggregate.reads.member, (item) => totals(item) !== totals(one));
    const gone = { delete: keyIn(table, one) };
    const world = (what: string, ...applications: readonly (readonly Write[])[]): World => ({
      name: `${aggregate.name}: ${what}`,
      applications,
      lag: 0,
      registry: { ...registry, rules: [], aggregates: [aggregate], archives: [] },
      // What it says of no members was computed when it was put.
      items: aggregate.creates ? [] : [withWanted(target, wanted(target, []) ?? new Map())],
    });
    if (aggregate.creates) {
      const made = bareTarget(aggregate, keyIn(table, target));
      const right = withWanted(made, wanted(made, [one]) ?? new Map());
      return [
        world('members', [{ put: one }], [{ put: two }]),
        world('removal', [{ put: one }, gone]),
        world('a member that comes again', [{ put: one }, gone, { put: one }]),
        // While it has something of an application, it may not be removed.
        ...ownOf(aggregate, target).map((own) => ({
          ...world(
            'a note that goes',
            [gone],
            [{ put: { ...right, ...own } }, dropAttributes(keyIn(table, target), ...Object.keys(own))],
          ),
          items: [one, right],
        })),
      ];
    }
    // Where only some members count, the next one takes the place of one that no longer does.
    const isPassedOver = (item: Item) => totals(item) === totals();
    const ends = made.flatMap((outer) => {
      const inner = made.filter((member) => member !== outer);
      const passed = variantOf(values, outer, aggregate.reads.member, isPassedOver);
      if (endOf(aggregate) === undefined || passed === undefined || totals(...made) === totals(...inner))
        return [];
      const before = withWanted(target, wanted(target, inner) ?? new Map());
      return [{ ...world('the end', [{ put: outer }, { put: passed }]), items: [before, ...inner] }];
    });
    return [
      ...ends.slice(0, 1),
      world('members', [{ put: one }], [{ put: two }]),
      ...(other === undefined ? [] : [world('changes', [{ put: one }, { put: other }])]),
      world('removal', [{ put: one }, gone]),
    ];
  }
  return [];
}

/** What a target has that nobody but an application writes; none if nothing is removed for the lack of it. */
function ownOf({ on, onEmpty, isWritten }: BoundAggregate, target: Item): readonly Item[] {
  const isOwn = (name: string) => on.attributes.shape[name] !== undefined && !isWritten(name);
  const own = Object.entries(target).filter(([name]) => isOwn(name));
  return onEmpty === 'delete' && own.length > 0 ? [Object.fromEntries(own)] : [];
}

function itemOf({ valuesOf }: Project, kind: BoundKind, seed: number): Item | undefined {
  const values = valuesOf(kind);
  const key = values.keys[seed % values.keys.length];
  return key && itemWith(values, key, anyOf(new Random(firstSeed + seed)));
}

function linkedTo(project: Project, name: string, root: Item, seed: number): Item | undefined {
  const { links, own, valuesOf } = project;
  const link = links.find((one) => one.name === name);
  if (link === undefined) return undefined;
  const random = new Random(firstSeed + seed);
  const values = valuesOf(link.item);
  const rest = itemWith(values, values.keys[0] ?? { pk: '', sk: '' }, anyOf(random));
  return linkedItem(link, root, rest, own(link.item, random))?.item;
}
