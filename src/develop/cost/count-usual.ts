import { isListed, listedKeys } from '../../model/copy-location.ts';
import type { Item } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { planCreation } from '../../worker/propagation/plan/plan-creation.ts';
import { planUpdate } from '../../worker/propagation/plan/plan-update.ts';
import { RootProjection } from '../../worker/propagation/plan/root-projection.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { assumed } from './assumptions.ts';
import type { CountedTable } from './counted-table.ts';
import type { Counts } from './counts.ts';
import { type Changes, playChanges, type Stage } from './play-changes.ts';
import { ShardLanes } from './shard-lanes.ts';

/** Lambda's own defaults, with which such a handler is usually deployed. */
const usualMapping = { ParallelizationFactor: 1, BatchSize: 100, MaximumBatchingWindowInSeconds: 0 };

/**
 * Counts the usual handler: on a change of a root, an eventually consistent Query, and an UpdateItem without a condition
 * for each copy, one after another. A copy at one key needs no Query, and one that the rule creates is put whole, by a PutItem,
 * whether it is there or not. It is told of roots only, and checks nothing.
 */
export function countUsual(table: TableNames, rule: Rule, changes: Changes): Promise<Counts> {
  return countUsualHandler(table, rule.root, changes, ({ counted }, root) =>
    updateCopies(counted, table, rule, root),
  );
}

/** Counts a handler that is told of items of one kind, and does something about each as it is after its change. */
export function countUsualHandler(
  table: TableNames,
  kind: AnyKind,
  changes: Changes,
  handle: (stage: Stage, item: Item) => Promise<void>,
): Promise<Counts> {
  return playChanges(table, changes, assumed.copy.usual, (stage) => {
    const lanes = new ShardLanes(usualMapping, stage.clock, (records) =>
      stage.invoke(async () => {
        for (const { says } of records)
          if ('key' in says && says.after !== undefined) await handle(stage, says.after);
      }),
    );
    return {
      look: (records) =>
        lanes.look(
          records.filter(
            ({ says }) => 'key' in says && says.after !== undefined && isOfKind(table, kind, says.after),
          ),
        ),
      isIdle: () => lanes.isEmpty,
    };
  });
}

async function updateCopies(counted: CountedTable, table: TableNames, rule: Rule, root: Item): Promise<void> {
  const location = locationOf(table, rule, root);
  if (rule.creates && isListed(location)) {
    const projection = new RootProjection(table, rule, root);
    for (const key of listedKeys(location))
      await counted.putItem(planCreation(projection, key).creation.item);
    return;
  }
  for (const copy of await counted.copiesAt(location)) {
    if (!isOfKind(table, rule.copy, copy)) continue;
    // Its own write comes back to it if root and copy are one item: even the usual handler stops then.
    const update = planUpdate(table, rule, root, copy)?.update;
    if (update !== undefined) await counted.updateItem(update);
  }
}
