import { type Item, type ItemKey, keyAttributes, keyIn, keyText } from '../../model/items/item.ts';
import { subjectOf } from '../../model/work/message.ts';
import { sameValue } from '../../testing/table-model/same-value.ts';
import type { World } from '../world/world.ts';
import { type End, namesRoot, type Relation, type Wanted } from './relation.ts';
import type { TotalsRelation } from './totals.ts';

/** Attributes that one write changes. Source: AWS, "Quotas", expression parameters. */
const maxChanges = 100;

/** A copy, or a target, that cannot be what it should be as long as it, or what it follows from, is as it is. */
export interface Stuck {
  readonly rule: string;
  readonly root: ItemKey;
  readonly item: ItemKey;
}

export interface FoundDrift extends Stuck {
  readonly what: string;
  readonly removed: boolean;
  readonly writes: number;
}

/** What is not as it should be in a table at rest (promise 1), and what only a person can mend (promise 4). */
export function driftOf(world: World): { drift: FoundDrift[]; stuck: Stuck[] } {
  const { table, oracle } = world;
  const items = table.items();
  const unmade = oracle.totals.flatMap((totals) => unmadeTargets(world, totals, items));
  const ofItems = items.flatMap((item): (FoundDrift | Stuck | undefined)[] => [
    ...oracle.relationsOf(item).map((relation) => copyDrift(world, relation, item)),
    ...oracle.relations.flatMap((relation) => missingOf(world, relation, item)),
    ...oracle.totals.flatMap((totals) => totalsDrift(world, totals, item, items)),
  ]);
  const found: (FoundDrift | Stuck | undefined)[] = [...ofItems, ...unmade];
  return {
    drift: found.flatMap((one) => (one !== undefined && 'what' in one ? [one] : [])),
    stuck: found.flatMap((one) => (one !== undefined && !('what' in one) ? [one] : [])),
  };
}

/** Keys that members name, at which an aggregate is to make a target. */
function unmadeTargets(
  { table }: World,
  totals: TotalsRelation,
  items: readonly Item[],
): (FoundDrift | Stuck)[] {
  const keys = new Map(items.flatMap(totals.madeFor).map((key) => [keyText(key), key]));
  const invalid = items.filter(totals.isInvalid);
  return [...keys.values()].flatMap((key): (FoundDrift | Stuck)[] => {
    const there = table.read(key);
    const bare = totals.bareTarget(key);
    const isUnsure = (member: Item) => totals.mayCount(bare, table.versionsOf(keyIn(table.names, member)));
    if ((there !== undefined && totals.isTarget(there)) || invalid.some(isUnsure)) return [];
    const valid = items.filter((one) => !invalid.includes(one));
    if (totals.isEmpty(bare, valid) === true) return [];
    const at = { rule: totals.rule, root: key, item: key };
    if (there !== undefined || totals.wanted(bare, valid) === undefined) return [at];
    return [{ ...at, what: 'a target is missing though it has members', removed: false, writes: 1 }];
  });
}

/** Only a person can mend an invalid member, and what its targets are to be. */
function totalsDrift(
  { table, oracle }: World,
  totals: TotalsRelation,
  item: Item,
  items: readonly Item[],
): (FoundDrift | Stuck | undefined)[] {
  const key = keyIn(table.names, item);
  const at = { rule: totals.rule, root: key, item: key };
  const found = totals.isInvalid(item) ? [at] : [];
  const invalid = items.filter(totals.isInvalid);
  const isUnsure = (member: Item) => totals.mayCount(item, table.versionsOf(keyIn(table.names, member)));
  if (!totals.isTarget(item) || invalid.some(isUnsure)) return found;
  const valid = items.filter((one) => !invalid.includes(one));
  const wanted = totals.wanted(item, valid);
  if (totals.endsEmpty && totals.isEmpty(item, valid) && oracle.unwrittenOn(item).length === 0)
    return [...found, { ...at, what: 'a target stays though it has no members', removed: true, writes: 1 }];
  return [...found, differing(at, item, wanted, 'a target does not have the totals of its members')];
}

function differing(
  at: Stuck,
  item: Item,
  wanted: Wanted | undefined,
  what: string,
): FoundDrift | Stuck | undefined {
  if (wanted === undefined) return at;
  const names = [...wanted].filter(([name, value]) => !sameValue(item[name], value));
  const writes = Math.ceil(names.length / maxChanges);
  return writes > 0 ? { ...at, what, removed: false, writes } : undefined;
}

function missingOf({ table }: World, relation: Relation, item: Item): (FoundDrift | Stuck)[] {
  const root = keyIn(table.names, item);
  return relation.placed(item).flatMap((copy): (FoundDrift | Stuck)[] => {
    const at = { rule: relation.rule, root, item: copy };
    const there = table.read(copy);
    if (there !== undefined && namesRoot(relation, there, root)) return [];
    const bare = keyAttributes(table.names, copy);
    if (there !== undefined || relation.wanted(item, bare) === undefined) return [at];
    return [{ ...at, what: 'a copy is missing though its root places it', removed: false, writes: 1 }];
  });
}

function copyDrift({ table, oracle }: World, relation: Relation, copy: Item): FoundDrift | Stuck | undefined {
  const item = keyIn(table.names, copy);
  const expectation = oracle.expectations.of(relation, item);
  const root = relation.rootOf(copy) ?? (expectation?.isUnlinked ? expectation.root : undefined);
  if (root === undefined) return undefined;
  const at = { rule: relation.rule, root, item };
  const present = table.read(root);
  const ended = (end: End, what: string): FoundDrift | undefined => {
    const left = Object.keys(copy).filter((name) => relation.writes(name)).length;
    const writes = { gone: 1, cleared: Math.ceil(left / maxChanges) }[end];
    return writes > 0 ? { ...at, what, removed: true, writes } : undefined;
  };
  if (expectation?.isUnlinked)
    return ended(expectation.end, 'a copy stays as it was though it names no root');
  if (expectation !== undefined) {
    const left = ended(expectation.end, 'a copy stays as it was though its root went');
    const isUnsaid = present !== undefined && relation.locations(present, copy) === undefined;
    return left !== undefined && isUnsaid ? at : left;
  }
  if (present === undefined) return undefined;
  if (relation.excludes(present, copy) && !relation.crosses(root, copy)) {
    const { onDelete } = relation;
    return onDelete === undefined
      ? undefined
      : ended(onDelete, 'a copy stays though the rule does not apply to its root');
  }
  if (relation.locations(present, copy) !== true) return undefined;
  const found = differing(at, copy, relation.wanted(present, copy), 'a copy is not what its root says');
  return found ?? (relation.isUnmade(copy) ? at : undefined);
}

/** Whether it is the root of a dead-lettered message, or the item on which a function fails. */
export function isDeadLettered({ queue }: World, { rule, root }: Stuck): boolean {
  return queue.deadLettered.some((one) => {
    const subject = subjectOf(one);
    return subject?.rule === rule && keyText(subject.key) === keyText(root);
  });
}
