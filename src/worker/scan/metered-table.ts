import { chunksOf } from '../../model/basics/chunks-of.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { ItemKey, KeyedItem } from '../../model/items/item.ts';
import type { GuardedUpdate, WriteOutcome } from '../../model/work/guarded-write.ts';
import type { Budget } from '../budget.ts';
import type { OnSpent, ScanPort, TablePort, TableReads } from '../ports.ts';
import { averageCost } from './scan-table.ts';

/** Asked to stop before the work is complete. The next run repeats that work; no saved point or state includes it. */
export class Interrupted extends DenormError {
  override readonly name = 'Interrupted';

  constructor() {
    super('work.interrupted', 'Asked to stop before the work was complete: run it again to continue');
  }
}

/** Passes over an interruption, and throws any other error. */
export function unlessInterrupted(error: unknown): undefined {
  if (!(error instanceof Interrupted)) throw error;
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

interface Metered<Port> {
  readonly port: Port;
  readonly spent: Spent;
}

/** A request waits for what others like it have cost, and is corrected by what the table says. */
export function meteredTable(port: TablePort, budgets: Budgets): Metered<TablePort> {
  const meter = meterOf(budgets);
  return { spent: meter.spent, port: { ...readsOf(port, meter), ...writesOf(port, meter) } };
}

/** Without the code for writes. */
export function meteredReads(port: TableReads, budgets: Budgets): Metered<TableReads> {
  const meter = meterOf(budgets);
  return { spent: meter.spent, port: readsOf(port, meter) };
}

type Meter = ReturnType<typeof meterOf>;

function meterOf({ reads, writes, stop = () => false, stops }: Budgets) {
  const spent: Spent = { readUnits: 0, writeUnits: 0, writes: 0 };
  /** Average units for one of each, 0 if none is known. */
  const known: Record<Priced, number> = { item: 0, page: 0, update: 0, action: 0 };

  function priceOf(priced: Priced): number {
    if (known[priced] > 0) return known[priced];
    // Written items are about as large as those that were read.
    return priced === 'update' || priced === 'action' ? known.item * writesPerRead || 1 : 1;
  }
  /** As many as DynamoDB accepts, or fewer if the budget is small. */
  function countWithin({ unitsPerSecond }: Budget, priced: Priced): number {
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
    known[priced] = averageCost(known[priced], units, count);
    spent[priced === 'item' || priced === 'page' ? 'readUnits' : 'writeUnits'] += units;
    return result;
  }
  return {
    spent,
    /** For reads of many keys, and for many updates. */
    itemsAtOnce: () => countWithin(reads, 'item'),
    updatesAtOnce: () => countWithin(writes, 'update'),
    checkStop,
    read<Result>(priced: 'item' | 'page', count: number, request: (onSpent: OnSpent) => Promise<Result>) {
      return pay(reads, priced, count, request, stops === 'every');
    },
    async write(
      priced: 'update' | 'action',
      count: number,
      request: (onSpent: OnSpent) => Promise<readonly WriteOutcome[]>,
    ) {
      const outcomes = await pay(writes, priced, count, request);
      spent.writes += outcomes.filter((outcome) => outcome === 'written').length;
      return outcomes;
    },
  };
}

function readsOf(port: TableReads, meter: Meter): TableReads {
  return {
    get: (key) => meter.read('item', 1, (onSpent) => port.get(key, { onSpent })),
    async getMany(keys: readonly ItemKey[]) {
      const found: KeyedItem[] = [];
      for (const some of chunksOf(keys, meter.itemsAtOnce())) {
        meter.checkStop();
        found.push(...(await meter.read('item', some.length, (onSpent) => port.getMany(some, { onSpent }))));
      }
      return found;
    },
    query: (...args) =>
      meter.read('page', 1, async (onSpent) => {
        const page = await port.query(...args);
        if (page.units !== undefined) onSpent(page.units, page.units);
        return page;
      }),
  };
}

function writesOf(port: TablePort, meter: Meter): Pick<TablePort, 'update' | 'transact'> {
  return {
    async update(updates: readonly GuardedUpdate[]) {
      const outcomes: WriteOutcome[] = [];
      for (const some of chunksOf(updates, meter.updatesAtOnce()))
        outcomes.push(
          ...(await meter.write('update', some.length, (onSpent) => port.update(some, { onSpent }))),
        );
      return outcomes;
    },
    transact: (root, actions) =>
      meter.write('action', actions.length, (onSpent) => port.transact(root, actions, { onSpent })),
  };
}

/** Its budget is the scan's own concern. */
export function countedScan(scan: ScanPort, spent: Spent): ScanPort {
  return {
    async scan(...args) {
      const page = await scan.scan(...args);
      spent.readUnits += page.units;
      return page;
    },
  };
}
