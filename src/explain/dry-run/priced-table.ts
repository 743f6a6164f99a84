import { readUnits } from '../../model/items/capacity.ts';
import type { Change } from '../../model/items/change.ts';
import { type CopyLocation, isInLocation, type QueriedLocation } from '../../model/items/copy-location.ts';
import {
  byKey,
  type Item,
  type ItemKey,
  isLegalKey,
  type KeyedItem,
  keyText,
} from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import type {
  GuardedAction,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../../model/work/guarded-write.ts';
import type { Cursor } from '../../model/work/message.ts';
import { keysPerRequest } from '../../worker/adapters/dynamodb/get-items.ts';
import { transactionsOf } from '../../worker/adapters/dynamodb/transact-items.ts';
import { statementsPerRequest } from '../../worker/adapters/dynamodb/update-items.ts';
import type { Page, TablePort, TableReads } from '../../worker/ports.ts';
import { overlaidTable, type WouldSpend } from './overlaid-table.ts';

/** What is asked of the table, with its price. Reads are sent; writes are not. */
export type PricedStep =
  | { readonly does: 'read'; readonly key: ItemKey; readonly readUnits: number }
  | {
      readonly does: 'query';
      readonly location: QueriedLocation;
      readonly found: number;
      readonly readUnits: number;
    }
  | WouldSpend;

export interface PricedSteps {
  readonly steps: readonly PricedStep[];
  /** The requests of DynamoDB behind each call of the port, one call after another. */
  readonly requests: readonly number[];
}

/** A table for a dry run, {@link overlaidTable}, that notes every request with its price. */
export class PricedTable implements TablePort {
  private readonly inner: TablePort;
  private readonly overlay: TablePort;
  private readonly table: TableNames;
  private readonly noted: PricedStep[] = [];
  private readonly requests: number[] = [];
  /** Each written item, as it was before the first planned write and as it is after the last. */
  private readonly written = new Map<
    string,
    { readonly key: ItemKey; readonly first: Item | undefined; readonly last: Item | undefined }
  >();
  /** Items of an index page. Only their keys are returned, but they are usually read next. */
  private readonly ahead = new Map<string, KeyedItem>();

  constructor(inner: TablePort, table: TableNames) {
    this.inner = inner;
    this.table = table;
    const reading: TableReads = {
      get: (key) => inner.get(key),
      getMany: (keys) => this.readAhead(keys),
      query: (...asked) => inner.query(...asked),
    };
    this.overlay = overlaidTable(reading, table, (step) => this.note(step));
  }

  take(): PricedSteps {
    this.ahead.clear();
    return { steps: this.noted.splice(0), requests: this.requests.splice(0) };
  }

  async get(key: ItemKey): Promise<KeyedItem | undefined> {
    const [item] = await this.getMany([key]);
    return item;
  }

  async getMany(keys: readonly ItemKey[]): Promise<readonly KeyedItem[]> {
    const legal = keys.filter((key) => isLegalKey(this.table, key));
    this.requests.push(Math.ceil(legal.length / keysPerRequest));
    const items = legal.length === 0 ? [] : await this.overlay.getMany(legal);
    const found = byKey(items);
    for (const key of legal) {
      const one = found(key);
      this.noted.push({ does: 'read', key, readUnits: readUnits(one ? itemSize(one.item) : 0, true) });
      this.ahead.delete(keyText(key));
    }
    return items;
  }

  /**
   * The cost of a page is known only when its items are: an index entry contains the whole item. Items that a planned write
   * places on the index are part of the last page.
   */
  async query(
    location: QueriedLocation,
    limit: number,
    from?: Cursor,
    whole = false,
  ): Promise<Page<KeyedItem>> {
    const page = await this.overlay.query(location, limit, from, whole);
    this.requests.push(1);
    const isWhole = location.in === 'partition' || whole;
    const placed = isWhole || page.next !== undefined ? [] : this.placedIn(location);
    const entries = [...page.entries, ...placed];
    const items = isWhole ? entries : [...(await this.itemsAt(page.entries)), ...placed];
    const units = readUnits(sizeOf(items), location.in === 'partition');
    this.noted.push({ does: 'query', location, found: entries.length, readUnits: units });
    if (!isWhole) for (const one of items) this.ahead.set(keyText(one.key), one);
    return { entries, next: page.next };
  }

  async update(updates: readonly GuardedUpdate[]): Promise<readonly WriteOutcome[]> {
    this.requests.push(Math.ceil(updates.length / statementsPerRequest));
    return this.overlay.update(updates);
  }

  async transact(root: RootCondition, actions: readonly GuardedAction[]): Promise<readonly WriteOutcome[]> {
    this.requests.push(transactionsOf(actions).length);
    return this.overlay.transact(root, actions);
  }

  private note(step: WouldSpend): void {
    this.noted.push(step);
    if (step.does !== 'write') return;
    const { key } = step.write;
    const text = keyText(key);
    const { first } = this.written.get(text) ?? { first: step.before };
    this.written.set(text, { key, first, last: step.after });
  }

  private itemsAt(entries: readonly KeyedItem[]): Promise<readonly KeyedItem[]> {
    return entries.length === 0 ? Promise.resolve([]) : this.inner.getMany(entries.map(({ key }) => key));
  }

  private async readAhead(keys: readonly ItemKey[]): Promise<readonly KeyedItem[]> {
    const known = keys.map((key) => this.ahead.get(keyText(key))).filter((item) => item !== undefined);
    const others = keys.filter((key) => !this.ahead.has(keyText(key)));
    return [...known, ...(others.length === 0 ? [] : await this.inner.getMany(others))];
  }

  private placedIn(location: CopyLocation): readonly KeyedItem[] {
    const isIn = (item: Item) => isInLocation(this.table, item, location);
    return [...this.written.values()].flatMap(({ key, first, last }) =>
      last === undefined || !isIn(last) || (first !== undefined && isIn(first)) ? [] : [{ key, item: last }],
    );
  }
}

function sizeOf(items: readonly KeyedItem[]): number {
  return items.reduce((bytes, { item }) => bytes + itemSize(item), 0);
}

export function changesOf(steps: readonly PricedStep[]): Change[] {
  return steps.flatMap((step, index): Change[] => {
    if (step.does !== 'write') return [];
    const { before, after } = step;
    const { key } = step.write;
    return [{ key, before, after, sequence: BigInt(index), expired: false, at: undefined }];
  });
}
