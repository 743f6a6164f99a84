import { readUnits, type WriteUnits, writeUnits } from '../../model/capacity.ts';
import type { Change } from '../../model/change.ts';
import { type CopyLocation, isInLocation, type QueriedLocation } from '../../model/copy-location.ts';
import {
  changed,
  type GuardedAction,
  type GuardedCreation,
  type GuardedRemoval,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
} from '../../model/guarded-write.ts';
import { type Item, type ItemKey, isLegalKey, keyIn, keysIn, keyText } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import type { Cursor } from '../../model/message.ts';
import type { TableNames } from '../../model/table-names.ts';
import { keysPerRequest } from '../../worker/adapters/dynamodb/get-items.ts';
import { transactionsOf } from '../../worker/adapters/dynamodb/transact-items.ts';
import { statementsPerRequest } from '../../worker/adapters/dynamodb/update-items.ts';
import type { Page, TablePort } from '../../worker/ports.ts';

/** A request to the table, with its price. Reads are sent; writes are not. */
export type PricedStep =
  | { readonly does: 'read'; readonly key: ItemKey; readonly readUnits: number }
  | {
      readonly does: 'query';
      readonly location: QueriedLocation;
      /** Number of items in the page. */
      readonly found: number;
      readonly readUnits: number;
    }
  | {
      readonly does: 'update';
      readonly update: GuardedUpdate;
      readonly before: Item;
      readonly after: Item;
      readonly writeUnits: WriteUnits;
    }
  | {
      readonly does: 'remove';
      readonly removal: GuardedRemoval;
      readonly root: RootCondition;
      readonly before: Item;
      /** Undefined if the item is removed. */
      readonly after: Item | undefined;
      readonly writeUnits: WriteUnits;
    }
  | {
      readonly does: 'create';
      readonly creation: GuardedCreation;
      readonly root: RootCondition;
      readonly before: undefined;
      readonly after: Item;
      readonly writeUnits: WriteUnits;
    }
  /** The condition on the root, once for each transaction. */
  | { readonly does: 'condition'; readonly key: ItemKey; readonly writeUnits: WriteUnits };

/** What was asked of the table since it was asked last. */
export interface PricedSteps {
  readonly steps: readonly PricedStep[];
  /** The requests of DynamoDB behind each call of the port, one call after another. */
  readonly requests: readonly number[];
}

/**
 * A table with real reads that keeps writes in memory. Later reads see these writes, so a plan continues as
 * if they had succeeded. Every request is noted with its price.
 */
export class PricedTable implements TablePort {
  private readonly inner: TablePort;
  private readonly table: TableNames;
  private readonly noted: PricedStep[] = [];
  private readonly requests: number[] = [];
  /** Each item as it was last read or written. */
  private readonly seen = new Map<string, Item>();
  private readonly written = new Map<string, Item | undefined>();
  /** Each written item as it was before the first planned write. */
  private readonly original = new Map<string, Item | undefined>();
  /** Items of an index page. Only their keys are returned, but they are usually read next. */
  private readonly ahead = new Map<string, Item>();

  constructor(inner: TablePort, table: TableNames) {
    this.inner = inner;
    this.table = table;
  }

  /** Returns all steps since the last call. */
  take(): PricedSteps {
    this.seen.clear();
    this.ahead.clear();
    return { steps: this.noted.splice(0), requests: this.requests.splice(0) };
  }

  async get(key: ItemKey): Promise<Item | undefined> {
    const [item] = await this.read([key]);
    return item;
  }

  async getMany(keys: readonly ItemKey[]): Promise<readonly Item[]> {
    return this.read(keys);
  }

  /**
   * An index entry contains the whole item, so the cost of a page is known only when its items are. Items that a planned write
   * places on the index are part of the last page.
   */
  async query(location: QueriedLocation, limit: number, from?: Cursor, whole = false): Promise<Page<Item>> {
    const { entries, next } = await this.inner.query(location, limit, from, whole);
    this.requests.push(1);
    const isWhole = location.in === 'partition' || whole;
    const placed = isWhole || next !== undefined ? [] : this.placedIn(location);
    const items = isWhole ? entries : [...(await this.itemsAt(entries)), ...placed];
    const found = entries.length + placed.length;
    this.noted.push({
      ...{ does: 'query', location, found },
      readUnits: unitsOfPage(items, location.in === 'partition'),
    });
    if (!isWhole) for (const item of items) this.ahead.set(this.textOf(item), item);
    const shown = isWhole
      ? entries.map((item) => this.see(item)).filter((item) => item !== undefined)
      : [...entries, ...placed];
    return { entries: shown, next };
  }

  private itemsAt(entries: readonly Item[]): Promise<readonly Item[]> {
    return entries.length === 0 ? Promise.resolve([]) : this.inner.getMany(keysIn(this.table, entries));
  }

  async update(updates: readonly GuardedUpdate[]): Promise<readonly 'written'[]> {
    for (const update of updates) {
      const before = await this.lastSeen(update.key);
      const after = changed(before, update.set, update.remove);
      const price = writeUnits(this.table, before, after);
      this.noted.push({ does: 'update', update, before, after, writeUnits: price });
      this.write(update.key, after);
    }
    this.requests.push(Math.ceil(updates.length / statementsPerRequest));
    return updates.map(() => 'written');
  }

  async transact(root: RootCondition, actions: readonly GuardedAction[]): Promise<readonly 'written'[]> {
    const transactions = transactionsOf(actions);
    this.requests.push(transactions.length);
    for (const transaction of transactions) {
      await this.noteCondition(root);
      for (const action of transaction)
        if (isCreation(action)) this.noteCreation(root, action);
        else await this.noteRemoval(root, action);
    }
    return actions.map(() => 'written');
  }

  private noteCreation(root: RootCondition, creation: GuardedCreation): void {
    const { key, item: after } = creation;
    const price = writeUnits(this.table, undefined, after, true);
    this.noted.push({ does: 'create', creation, root, before: undefined, after, writeUnits: price });
    this.write(key, after);
  }

  private async noteRemoval(root: RootCondition, removal: GuardedRemoval): Promise<void> {
    const before = await this.lastSeen(removal.key);
    const after = removal.clear === undefined ? undefined : changed(before, {}, removal.clear);
    const price = writeUnits(this.table, before, after, true);
    this.noted.push({ does: 'remove', removal, root, before, after, writeUnits: price });
    this.write(removal.key, after);
  }

  private async noteCondition({ key, expect }: RootCondition): Promise<void> {
    const there = expect === 'absent' ? undefined : await this.lastSeen(key);
    this.noted.push({ does: 'condition', key, writeUnits: writeUnits(this.table, there, there, true) });
  }

  private async read(keys: readonly ItemKey[]): Promise<Item[]> {
    const legal = keys.filter(isLegalKey);
    this.requests.push(Math.ceil(legal.length / keysPerRequest));
    const unknown = legal.filter((key) => !this.ahead.has(keyText(key)));
    const items = unknown.length === 0 ? [] : await this.inner.getMany(unknown);
    const found = new Map(items.map((item) => [this.textOf(item), item]));
    const standing = legal.map((key) => {
      const item = found.get(keyText(key)) ?? this.ahead.get(keyText(key));
      this.ahead.delete(keyText(key));
      this.noted.push({ does: 'read', key, readUnits: readUnits(item ? itemSize(item) : 0, true) });
      return item === undefined ? this.written.get(keyText(key)) : this.see(item);
    });
    return standing.filter((item) => item !== undefined);
  }

  /** The current state of the item, including planned writes. */
  private see(item: Item): Item | undefined {
    const key = this.textOf(item);
    const now = this.written.has(key) ? this.written.get(key) : item;
    if (now !== undefined) this.seen.set(key, now);
    return now;
  }

  private async lastSeen(key: ItemKey): Promise<Item> {
    const item = this.seen.get(keyText(key)) ?? (await this.inner.get(key));
    return item ?? { [this.table.pk]: { S: key.pk }, [this.table.sk]: { S: key.sk } };
  }

  private placedIn(location: CopyLocation): readonly Item[] {
    return [...this.written].flatMap(([key, item]) => {
      const before = this.original.get(key);
      if (item === undefined || !isInLocation(this.table, item, location)) return [];
      return before !== undefined && isInLocation(this.table, before, location) ? [] : [item];
    });
  }

  private write(key: ItemKey, item: Item | undefined): void {
    const text = keyText(key);
    if (!this.original.has(text)) this.original.set(text, this.seen.get(text));
    this.written.set(keyText(key), item);
    if (item !== undefined) this.seen.set(keyText(key), item);
  }

  private textOf(item: Item): string {
    return keyText(keyIn(this.table, item));
  }
}

function unitsOfPage(items: readonly Item[], consistent: boolean): number {
  return readUnits(
    items.reduce((bytes, item) => bytes + itemSize(item), 0),
    consistent,
  );
}

/** The changes that these steps would cause on the stream: one for each write, in order. */
export function changesOf(table: TableNames, steps: readonly PricedStep[]): Change[] {
  return steps.flatMap((step, index): Change[] => {
    if (step.does !== 'update' && step.does !== 'remove' && step.does !== 'create') return [];
    const { before, after } = step;
    const key = keyIn(table, step.does === 'create' ? step.after : step.before);
    return [{ key, before, after, sequence: BigInt(index), expired: false, at: undefined }];
  });
}
