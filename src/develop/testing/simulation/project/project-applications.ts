import { type Item, type ItemKey, keyIn } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { itemOf } from '../../plain-values.ts';
import { applied } from '../../rule-example.ts';
import { type Applications, type Operation, type Operations, put, set, type Workload } from '../workload.ts';
import type { Step } from '../world/step.ts';
import { archiveOperations } from './archive-operations.ts';
import { changed } from './changed.ts';
import { copyBy, placeOf } from './copy-recipe.ts';
import { interfere } from './interfere.ts';
import { itemWith } from './kind-values.ts';
import type { Project, SimulatedRule } from './project.ts';
import { totalsOperations } from './totals-operations.ts';

/** Whoever writes the roots and copies of a project's rules: each rule has an application of its own. */
export function projectApplications(project: Project, workload: Workload): Applications {
  const { random } = workload;
  const all = [
    ...project.rules.map((rule) => ({ name: rule.rule.name, operations: operationsFor(project, rule) })),
    ...project.registry.aggregates.map((one) => ({
      name: one.name,
      operations: totalsOperations(project, one),
    })),
    ...project.registry.archives.flatMap(({ name, kinds }) =>
      kinds.map((kind) => ({ name: `${name} ${kind.name}`, operations: archiveOperations(project, kind) })),
    ),
  ];
  const focus = random.some(all, 0.6);
  const some = focus.length > 0 ? focus : all;
  const step = (who: string, act: Operation | undefined): Step | undefined => {
    const writes = act?.(workload) ?? [];
    return writes.length === 0 ? undefined : { do: 'write', who, writes };
  };
  return {
    /** The first of its operations. */
    open() {
      const { name, operations } = random.pick(some);
      return step(name, operations[0]?.[1]);
    },
    write() {
      const { name, operations } = random.pick(some);
      return step(name, random.weighted<Operation>(operations));
    },
    interfere: () => interfere(project, workload),
  };
}

function operationsFor(project: Project, rule: SimulatedRule): Operations {
  const { registry } = project;
  const roots = project.valuesOf(rule.rule.root);
  const copies = project.valuesOf(rule.rule.copy);
  const { ttl } = registry.table;
  const someRoot = (workload: Workload): ItemKey => workload.random.pick(roots.keys);
  const change: Operation = (workload) => changed(workload, roots, someRoot(workload));
  const replace: Operation = (workload) => {
    const key = someRoot(workload);
    if (workload.now(key) === undefined) return [];
    const anew = put(namingOthers(project, workload, rule, itemWith(registry, roots, key, workload.random)));
    return workload.random.chance(0.5) ? [anew] : [{ delete: key }, anew];
  };
  const unrelated: Operation = (workload) => [
    set(someRoot(workload), { unknownToEveryRule: { S: workload.fresh() } }),
  ];
  const remove: Operation = (workload) => [{ delete: someRoot(workload) }];
  const age: Operation = (workload) => [set(someRoot(workload), { [ttl]: workload.expiry() })];
  const own: Operations = [
    [4, setUp(project, rule)],
    [6, change],
    [1.5, replace],
    [0.5, unrelated],
    [1, remove],
    [1, age],
  ];
  if (rule.rule.located.in === 'itself') return own;
  const attach: Operation = (workload) => {
    const seen = workload.seen(someRoot(workload));
    const copy = seen && copyOf(project, workload, rule, seen);
    return copy === undefined ? [] : [put(copy)];
  };
  const someCopy = (workload: Workload): Item | undefined => {
    const all = workload.world.table.items().filter((item) => isOfKind(registry.table, rule.rule.copy, item));
    return all.length === 0 ? undefined : workload.random.pick(all);
  };
  const scribble: Operation = (workload) => {
    const copy = someCopy(workload);
    return copy === undefined
      ? []
      : changed(workload, copies, keyIn(registry.table, copy), rule.relation.writes);
  };
  const detach: Operation = (workload) => {
    const copy = someCopy(workload);
    return copy === undefined ? [] : [{ delete: keyIn(registry.table, copy) }];
  };
  return [...own, [4, attach], [3, scribble], [0.8, detach], [0.5, neighbour(project, rule)]];
}

/** A root is put, and copies of it with what it says. */
function setUp(project: Project, rule: SimulatedRule): Operation {
  return (workload) => {
    const { registry } = project;
    const roots = project.valuesOf(rule.rule.root);
    const made = itemWith(registry, roots, workload.random.pick(roots.keys), workload.random);
    const root = namingOthers(project, workload, rule, made);
    const copies = Array.from({ length: workload.random.int(0, 3) }, () =>
      copyOf(project, workload, rule, root),
    );
    return [put(root), ...copies.flatMap((copy) => (copy === undefined ? [] : [put(copy)]))];
  };
}

/** A copy as an application writes it: it names the roots of other rules as well, and says what this root says. */
function copyOf(project: Project, workload: Workload, rule: SimulatedRule, root: Item): Item | undefined {
  const { registry } = project;
  const { random } = workload;
  const values = project.valuesOf(rule.rule.copy);
  const [key] = values.keys;
  if (key === undefined || rule.recipe === undefined) return undefined;
  const rest = namingOthers(project, workload, rule, itemWith(registry, values, key, random));
  const copy = copyBy(registry, rule.rule, rule.recipe, root, rest, project.own(rule, random));
  return copy && applied(rule.relation, root, copy);
}

/** An item that is a copy by other rules too: it names one of their roots for each, under its own key. */
function namingOthers(project: Project, workload: Workload, rule: SimulatedRule, item: Item): Item {
  const { registry } = project;
  const { pk, sk } = registry.table;
  const key = Object.fromEntries(Object.entries(item).filter(([name]) => name === pk || name === sk));
  return project.rules.reduce((named, other) => {
    if (other === rule || other.recipe === undefined || !isOfKind(registry.table, other.rule.copy, item))
      return named;
    const theirs = workload.world.table
      .items()
      .filter((one) => isOfKind(registry.table, other.rule.root, one));
    if (theirs.length === 0) return named;
    const root = workload.random.pick(theirs);
    const copy = copyBy(registry, other.rule, other.recipe, root, named, project.own(other, workload.random));
    return copy === undefined ? named : { ...copy, ...key };
  }, item);
}

/** An item of no kind where copies are. */
function neighbour(project: Project, { rule }: SimulatedRule): Operation {
  return (workload) => {
    const { table, rules } = project.registry;
    const root = workload.now(workload.random.pick(project.valuesOf(rule.root).keys));
    const place = root && placeOf(project.registry, rule, root);
    if (place === undefined) return [];
    const sk = `${place.begins}~`;
    const item = itemOf({
      ...{ [table.pk]: place.index === undefined ? place.pk : 'neighbour', [table.sk]: sk },
      [table.type]: 'neighbour',
      ...(place.index && { [place.index.pk]: place.pk, [place.index.sk]: sk }),
    });
    const isCopy = rules.some((one) => isOfKind(table, one.copy, item) || isOfKind(table, one.root, item));
    return isCopy ? [] : [put(item)];
  };
}
