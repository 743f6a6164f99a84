import { type Item, type ItemKey, keyIn, keyText } from '../model/items/item.ts';
import { archivedAs } from '../model/rules/registry.ts';
import { isCopied } from '../model/rules/rule-attributes.ts';
import { applied } from './oracle/relation.ts';
import type { ProjectItems } from './project-items.ts';
import { put, type Write } from './world/step.ts';
import type { World } from './world/world.ts';

/** Somebody writes the item that the worker is about to write, or what it follows from. */
export function contend(made: ProjectItems): readonly Write[] {
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
