import { type Item, type ItemKey, keyIn } from '../../../model/item.ts';
import { type AnyKind, isOfKind } from '../../../model/kind.ts';
import type { Link } from '../../examples/linked-items.ts';
import { contend } from './contend.ts';
import type { Project } from './project.ts';
import { ProjectItems } from './project-items.ts';
import type { Random } from './random.ts';
import type { Workload } from './scheduler.ts';
import { put, type Step, set, type Write } from './world/step.ts';
import type { World } from './world/world.ts';

/** Something that an application does: writes that take effect together, in their order; none if it cannot. */
export type Operation = () => readonly Write[];

/** An application and its operations, with how often it does each; it begins with the first. */
interface Application {
  readonly name: string;
  readonly operations: readonly (readonly [weight: number, operation: Operation])[];
}

/** Whoever writes the items of a project: each rule, aggregate and archived kind has an application of its own. */
export class Applications implements Workload {
  readonly items: ProjectItems;
  private readonly project: Project;
  private readonly random: Random;
  private readonly world: World;
  private readonly active: readonly Application[];

  constructor(project: Project, random: Random, world: World) {
    this.items = new ProjectItems(project, random, world);
    this.project = project;
    this.random = random;
    this.world = world;
    const { rules, archives } = project.registry;
    const alone = rules.filter(({ located }) => located.in === 'itself');
    const all = [
      ...project.links.map((link) => this.linking(link)),
      ...alone.map(({ name, root }) => ({ name, operations: this.rooted(root) })),
      ...archives.flatMap(({ name, kinds }) => kinds.map((kind) => this.archiving(name, kind))),
    ];
    const some = random.some(all, 0.6);
    this.active = some.length > 0 ? some : all;
  }

  open(): Step | undefined {
    const { name, operations } = this.random.pick(this.active);
    return this.step(name, operations[0]?.[1]);
  }

  write(): Step | undefined {
    const { name, operations } = this.random.pick(this.active);
    return this.step(name, this.random.weighted(operations));
  }

  private step(who: string, operation: Operation | undefined): Step | undefined {
    const writes = operation?.() ?? [];
    return writes.length === 0 ? undefined : { do: 'write', who, writes };
  }

  contend(): readonly Write[] {
    return contend(this.items);
  }

  private linking(link: Link): Application {
    const { random } = this;
    const roots = this.project.valuesOf(link.root);
    const joining = (root: Item | undefined) => {
      const item = root && this.items.linked(link, root);
      return item === undefined ? [] : [put(item)];
    };
    const setUp: Operation = () => {
      const root = this.items.made(roots, random.pick(roots.keys), link);
      return [put(root), ...Array.from({ length: random.int(0, 3) }, () => joining(root)).flat()];
    };
    const join: Operation = () => joining(this.items.seen(random.pick(roots.keys)));
    /** An index may not show the item yet when its root goes. */
    const joinAndLeave = this.onOne(
      () => random.pick(roots.keys),
      (root, key) => [...joining(root), ...random.pick([[{ delete: key }], this.items.changed(root, key)])],
    );
    const ofSome = (writesFor: (item: Item, key: ItemKey) => readonly Write[]) => (): readonly Write[] => {
      const { table } = this.world;
      const all = table.items().filter((item) => isOfKind(table.names, link.item, item));
      const item = all.length === 0 ? undefined : random.pick(all);
      return item === undefined ? [] : writesFor(item, keyIn(table.names, item));
    };
    return {
      name: link.name,
      operations: [
        [4, setUp],
        ...this.rooted(link.root).slice(1),
        [4, join],
        [1.5, joinAndLeave],
        [4, ofSome((item, key) => this.items.changed(item, key))],
        [1, ofSome((_, key) => [{ delete: key }])],
        [0.7, ofSome((_, key) => [set(key, { [this.world.table.names.ttl]: this.items.expiry(60) })])],
        [0.5, () => this.items.neighbour(link, random.pick(roots.keys))],
      ],
    };
  }

  private onOne(
    someKey: () => ItemKey,
    writesFor: (item: Item, key: ItemKey) => readonly Write[],
  ): Operation {
    return () => {
      const key = someKey();
      const there = this.world.table.read(key);
      return there === undefined ? [] : writesFor(there, key);
    };
  }

  private rooted(kind: AnyKind): Application['operations'] {
    const { random } = this;
    const { ttl } = this.project.registry.table;
    const values = this.project.valuesOf(kind);
    const someKey = () => random.pick(values.keys);
    const replace = this.onOne(someKey, (_, key) => {
      const anew = put(this.items.made(values, key));
      return random.chance(0.5) ? [anew] : [{ delete: key }, anew];
    });
    /** There and back at once: its records come late, and twice. */
    const flicker = this.onOne(someKey, (there, key) => [...this.items.changed(there, key), put(there)]);
    return [
      [4, () => [put(this.items.made(values, someKey()))]],
      [6, this.onOne(someKey, (there, key) => this.items.changed(there, key))],
      [1.5, replace],
      [0.7, flicker],
      [1, () => [{ delete: someKey() }]],
      [1, () => [set(someKey(), { [ttl]: this.items.expiry(60) })]],
    ];
  }

  private archiving(rule: string, kind: AnyKind): Application {
    const { random } = this;
    const { ttl } = this.project.registry.table;
    const values = this.project.valuesOf(kind);
    const [frequent, ...others] = values.keys;
    // ItemHistory of one item follow each other only where most writes are to the same key.
    const someKey = (): ItemKey =>
      frequent === undefined || (others.length > 0 && random.chance(0.2)) ? random.pick(others) : frequent;
    const expiring = (key: ItemKey) => put({ ...this.items.made(values, key), [ttl]: this.items.expiry(5) });
    const renew: Operation = () => {
      const key = someKey();
      return [{ delete: key }, expiring(key)];
    };
    return {
      name: `${rule} ${kind.name}`,
      operations: [
        [4, () => [expiring(someKey())]],
        [3, this.onOne(someKey, (there, key) => this.items.changed(there, key))],
        [2, () => [set(someKey(), { [ttl]: this.items.expiry(5) })]],
        [1.2, () => [{ delete: someKey() }]],
        [0.4, renew],
      ],
    };
  }
}
