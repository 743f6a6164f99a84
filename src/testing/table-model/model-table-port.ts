import { chunksOf } from '../../model/basics/chunks-of.ts';
import { readUnits, writeUnits } from '../../model/items/capacity.ts';
import type { QueriedLocation } from '../../model/items/copy-location.ts';
import type { Item, ItemKey, KeyedItem } from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import {
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
  type WriteOutcome,
} from '../../model/work/guarded-write.ts';
import type { Cursor } from '../../model/work/message.ts';
import type { OnSpent, Page, ReadOptions, TablePort, WriteOptions } from '../../worker/ports.ts';
import type { ModelTable } from './model-table.ts';

export type TableRequest =
  | { readonly kind: 'get'; readonly key: ItemKey }
  | { readonly kind: 'getMany'; readonly keys: readonly ItemKey[] }
  | {
      readonly kind: 'queryPartition' | 'queryIndex' | 'queryIndexEntries';
      readonly location: QueriedLocation;
      readonly from: Cursor | undefined;
    }
  | { readonly kind: 'update'; readonly updates: readonly GuardedUpdate[] }
  | {
      readonly kind: 'remove' | 'create';
      readonly root: RootCondition;
      readonly actions: readonly GuardedAction[];
    };

export class RequestCounts {
  get = 0;
  getMany = 0;
  queryPartition = 0;
  queryIndex = 0;
  queryIndexEntries = 0;
  update = 0;
  remove = 0;
  create = 0;
  itemsRead = 0;
  /** Updates that took effect, those that changed nothing included: they cost as much. */
  itemsWritten = 0;
  itemsCreated = 0;
  itemsRemoved = 0;
  /** Writes that lost their condition, the root's included. They are charged too. */
  itemsLost = 0;

  requests(): number {
    const queries = this.queryPartition + this.queryIndex + this.queryIndexEntries;
    return this.get + this.getMany + queries + this.update + this.remove + this.create;
  }
}

/** The most actions of a transaction. Source: AWS, "Quotas". */
const maxActions = 100;

export class ModelTablePort implements TablePort {
  readonly counts = new RequestCounts();
  /** Called before each request takes effect: it may change the table, as others do meanwhile, or throw what the port would. */
  before: (request: TableRequest) => void = () => {};
  /** Called for each update and removal after it took effect: another answer than `written` makes a time-out of it. */
  answer: (key: ItemKey, outcome: WriteOutcome) => WriteOutcome = (_, outcome) => outcome;
  private readonly table: ModelTable;

  constructor(table: ModelTable) {
    this.table = table;
  }

  async get(key: ItemKey, { onSpent }: ReadOptions = {}): Promise<KeyedItem | undefined> {
    this.count({ kind: 'get', key });
    const found = this.table.keyedAt(key);
    spend(onSpent, unitsOf(found?.item));
    this.counts.itemsRead += found === undefined ? 0 : 1;
    return found;
  }

  async getMany(keys: readonly ItemKey[], { onSpent }: ReadOptions = {}): Promise<readonly KeyedItem[]> {
    this.count({ kind: 'getMany', keys });
    const read = keys.map((key) => this.table.keyedAt(key));
    const items = read.filter((item) => item !== undefined);
    spend(
      onSpent,
      read.reduce((sum, found) => sum + unitsOf(found?.item), 0),
    );
    this.counts.itemsRead += items.length;
    return items;
  }

  /** An index is paid for its whole entries. */
  async query(
    location: QueriedLocation,
    limit: number,
    from?: Cursor,
    whole = false,
  ): Promise<Page<KeyedItem>> {
    const ofIndex = whole ? 'queryIndexEntries' : 'queryIndex';
    this.count({ kind: location.in === 'partition' ? 'queryPartition' : ofIndex, location, from });
    const paid = this.table.query(location, limit, from, true);
    const page = this.table.query(location, limit, from, whole);
    this.counts.itemsRead += page.entries.length;
    const bytes = paid.entries.reduce((sum, { item }) => sum + itemSize(item), 0);
    return { ...page, units: readUnits(bytes, location.in === 'partition') };
  }

  async update(
    updates: readonly GuardedUpdate[],
    { onSpent }: WriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    this.count({ kind: 'update', updates });
    return updates.map((update) => {
      const before = this.table.read(update.key);
      const outcome = this.table.guardedUpdate(update);
      this.spendWrite(onSpent, before, this.table.read(update.key));
      if (outcome === 'written') this.counts.itemsWritten += 1;
      if (outcome === 'lost') this.counts.itemsLost += 1;
      return this.answer(update.key, outcome);
    });
  }

  /** Transactions of as many as one takes; where a copy is lost, the others are tried again without it. */
  async transact(
    root: RootCondition,
    actions: readonly GuardedAction[],
    { onSpent }: WriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    const isPut = actions.some(isCreation);
    this.count({ kind: isPut ? 'create' : 'remove', root, actions });
    const outcomes: WriteOutcome[] = [];
    const condition = this.table.read(root.key);
    const before = actions.map(({ key }) => this.table.read(key));
    for (const some of chunksOf(actions, maxActions - 1)) outcomes.push(...this.untilNoneIsLost(root, some));
    const done = outcomes.filter((outcome) => outcome === 'written').length;
    this.counts[isPut ? 'itemsCreated' : 'itemsRemoved'] += done;
    if (root.expect !== 'none') this.spendWrite(onSpent, condition, condition, true);
    for (const [index, { key }] of actions.entries())
      this.spendWrite(onSpent, before[index], this.table.read(key), true);
    return actions.map(({ key }, index) => this.answer(key, outcomes[index] ?? 'unavailable'));
  }

  private untilNoneIsLost(root: RootCondition, actions: readonly GuardedAction[]): readonly WriteOutcome[] {
    const first = this.table.guardedTransaction(root, actions);
    this.counts.itemsLost += first.filter((outcome) => outcome === 'lost' || outcome === 'root').length;
    const again = actions.filter((_, index) => first[index] === 'unavailable');
    // As the adapter does: one contribution may be too much for the sum.
    if (root.expect === 'head' && actions.length > 1 && first.every((outcome) => outcome === 'refused'))
      return chunksOf(actions, Math.ceil(actions.length / 2)).flatMap((some) =>
        this.untilNoneIsLost(root, some),
      );
    if (again.length === 0) return first;
    const second = [...this.untilNoneIsLost(root, again)];
    return first.map((outcome) => (outcome === 'unavailable' ? (second.shift() ?? outcome) : outcome));
  }

  private spendWrite(
    onSpent: OnSpent | undefined,
    before: Item | undefined,
    after: Item | undefined,
    transactional = false,
  ): void {
    const { table, total } = writeUnits(this.table.names, before, after, transactional);
    onSpent?.(table, total);
  }

  private count(request: TableRequest): void {
    this.before(request);
    this.counts[request.kind] += 1;
  }
}

function spend(onSpent: OnSpent | undefined, units: number): void {
  onSpent?.(units, units);
}

function unitsOf(item: Item | undefined): number {
  return readUnits(item === undefined ? 0 : itemSize(item), true);
}
