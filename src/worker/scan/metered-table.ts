import { chunksOf } from '../../model/chunks-of.ts';
import { DenormError } from '../../model/errors.ts';
import type { GuardedUpdate, WriteOutcome } from '../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Budget } from '../budget.ts';
import type { OnSpent, ScanPort, TablePort } from '../ports.ts';
import { learnt } from './scan-table.ts';

/** Asked to stop before the work is complete. The next run repeats that work; no saved point or state includes it. */
export class Interrupted extends DenormError {
  override readonly name = 'Interrupted';

  constructor() {
    super('work.interrupted', 'Asked to stop before the work was complete: run it again to continue');
  }
}

/** As DynamoDB charges them, indexes included. Live. */
export interface Spent {
  readUnits: number;
  writeUnits: number;
  writes: number;
}

export interface Budgets {
  readonly reads: Budget;
  readonly writes: Budget;
  /** If it returns true, reads fail with {@link Interrupted}; writes do not. */
  readonly stop?: () => boolean;
  /** Every read, or only reads of many keys, between two requests. Default: `many`. */
  readonly stops?: 'every' | 'many';
}

/** Of a second's budget. */
const callShare = 1 / 4;

/** Source: AWS, "BatchGetItem". */
const maxKeys = 100;

/** A write unit is a quarter of a read unit. Source: AWS, "DynamoDB read and write operations". */
const writesPerRead = 4;

type Priced = 'item' | 'page' | 'update' | 'action';

/** A request waits for what others like it have cost, and is corrected by what the table says. */
export function meteredTable(
  port: TablePort,
  { reads, writes, stop = () => false, stops }: Budgets,
): { readonly port: TablePort; readonly spent: Spent } {
  const spent: Spent = { readUnits: 0, writeUnits: 0, writes: 0 };
  /** Average units for one of each, 0 if none is known. */
  const known: Record<Priced, number> = { item: 0, page: 0, update: 0, action: 0 };

  function priceOf(priced: Priced): number {
    if (known[priced] > 0) return known[priced];
    // Written items are about as large as those that were read.
    return priced === 'update' || priced === 'action' ? known.item * writesPerRead || 1 : 1;
  }
  /** As many as DynamoDB accepts, or fewer if the budget is small. */
  function fitting({ unitsPerSecond }: Budget, priced: Priced): number {
    if (unitsPerSecond === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
    return Math.max(1, Math.min(maxKeys, Math.floor((unitsPerSecond * callShare) / priceOf(priced))));
  }
  function checkStop(): void {
    if (stop()) throw new Interrupted();
  }

  async function pay<Result>(
    budget: Budget,
    priced: Priced,
    count: number,
    request: (onSpent: OnSpent) => Promise<Result>,
    mayStop = false,
  ): Promise<Result> {
    const { result, units } = await budget.spend(count * priceOf(priced), (report) => {
      // After the wait, which may have been long.
      if (mayStop && stop()) {
        report(0);
        throw new Interrupted();
      }
      return request((_, total) => report(total));
    });
    known[priced] = learnt(known[priced], units, count);
    spent[priced === 'item' || priced === 'page' ? 'readUnits' : 'writeUnits'] += units;
    return result;
  }
  function read<Result>(
    priced: 'item' | 'page',
    count: number,
    request: (onSpent: OnSpent) => Promise<Result>,
  ): Promise<Result> {
    return pay(reads, priced, count, request, stops === 'every');
  }
  function counted(outcomes: readonly WriteOutcome[]): readonly WriteOutcome[] {
    spent.writes += outcomes.filter((outcome) => outcome === 'written').length;
    return outcomes;
  }

  return {
    spent,
    port: {
      get: (key) => read('item', 1, (onSpent) => port.get(key, { onSpent })),
      async getMany(keys: readonly ItemKey[]) {
        const found: Item[] = [];
        for (const some of chunksOf(keys, fitting(reads, 'item'))) {
          checkStop();
          found.push(...(await read('item', some.length, (onSpent) => port.getMany(some, { onSpent }))));
        }
        return found;
      },
      query: (...asked) =>
        read('page', 1, async (onSpent) => {
          const page = await port.query(...asked);
          if (page.units !== undefined) onSpent(page.units, page.units);
          return page;
        }),
      async update(updates: readonly GuardedUpdate[]) {
        const outcomes: WriteOutcome[] = [];
        for (const some of chunksOf(updates, fitting(writes, 'update')))
          outcomes.push(
            ...counted(await pay(writes, 'update', some.length, (onSpent) => port.update(some, { onSpent }))),
          );
        return outcomes;
      },
      transact: async (root, actions) =>
        counted(
          await pay(writes, 'action', actions.length, (onSpent) => port.transact(root, actions, { onSpent })),
        ),
    },
  };
}

/** Its budget is the scan's own concern. */
export function countedScan(scan: ScanPort, spent: Spent): ScanPort {
  return {
    async scan(...asked) {
      const page = await scan.scan(...asked);
      spent.readUnits += page.units;
      return page;
    },
  };
}
