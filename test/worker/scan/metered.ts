import type { Item } from '../../../src/model/item.ts';
import { Budget } from '../../../src/worker/scan/budget.ts';
import { type Budgets, meteredTable } from '../../../src/worker/scan/metered-table.ts';
import { table } from '../../fixtures/model/table.ts';
import { ModelSearch } from '../verify/search.ts';

interface Limits extends Pick<Budgets, 'stop' | 'stops'> {
  /** Units a second. Default: unlimited. */
  readonly rcu?: number;
  readonly wcu?: number;
}

/** A metered table with these items, and how long it has waited. */
export function metered(items: readonly Item[], { rcu, wcu, ...stops }: Limits = {}) {
  const search = new ModelSearch(items);
  const { clock } = search;
  const reads = new Budget(rcu ?? Number.POSITIVE_INFINITY, clock);
  const writes = new Budget(wcu ?? Number.POSITIVE_INFINITY, clock);
  const began = clock.now();
  return {
    ...{ search, reads, writes },
    ...meteredTable(search.port, table, { reads, writes, ...stops }),
    seconds: () => (clock.now() - began) / 1000,
  };
}
