import type { Item } from '../model/item.ts';
import { isOfKind } from '../model/kind.ts';
import type { Rule } from '../model/rule.ts';
import type { TableNames } from '../model/table-names.ts';
import { planUpdate } from '../propagation/plan/plan-update.ts';
import { locationOf } from '../propagation/plan/rule-functions.ts';
import { assumed } from './assumptions.ts';
import type { CountedTable } from './counted-table.ts';
import type { Counts } from './counts.ts';
import { type Changes, playChanges } from './play-changes.ts';
import { ShardLanes } from './shard-lanes.ts';

/** Lambda's own defaults, with which such a handler is usually deployed. */
const mapping = { ParallelizationFactor: 1, BatchSize: 100, MaximumBatchingWindowInSeconds: 0 };

/**
 * Counts the usual handler: on a change of a root, an eventually consistent Query, and an UpdateItem without a condition
 * for each copy, one after another. A copy at one key needs no Query. It is told of roots only, and checks nothing.
 */
export async function countUsual(table: TableNames, rule: Rule, changes: Changes): Promise<Counts> {
  return playChanges(table, changes, assumed.copy.usual, ({ counted, clock, invoke }) => {
    const lanes = new ShardLanes(mapping, clock, (records) =>
      invoke(async () => {
        for (const { says } of records)
          if ('key' in says && says.after !== undefined) await updateCopies(counted, table, rule, says.after);
      }),
    );
    return {
      look: (records) =>
        lanes.look(
          records.filter(
            ({ says }) => 'key' in says && says.after !== undefined && isOfKind(table, rule.root, says.after),
          ),
        ),
      isIdle: () => lanes.isEmpty,
    };
  });
}

async function updateCopies(counted: CountedTable, table: TableNames, rule: Rule, root: Item): Promise<void> {
  const location = locationOf(table, rule, root);
  for (const copy of await counted.copiesAt(location)) {
    if (!isOfKind(table, rule.copy, copy)) continue;
    // Its own write comes back to it if root and copy are one item: even the usual handler stops then.
    const update = planUpdate(table, rule, root, copy)?.update;
    if (update !== undefined) await counted.updateItem(update);
  }
}
