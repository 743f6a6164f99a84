import { type Item, type ItemKey, keyIn, keyText } from '../../../../model/item.ts';
import type { DeadLetter } from '../../../../model/message.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import { sameValue } from '../../table-model/same-value.ts';
import type { Oracle } from './oracle.ts';
import type { Relation } from './relation.ts';

/** Attributes that one write changes. Source: AWS, "Quotas", expression parameters. */
const maxChanges = 100;

/** A copy that is not what it should be. */
export interface Drift {
  readonly relation: Relation;
  readonly root: ItemKey;
  readonly copy: ItemKey;
  readonly what: string;
  /** Whether it should be gone, or cleared. */
  readonly removed: boolean;
  /** How many writes it takes: one changes at most a hundred attributes. */
  readonly writes: number;
}

/** A copy that cannot be what it should be as long as it, or its root, is as it is. */
export type Stuck = Omit<Drift, 'what' | 'removed' | 'writes'>;

/** The copies that are not what their roots say, expectations that were not met, and copies that only a person can mend. */
export function driftOf(table: ModelTable, oracle: Oracle): { drift: Drift[]; stuck: Stuck[] } {
  const found = table
    .items()
    .flatMap((item): (Drift | Stuck | undefined)[] => [
      ...oracle.relationsOf(item).map((relation) => driftIn(table, oracle, relation, item)),
      ...oracle.creating().flatMap((relation) => missingOf(table, relation, item)),
    ]);
  return {
    drift: found.flatMap((one) => (one !== undefined && 'what' in one ? [one] : [])),
    stuck: found.flatMap((one) => (one !== undefined && !('what' in one) ? [one] : [])),
  };
}

/** Copies of this root that the worker should have created. */
function missingOf(table: ModelTable, relation: Relation, item: Item): (Drift | Stuck)[] {
  const { pk, sk } = table.names;
  const root = keyIn(table.names, item);
  if (!relation.isRoot(root, item)) return [];
  return (relation.placed?.(item) ?? []).flatMap((copy): (Drift | Stuck)[] => {
    const at = { relation, root, copy };
    const there = table.read(copy);
    const named = there !== undefined && relation.isCopy(there) ? relation.rootOf(there) : undefined;
    if (named !== undefined && keyText(named) === keyText(root)) return [];
    const bare = { [pk]: { S: copy.pk }, [sk]: { S: copy.sk } };
    if (there !== undefined || relation.wanted(item, bare) === undefined) return [at];
    return [{ ...at, what: 'a copy is missing though its root places it', removed: false, writes: 1 }];
  });
}

function driftIn(
  table: ModelTable,
  oracle: Oracle,
  relation: Relation,
  item: Item,
): Drift | Stuck | undefined {
  const root = relation.rootOf(item);
  if (root === undefined) return undefined;
  const copy = keyIn(table.names, item);
  const at = { relation, root, copy };
  const present = table.read(root);
  const expectation = oracle.expectations.of(relation, copy);
  if (expectation !== undefined) {
    const left = Object.keys(item).filter((name) => relation.writes(name)).length;
    const unsaid = present !== undefined && relation.locations(present, item) === undefined;
    if (unsaid) return at;
    if (expectation.policy !== 'delete' && left === 0) return undefined;
    return {
      ...at,
      what: 'a copy stays as it was though its root went',
      removed: true,
      writes: expectation.policy === 'delete' ? 1 : Math.ceil(left / maxChanges),
    };
  }
  if (present !== undefined && relation.excludes?.(present, item) && !relation.crosses(root, item)) {
    const left = Object.keys(item).filter((name) => relation.writes(name)).length;
    const { onDelete } = relation;
    if (onDelete === 'keep' || (onDelete === 'clear' && left === 0)) return undefined;
    const writes = onDelete === 'delete' ? 1 : Math.ceil(left / maxChanges);
    return { ...at, what: 'a copy stays though the rule does not apply to its root', removed: true, writes };
  }
  if (present === undefined || relation.locations(present, item) !== true) return undefined;
  const wanted = relation.wanted(present, item);
  if (wanted === undefined) return at;
  const differing = [...wanted].filter(([name, value]) => !sameValue(item[name], value)).length;
  const writes = Math.ceil(differing / maxChanges);
  return writes > 0 ? { ...at, what: 'a copy is not what its root says', removed: false, writes } : undefined;
}

/** Whether one of these names what is stuck. */
export function isDeadLettered(deadLettered: readonly DeadLetter[], { relation, root }: Stuck): boolean {
  return deadLettered.some(
    ({ message }) =>
      message !== undefined && message.rule === relation.rule && keyText(message.root) === keyText(root),
  );
}
