import { type CopyLocation, indexNamed } from '../../model/copy-location.ts';
import type {
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { Page, TablePort } from '../../ports.ts';
import type { ModelTable } from './model-table.ts';
import { RequestCounts } from './request-counts.ts';

/** A request of the worker that is about to be answered. */
export type TableRequest =
  | { readonly kind: 'get'; readonly key: ItemKey }
  | { readonly kind: 'getMany'; readonly keys: readonly ItemKey[] }
  | {
      readonly kind: 'queryPartition' | 'queryIndex';
      readonly location: CopyLocation;
      readonly from: Cursor | undefined;
    }
  | { readonly kind: 'update'; readonly updates: readonly GuardedUpdate[] }
  | { readonly kind: 'remove'; readonly root: RootCondition; readonly removals: readonly GuardedRemoval[] };

/** The most actions of a transaction. Source: AWS, "Quotas". */
const maxActions = 100;

/** The model table as the engine sees it, each request answered at once and counted. */
export class ModelTablePort implements TablePort {
  readonly counts = new RequestCounts();
  /**
   * Called before each request takes effect: it may change the table, as others do meanwhile, or throw what the port
   * would.
   */
  before: (request: TableRequest) => void = () => {};
  /** Called for each update and removal after it took effect: another answer than `written` makes a time-out of it. */
  answer: (key: ItemKey, outcome: WriteOutcome) => WriteOutcome = (_, outcome) => outcome;
  private readonly table: ModelTable;

  constructor(table: ModelTable) {
    this.table = table;
  }

  async get(key: ItemKey): Promise<Item | undefined> {
    this.count({ kind: 'get', key });
    const item = this.table.read(key);
    this.counts.itemsRead += item === undefined ? 0 : 1;
    return item;
  }

  async getMany(keys: readonly ItemKey[]): Promise<readonly Item[]> {
    this.count({ kind: 'getMany', keys });
    const items = keys.map((key) => this.table.read(key)).filter((item) => item !== undefined);
    this.counts.itemsRead += items.length;
    return items;
  }

  async queryPartition(
    location: Extract<CopyLocation, { in: 'partition' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<Item>> {
    this.count({ kind: 'queryPartition', location, from });
    const page = this.table.page(location.pk, location.begins ?? '', limit, from);
    this.counts.itemsRead += page.entries.length;
    return page;
  }

  async queryIndex(
    location: Extract<CopyLocation, { in: 'index' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<ItemKey>> {
    this.count({ kind: 'queryIndex', location, from });
    const index = indexNamed(this.table.names, location.index);
    if (index === undefined) return { entries: [], next: undefined };
    const page = this.table.indexes.query(index, location.pk, location.begins ?? '', limit, from);
    this.counts.itemsRead += page.entries.length;
    return page;
  }

  async update(updates: readonly GuardedUpdate[]): Promise<readonly WriteOutcome[]> {
    this.count({ kind: 'update', updates });
    return updates.map((update) => {
      const outcome = this.table.guardedUpdate(update);
      if (outcome === 'written') this.counts.itemsWritten += 1;
      if (outcome === 'lost') this.counts.itemsLost += 1;
      return this.answer(update.key, outcome);
    });
  }

  /** Transactions of as many as one takes; where a copy is lost, the others are tried again without it. */
  async remove(root: RootCondition, removals: readonly GuardedRemoval[]): Promise<readonly WriteOutcome[]> {
    this.count({ kind: 'remove', root, removals });
    const outcomes: WriteOutcome[] = [];
    for (let start = 0; start < removals.length; start += maxActions - 1)
      outcomes.push(...this.transact(root, removals.slice(start, start + maxActions - 1)));
    return removals.map(({ key }, index) => this.answer(key, outcomes[index] ?? 'unavailable'));
  }

  private transact(root: RootCondition, removals: readonly GuardedRemoval[]): readonly WriteOutcome[] {
    const first = this.table.guardedRemoval(root, removals);
    const lost = first.filter((outcome) => outcome === 'lost' || outcome === 'root').length;
    this.counts.itemsLost += lost;
    if (lost === 0) this.counts.itemsRemoved += removals.length;
    const again = removals.filter((_, index) => first[index] === 'unavailable');
    if (again.length === 0) return first;
    const second = [...this.transact(root, again)];
    return first.map((outcome) => (outcome === 'unavailable' ? (second.shift() ?? outcome) : outcome));
  }

  private count(request: TableRequest): void {
    this.before(request);
    this.counts[request.kind] += 1;
  }
}
