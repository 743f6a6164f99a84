import type { Aggregate } from '../../model/aggregate.ts';
import { type Item, type ItemKey, keyText } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { planTotals } from '../../worker/propagation/plan/plan-totals.ts';
import { readTotals } from '../../worker/propagation/read-totals.ts';
import { ModelTablePort } from '../testing/table-model/model-table-port.ts';
import { countUsualHandler } from './count-usual.ts';
import type { Counts } from './counts.ts';
import type { Changes, Stage } from './play-changes.ts';

/**
 * Counts the usual handler: an UpdateItem with ADD for each target of a changed member, without a read. A write is charged
 * for the items' sizes, so what ADD would leave may be taken from the members, which costs nothing here.
 */
export function countIncrements(table: TableNames, aggregate: Aggregate, changes: Changes): Promise<Counts> {
  return countUsualHandler(table, aggregate.of, changes, (stage, member) =>
    increment(stage, table, aggregate, member),
  );
}

async function increment(stage: Stage, table: TableNames, aggregate: Aggregate, member: Item): Promise<void> {
  for (const key of distinct(targetsOf(table, aggregate, member))) {
    const target = stage.table.read(key);
    if (target === undefined || !isOfKind(table, aggregate.on, target)) continue;
    const uncounted = { names: table, table: new ModelTablePort(stage.table), pageLimit: 1_000 };
    const unlimited = { ...aggregate, limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' } as const;
    const totals = await readTotals(uncounted, unlimited, target);
    const update = totals && planTotals(table, aggregate, target, totals.computed());
    if (update !== undefined) await stage.counted.updateItem(update);
  }
}

function distinct(keys: readonly ItemKey[]): ItemKey[] {
  return [...new Map(keys.map((key) => [keyText(key), key])).values()];
}
