import { readUnits, writeUnits } from '../../model/capacity.ts';
import type { QueriedLocation } from '../../model/copy-location.ts';
import {
  type GuardedCreation,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
  type WriteOutcome,
} from '../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import type { Cursor } from '../../model/message.ts';
import { transactionsOf } from '../../worker/adapters/dynamodb/transact-items.ts';
import type { ClockPort, Page, TablePort } from '../../worker/ports.ts';
import type { ModelTable } from '../testing/table-model/model-table.ts';
import type { Counts } from './counts.ts';

/** Of the table's adapter: keys of a batch read, statements of a batch, and requests under way at once. */
const batch = { keys: 100, statements: 25, atOnce: 8 };

/** What a page of a query holds at most, in bytes. Source: AWS, "Quotas", Query. */
const maxPage = 2 ** 20;

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
      query: (location, limit, from) => this.query(location, limit, from),
      update: async (updates) => {
        const outcomes = updates.map((update) => this.write(update));
        await this.request('BatchExecuteStatement', Math.ceil(updates.length / batch.statements));
        return outcomes;
      },
      transact: (root, actions) => this.create(root, actions.filter(isCreation)),
    };
  }

  /** A page of at most so many entries, and of at most a megabyte. An index gives whole entries: they are paid for. */
  private async query(
    location: QueriedLocation,
    limit: number,
    from: Cursor | undefined,
  ): Promise<Page<Item>> {
    const page = this.table.query(location, limit, from, true);
    let bytes = 0;
    const beyond = page.entries.findIndex((item) => {
      bytes += itemSize(item);
      return bytes > maxPage;
    });
    const fitting = beyond <= 0 ? page : this.table.query(location, beyond, from, true);
    this.counts.readUnits += readUnits(bytesOf(fitting.entries), location.in === 'partition');
    await this.request(location.in === 'partition' ? 'Query' : 'Query of an index');
    return fitting;
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

  /** Transactions with a condition on the root: each pays for the root once, and twice for each item. */
  private async create(
    root: RootCondition,
    creations: readonly GuardedCreation[],
  ): Promise<readonly WriteOutcome[]> {
    const { names } = this.table;
    const transactions = transactionsOf(creations);
    const outcomes = transactions.flatMap((chunk) => {
      const stands = this.table.read(root.key);
      this.counts.writeUnits += writeUnits(names, stands, stands, true).total;
      return this.table.guardedTransaction(root, chunk).map((outcome, index): WriteOutcome => {
        const after = outcome === 'written' ? chunk[index]?.item : undefined;
        this.counts.writeUnits += writeUnits(names, undefined, after, true).total;
        this.counts.copiesWritten += after === undefined ? 0 : 1;
        return outcome;
      });
    });
    await this.request('TransactWriteItems', transactions.length);
    return outcomes;
  }

  private async request(name: string, requests = 1): Promise<void> {
    this.counts.requests[name] = (this.counts.requests[name] ?? 0) + requests;
    await this.clock.sleep(Math.ceil(requests / batch.atOnce) * this.latency);
  }
}

function bytesOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemSize(item), 0);
}
