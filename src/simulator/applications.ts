import type { Link } from '../examples/links.ts';
import type { Project } from '../examples/project-examples.ts';
import type { Random } from '../examples/random.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../model/items/item.ts';
import { type BoundKind, isOfKind, isSameKind } from '../model/kinds/kind.ts';
import { archivedAs } from '../model/rules/registry.ts';
import { isCopied } from '../model/rules/rule-attributes.ts';
import { applied } from './oracle/relation.ts';
import { type ProjectItems, projectItems } from './project-items.ts';
import type { Workload } from './scheduler.ts';
import { bystander, put, type Step, set, type Write } from './world/step.ts';
import type { World } from './world/world.ts';

/** Something that an application does: writes that take effect together, in their order; none if it cannot. */
export type Operation = () => readonly Write[];

/** An application and its operations, with how often it does each; it begins with the first. */
interface Application {
  readonly name: string;
  readonly operations: readonly (readonly [weight: number, operation: Operation])[];
}

/** Whoever writes the items of a project: each rule, aggregate and archived kind has an application of its own. */
export interface Applications extends Workload {
  readonly items: ProjectItems;
}

export function applicationsOf(project: Project, random: Random, world: World): Applications {
  const items = projectItems(project, random, world);
  const { rules, archives, table } = project.registry;
  const { links } = project;
  const all = [
    ...project.links.map(linking),
    ...rules
      .filter(({ located }) => located.in === 'itself')
      .map(({ name, root }) => ({ name, operations: rooted(root) })),
    ...project.registry.kinds.flatMap(listing),
    ...archives.flatMap(({ name, kinds }) => kinds.map((kind) => archiving(name, kind))),
  ];
  const some = random.some(all, 0.6);
  const active = some.length > 0 ? some : all;

  function step(choose: (one: Application) => Operation | undefined): Step | undefined {
    const application = random.pick(active);
    const writes = choose(application)?.() ?? [];
    return writes.length === 0 ? undefined : { do: 'write', who: application.name, writes };
  }

  function linking(link: Link): Application {
    const roots = project.valuesOf(link.root);
    const someKey = () => random.pick(roots.keys);
    const joining = (root: Item | undefined) => {
      const item = root && items.linked(link, root);
      return item === undefined ? [] : [put(item)];
    };
    const setUp: Operation = () => {
      const root = items.made(roots, someKey(), link);
      const isPut = link.bare === undefined || random.chance(0.2);
      return [
        ...(isPut ? [put(root)] : []),
        ...Array.from({ length: random.int(0, 3) }, () => joining(root)).flat(),
      ];
    };
    const rootAt = (key: ItemKey) => items.seen(key) ?? link.bare?.(key);
    /** An index may not show the item yet when its root goes. */
    const joinAndLeave = onOne(someKey, (root, key) => [
      ...joining(root),
      ...random.pick([[{ delete: key }], items.changed(root, key)]),
    ]);
    const ofSome = (writesFor: (item: Item, key: ItemKey) => readonly Write[]) => (): readonly Write[] => {
      const there = world.table.items().filter((item) => isOfKind(link.item, item));
      const item = there.length === 0 ? undefined : random.pick(there);
      return item === undefined ? [] : writesFor(item, keyIn(table, item));
    };
    return {
      name: link.name,
      operations: [
        [4, setUp],
        ...rooted(link.root).slice(1),
        [4, () => joining(rootAt(someKey()))],
        [1.5, joinAndLeave],
        [4, ofSome((item, key) => items.changed(item, key))],
        [1, ofSome((_, key) => [{ delete: key }])],
        [0.5, ofSome((_, key) => items.undone(key))],
        [0.7, ofSome((_, key) => [set(key, { [table.ttl]: items.expiry(60) })])],
        [0.5, () => items.neighbour(link, someKey())],
        ...retyping(link.item, ofSome),
        [1.5, onOne(someKey, together(link))],
      ],
    };
  }

  /** In one transaction, a root changes or goes, and so does one of its copies. */
  function together(link: Link) {
    return (root: Item, key: ItemKey): readonly Write[] => {
      const all = world.table.items().filter((item) => isOfKind(link.item, item) && link.leads(item, root));
      if (all.length === 0) return [];
      const copy = random.pick(all);
      const its = keyIn(table, copy);
      const ofRoot = random.pick([items.changed(root, key), items.changed(root, key), [{ delete: key }]]);
      return [
        ...random.pick([
          items.changed(copy, its),
          items.changed(copy, its, (name) => link.reads.includes(name)),
          [{ delete: its }],
        ]),
        ...ofRoot,
      ];
    };
  }

  /** An item becomes one of another kind, such as a tombstone. */
  function retyping(
    kind: BoundKind,
    onSome: (writesFor: (item: Item, key: ItemKey) => readonly Write[]) => Operation,
  ): Application['operations'] {
    if (kind.type === undefined) return [];
    return [[world.profile.retyping, onSome((_, key) => [set(key, { [table.type]: { S: 'other' } })])]];
  }

  function onOne(
    someKey: () => ItemKey,
    writesFor: (item: Item, key: ItemKey) => readonly Write[],
  ): Operation {
    return () => {
      const key = someKey();
      const there = world.table.read(key);
      return there === undefined ? [] : writesFor(there, key);
    };
  }

  function rooted(kind: BoundKind): Application['operations'] {
    const values = project.valuesOf(kind);
    const someKey = () => random.pick(values.keys);
    const replace = onOne(someKey, (_, key) => {
      const anew = put(items.made(values, key));
      return random.chance(0.5) ? [anew] : [{ delete: key }, anew];
    });
    /** Changes an item and changes it back at once: its records come late, and twice. */
    const flicker = onOne(someKey, (there, key) => [...items.changed(there, key), put(there)]);
    return [
      [4, () => [put(items.made(values, someKey()))]],
      [6, onOne(someKey, (there, key) => items.changed(there, key))],
      [1.5, replace],
      [0.7, flicker],
      [1, () => [{ delete: someKey() }]],
      [1, () => [set(someKey(), { [table.ttl]: items.expiry(60) })]],
      ...retyping(kind, (writesFor) => onOne(someKey, writesFor)),
    ];
  }

  /** A kind that the project only lists. */
  function listing(kind: BoundKind): Application[] {
    const { keys } = project.valuesOf(kind);
    const isNamed =
      links.some(({ root, item }) => isSameKind(root, kind) || isSameKind(item, kind)) ||
      rules.some(({ root }) => isSameKind(root, kind)) ||
      archives.some(({ kinds }) => kinds.some((one) => isSameKind(one, kind)));
    if (isNamed || keys.length === 0) return [];
    const some: Operation = () => [put(items.made(project.valuesOf(kind), random.pick(keys)))];
    return [{ name: bystander, operations: [[1, some]] }];
  }

  function archiving(rule: string, kind: BoundKind): Application {
    const values = project.valuesOf(kind);
    const [frequent, ...others] = values.keys;
    // Versions of one item follow each other only where most writes are to the same key.
    const someKey = (): ItemKey =>
      frequent === undefined || (others.length > 0 && random.chance(0.2)) ? random.pick(others) : frequent;
    const expiring = (key: ItemKey) => put({ ...items.made(values, key), [table.ttl]: items.expiry(5) });
    const renew: Operation = () => {
      const key = someKey();
      return [{ delete: key }, expiring(key)];
    };
    return {
      name: `${rule} ${kind.name}`,
      operations: [
        [4, () => [expiring(someKey())]],
        [3, onOne(someKey, (there, key) => items.changed(there, key))],
        [2, () => [set(someKey(), { [table.ttl]: items.expiry(5) })]],
        [1.2, () => [{ delete: someKey() }]],
        [0.4, renew],
      ],
    };
  }

  return {
    items,
    open: () => step(({ operations }) => operations[0]?.[1]),
    write: () => step(({ operations }) => random.weighted(operations)),
    contend: () => contend(items),
  };
}

/** Somebody writes the item that the worker is about to write, or what it follows from. */
function contend(made: ProjectItems): readonly Write[] {
  const { random, world, project } = made;
  const { table, registry } = project;
  const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const keys = [...pending, ...world.late.texts()].flatMap(
    (line) => /(?:^| )(?:create|update|remove) (\[.*\])$/.exec(line)?.[1] ?? [],
  );
  if (keys.length === 0) return [];
  const chosen = random.pick(keys);
  const [member] = world.oracle.totals.flatMap(({ ledger }) => ledger?.memberOf(chosen) ?? []);
  if (member !== undefined) return ofMember(made, member);
  const copy = world.table.items().find((item) => keyText(keyIn(table, item)) === chosen);
  if (copy !== undefined && world.oracle.totals.some((one) => one.creates && one.isTarget(copy)))
    return ofMadeTarget(made, copy, keyIn(table, copy));
  const [relation] = copy === undefined ? [] : world.oracle.relationsOf(copy);
  const root = copy === undefined ? rootPlacing(world, chosen) : relation?.rootOf(copy);
  const last = root && world.table.versionsOf(root).at(-1);
  if (root === undefined || last === undefined) return [];
  if (world.table.read(root) === undefined) return [put(last)];
  const rule = relation && registry.rule(relation.rule);
  const ofRoot = made.changed(
    last,
    root,
    (name) => rule === undefined || isCopied(rule, name) || rule.reads.root.includes(name),
  );
  if (copy === undefined || relation === undefined) return random.pick([ofRoot, [{ delete: root }]]);
  const key = keyIn(table, copy);
  // Both change: the write loses its condition, and what it planned is of an older root.
  const both = [...ofRoot, put(applied(relation, changedBy(ofRoot, last), copy))];
  const choices = [ofRoot, made.changed(copy, key, relation.writes), both, both];
  // Another item takes its place, and differs by its type alone.
  if (copy[table.type] !== undefined && archivedAs(registry, copy) === undefined) {
    const other = put({ ...copy, [table.type]: { S: 'other' } });
    choices.push([{ delete: key }, other], [other]);
  }
  return random.pick(choices);
}

/** It gets something of its own, or loses it, or goes. */
function ofMadeTarget({ random, ...made }: ProjectItems, target: Item, key: ItemKey): readonly Write[] {
  return random.chance(0.2) ? [{ delete: key }] : made.changed(target, key);
}

/** It becomes what it was before, or something else. */
function ofMember(made: ProjectItems, key: ItemKey): readonly Write[] {
  const item = made.world.table.read(key);
  if (made.random.chance(0.6)) return made.undone(key);
  return item === undefined ? [] : made.changed(item, key);
}

function rootPlacing({ table, oracle }: World, key: string): ItemKey | undefined {
  const places = (root: Item) =>
    oracle.relations.some(({ placed }) => placed(root).some((one) => keyText(one) === key));
  const root = table.items().find(places);
  return root && keyIn(table.names, root);
}

function changedBy(writes: readonly Write[], item: Item): Item {
  const left: Record<string, Item[string]> = { ...item };
  for (const write of writes)
    if ('update' in write) {
      Object.assign(left, write.set);
      for (const name of write.remove) delete left[name];
    }
  return left;
}
