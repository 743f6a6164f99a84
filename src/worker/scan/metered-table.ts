import { readUnits, writeUnits } from '../../model/capacity.ts';
import { DenormError } from '../../model/errors.ts';
import {
  changed,
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type WriteOutcome,
} from '../../model/guarded-write.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../ports.ts';
import type { Budget } from './budget.ts';
import { RememberedItems } from './remembered-items.ts';

/**
 * Thrown when work is asked to stop before it is complete. The next run repeats that work; no saved point or state
 * includes it.
 */
export class Interrupted extends DenormError {
  override readonly name = 'Interrupted';

  constructor() {
    super('work.interrupted', 'Asked to stop before the work was complete: run it again to continue');
  }
}

/**
 * The capacity that a table has used, in units as DynamoDB charges them, indexes included. Live. A caller that
 * bypasses the meter, such as a scan, adds its own units.
 */
export interface Spent {
  readUnits: number;
  writeUnits: number;
  /** Copies written or removed. */
  writes: number;
}

export interface Budgets {
  readonly reads: Budget;
  readonly writes: Budget;
  /** If it returns true, reads fail with {@link Interrupted}; writes do not. Default: reads never stop. */
  readonly stop?: () => boolean;
  /** Which reads check `stop`: every read, or only reads of many keys, between two requests. Default: `many`. */
  readonly stops?: 'every' | 'many';
}

/** One request costs at most this share of a second's budget. */
const callShare = 1 / 4;

/** Source: AWS, "BatchGetItem". */
const maxKeys = 100;

/**
 * A table whose reads and writes wait for a budget. Large requests are split and made one after another, so that a
 * small budget is used evenly. The price of a read is computed from its result; the price of a write, from the item
 * as it was last read. A page of an index's keys has no sizes, so its price is estimated from the average size of
 * items.
 */
export function meteredTable(
  port: TablePort,
  table: TableNames,
  budgets: Budgets,
): { readonly port: TablePort; readonly spent: Spent } {
  const meter = new Meter(port, table, budgets);
  return { port: meter, spent: meter.spent };
}

class Meter implements TablePort {
  readonly spent: Spent = { readUnits: 0, writeUnits: 0, writes: 0 };
  private readonly port: TablePort;
  private readonly table: TableNames;
  private readonly budgets: Budgets;
  private readonly items = new RememberedItems();
  /** The average price of a page so far. */
  private unitsPerPage = 1;

  constructor(port: TablePort, table: TableNames, budgets: Budgets) {
    this.port = port;
    this.table = table;
    this.budgets = budgets;
  }

  get(key: ItemKey): Promise<Item | undefined> {
    return this.reading(this.unitsPerItem(), async () => {
      const item = await this.port.get(key);
      if (item === undefined) return { result: item, units: 1 };
      this.note([item]);
      return { result: item, units: unitsOf(item) };
    });
  }

  async getMany(keys: readonly ItemKey[]): Promise<readonly Item[]> {
    const size = this.fitting(this.budgets.reads, this.unitsPerItem());
    const found: Item[] = [];
    for (let start = 0; start < keys.length; start += size) {
      this.checkStop();
      const some = keys.slice(start, start + size);
      const items = await this.reading(some.length * this.unitsPerItem(), async () => {
        const result = await this.port.getMany(some);
        this.note(result);
        // A missing item costs one unit.
        const missing = some.length - result.length;
        return { result, units: result.reduce((sum, item) => sum + unitsOf(item), missing) };
      });
      found.push(...items);
    }
    return found;
  }

  query(...asked: Parameters<TablePort['query']>) {
    const [location, , , whole = false] = asked;
    return this.reading(this.unitsPerPage, async () => {
      const result = await this.port.query(...asked);
      const isKeys = location.in === 'index' && !whole;
      if (location.in === 'partition') this.note(result.entries);
      const bytes = isKeys ? result.entries.length * this.items.averageSize() : bytesOf(result.entries);
      return { result, units: this.pageOf(readUnits(bytes, location.in === 'partition')) };
    });
  }

  async update(updates: readonly GuardedUpdate[]): Promise<readonly WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    const priced = updates.map((update) => ({ update, ...this.price(update) }));
    for (const some of this.pieces(priced)) {
      const estimate = some.reduce((sum, { units }) => sum + units, 0);
      await this.budgets.writes.take(estimate);
      const written = await this.port.update(some.map(({ update }) => update));
      let real = 0;
      some.forEach(({ units, before, after, update }, index) => {
        const outcome = written[index] ?? 'unavailable';
        // A lost condition is charged like a write that leaves the item unchanged.
        real += outcome === 'lost' && before ? writeUnits(this.table, before, before).total : units;
        if (outcome !== 'written') return;
        this.spent.writes += 1;
        this.items.put(keyText(update.key), after);
      });
      this.budgets.writes.correct(real - estimate);
      this.spent.writeUnits += real;
      outcomes.push(...written);
    }
    return outcomes;
  }

  async transact(...[root, actions]: Parameters<TablePort['transact']>) {
    // The condition on the root is charged like a write of it, once for each transaction. Usually there is one.
    const asked = writeUnits(this.table, this.items.get(keyText(root.key)), undefined, true).table;
    const units = actions.reduce((sum, action) => sum + this.priceOf(action), asked);
    await this.budgets.writes.take(units);
    const outcomes = await this.port.transact(root, actions);
    this.spent.writeUnits += units;
    this.spent.writes += outcomes.filter((outcome) => outcome === 'written').length;
    return outcomes;
  }

  private priceOf(action: GuardedAction): number {
    if (isCreation(action)) return writeUnits(this.table, undefined, action.item, true).total;
    const before = this.items.get(keyText(action.key));
    const after = action.clear && before && changed(before, {}, action.clear);
    return writeUnits(this.table, before, after, true).total;
  }

  private async reading<Result>(
    estimate: number,
    read: () => Promise<{ readonly result: Result; readonly units: number }>,
  ): Promise<Result> {
    if (this.budgets.stops === 'every') this.checkStop();
    await this.budgets.reads.take(estimate);
    const { result, units } = await read();
    this.budgets.reads.correct(units - estimate);
    this.spent.readUnits += units;
    return result;
  }

  private checkStop(): void {
    if (this.budgets.stop?.() === true) throw new Interrupted();
  }

  private price(update: GuardedUpdate) {
    const before = this.items.get(keyText(update.key));
    const after = changed(before ?? {}, update.set, update.remove);
    const units = before === undefined ? 1 : writeUnits(this.table, before, after).total;
    return { before, after, units };
  }

  /** Splits writes into requests within the limit. A write that costs more is a request of its own. */
  private pieces<Priced extends { readonly units: number }>(priced: readonly Priced[]): Priced[][] {
    const most = this.budgets.writes.unitsPerSecond * callShare;
    const pieces: Priced[][] = [];
    let room = 0;
    for (const one of priced) {
      const piece = pieces.at(-1);
      if (piece !== undefined && one.units <= room) piece.push(one);
      else {
        pieces.push([one]);
        room = most;
      }
      room -= one.units;
    }
    return pieces;
  }

  private unitsPerItem(): number {
    return readUnits(this.items.averageSize(), true);
  }

  /** The number of keys in a request: as many as DynamoDB accepts, or fewer if the budget is small. */
  private fitting({ unitsPerSecond }: Budget, unitsEach: number): number {
    if (unitsPerSecond === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
    return Math.max(1, Math.min(maxKeys, Math.floor((unitsPerSecond * callShare) / unitsEach)));
  }

  private pageOf(units: number): number {
    this.unitsPerPage = this.unitsPerPage * 0.75 + units * 0.25;
    return units;
  }

  private note(items: readonly Item[]): void {
    for (const item of items) this.items.put(keyText(keyIn(this.table, item)), item);
  }
}

function unitsOf(item: Item): number {
  return readUnits(itemSize(item), true);
}

function bytesOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemSize(item), 0);
}
