import { readUnits, writeUnits } from '../../src/model/capacity.ts';
import { type CopyLocation, indexNamed } from '../../src/model/copy-location.ts';
import type { GuardedUpdate, WriteOutcome } from '../../src/model/guarded-write.ts';
import { type Item, type ItemKey, keyIn } from '../../src/model/item.ts';
import { itemSize } from '../../src/model/item-size.ts';
import type { ClockPort, TablePort } from '../../src/ports.ts';
import type { ModelTable } from '../../src/testing/table-model/model-table.ts';
import type { Counts } from './counts.ts';

/** Of the table's adapter: keys of a batch read, statements of a batch, and requests under way at once. */
const batch = { keys: 100, statements: 25, atOnce: 8 };

/**
 * The model of the table as DynamoDB would charge for it: counts requests and units, and lets each request take its time.
 * Reads of the table are strongly consistent, those of an index are not.
 */
export class CountedTable {
  private readonly table: ModelTable;
  private readonly clock: ClockPort;
  private readonly counts: Counts;
  private readonly latency: number;

  /** @param latency of a request, in milliseconds */
  constructor(table: ModelTable, clock: ClockPort, counts: Counts, latency: number) {
    this.table = table;
    this.clock = clock;
    this.counts = counts;
    this.latency = latency;
  }

  /** The table as the worker sees it. */
  port(): TablePort {
    return {
      get: async (key) => (await this.read([key], 'GetItem', 1))[0],
      getMany: (keys) => this.read(keys, 'BatchGetItem', batch.keys),
      queryPartition: async (location, limit, from) => {
        const page = this.table.page(location.pk, location.begins ?? '', limit, from);
        this.counts.readUnits += readUnits(bytesOf(page.entries), true);
        await this.request('Query');
        return page;
      },
      queryIndex: async (location, limit, from) => {
        const index = indexNamed(this.table.names, location.index);
        if (index === undefined) return { entries: [], next: undefined };
        const page = this.table.indexes.query(index, location.pk, location.begins ?? '', limit, from);
        const items = page.entries.map((key) => this.table.read(key)).filter((item) => item !== undefined);
        this.counts.readUnits += readUnits(bytesOf(items), false);
        await this.request('Query of an index');
        return page;
      },
      update: async (updates) => {
        const outcomes = updates.map((update) => this.write(update));
        await this.request('BatchExecuteStatement', Math.ceil(updates.length / batch.statements));
        return outcomes;
      },
      remove() {
        throw new Error('Expected a workload without removals');
      },
    };
  }

  /** An UpdateItem without a condition, as the usual handler sends it. */
  async updateItem(key: ItemKey, set: Item): Promise<void> {
    this.write({ key, set, remove: [], expect: {} });
    await this.request('UpdateItem');
  }

  /** An eventually consistent Query of the table or an index, as the usual handler sends it: half the price. */
  async queryLate(location: CopyLocation): Promise<readonly ItemKey[]> {
    if (location.in === 'index') return (await this.port().queryIndex(location, 1_000)).entries;
    if (location.in !== 'partition') throw new Error(`Expected a partition or an index, got ${location.in}`);
    const { entries } = this.table.page(location.pk, location.begins ?? '', 1_000);
    this.counts.readUnits += readUnits(bytesOf(entries), false);
    await this.request('Query');
    return entries.map((item) => keyIn(this.table.names, item));
  }

  private async read(keys: readonly ItemKey[], name: string, perRequest: number): Promise<Item[]> {
    const items = keys.map((key) => this.table.read(key));
    for (const item of items)
      this.counts.readUnits += readUnits(item === undefined ? 0 : itemSize(item), true);
    await this.request(name, Math.ceil(keys.length / perRequest));
    return items.filter((item) => item !== undefined);
  }

  private write(update: GuardedUpdate): WriteOutcome {
    const before = this.table.read(update.key);
    const outcome = this.table.guardedUpdate(update);
    const after = this.table.read(update.key);
    // A lost condition is charged as a write that changes nothing.
    this.counts.writeUnits += writeUnits(this.table.names, before, after).total;
    this.counts.copiesWritten += outcome === 'written' ? 1 : 0;
    return outcome;
  }

  private async request(name: string, requests = 1): Promise<void> {
    this.counts.requests[name] = (this.counts.requests[name] ?? 0) + requests;
    await this.clock.sleep(Math.ceil(requests / batch.atOnce) * this.latency);
  }
}

function bytesOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemSize(item), 0);
}
