import { type Item, type ItemKey, keyIn, keyText } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { applied } from '../../rule-example.ts';
import { put, type Workload, without } from '../workload.ts';
import type { Write } from '../world/step.ts';
import { changed } from './changed.ts';
import type { Project, SimulatedRule } from './project.ts';

/** Somebody writes the copy that the worker is about to write, or its root. */
export function interfere(project: Project, workload: Workload): readonly Write[] {
  const { random, world } = workload;
  const { table } = project.registry;
  const lines = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const keys = lines.flatMap((line) => /^(?:create|update|remove) (\[.*\])$/.exec(line)?.[1] ?? []);
  if (keys.length === 0) return [];
  const chosen = random.pick(keys);
  const items = world.table.items();
  const copy = items.find((item) => keyText(keyIn(table, item)) === chosen);
  const found = copy === undefined ? rootPlacing(project, items, chosen) : rootNamedBy(project, copy);
  if (found === undefined) return [];
  const { rule, root } = found;
  const last = world.oracle.lives.of(root).findLast(({ item }) => item !== undefined)?.item;
  if (workload.now(root) === undefined) return last === undefined ? [] : [put(last)];
  const ofRoot = changed(workload, project.valuesOf(rule.rule.root), root);
  if (copy === undefined) return random.pick([ofRoot, [{ delete: root }]]);
  const key = keyIn(table, copy);
  const ofCopy = changed(workload, project.valuesOf(rule.rule.copy), key, rule.relation.writes);
  const choices = [ofRoot, ofCopy];
  // Both change: the write loses its condition, and what it planned is of an older root.
  const renewed = applied(rule.relation, changedBy(ofRoot, workload.now(root) ?? {}), copy);
  if (renewed !== undefined) choices.push([...ofRoot, put(renewed)]);
  // Another item takes its place, and differs by its type alone.
  if (rule.rule.copy.type !== undefined && !isArchived(project, copy))
    choices.push([{ delete: key }, put({ ...copy, [table.type]: { S: 'other' } })]);
  return random.pick(choices);
}

/** The item after updates of its attributes. */
function changedBy(writes: readonly Write[], item: Item): Item {
  let left = item;
  for (const write of writes)
    if ('update' in write) left = without(Object.assign({}, left, write.set), write.remove);
  return left;
}

function isArchived({ registry: { table, archives } }: Project, item: Item): boolean {
  return archives.some(({ kinds }) => kinds.some((kind) => isOfKind(table, kind, item)));
}

interface Found {
  readonly rule: SimulatedRule;
  readonly root: ItemKey;
}

function rootNamedBy({ rules }: Project, copy: Item): Found | undefined {
  const rule = rules.find(({ relation }) => relation.isCopy(copy));
  const root = rule?.relation.rootOf(copy);
  return rule && root && { rule, root };
}

/** The root for which the worker is to create a copy at this key. */
function rootPlacing({ registry, rules }: Project, items: readonly Item[], key: string): Found | undefined {
  for (const rule of rules)
    for (const item of items)
      if (rule.relation.placed?.(item).some((one) => keyText(one) === key))
        return { rule, root: keyIn(registry.table, item) };
  return undefined;
}
