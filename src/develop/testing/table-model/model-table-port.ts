import { type CopyLocation, indexNamed } from '../../../model/copy-location.ts';
import type {
  GuardedCreation,
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../../model/item.ts';
import type { Cursor } from '../../../model/message.ts';
import type { Page, TablePort } from '../../../worker/ports.ts';
import type { ModelTable } from './model-table.ts';
import { RequestCounts } from './request-counts.ts';

/** A request of the worker that is about to be answered. */
export type TableRequest =
  | { readonly kind: 'get'; readonly key: ItemKey }
  | { readonly kind: 'getMany'; readonly keys: readonly ItemKey[] }
  | {
      readonly kind: 'queryPartition' | 'queryIndex' | 'queryIndexEntries';
      readonly location: CopyLocation;
      readonly from: Cursor | undefined;
    }
  | { readonly kind: 'update'; readonly updates: readonly GuardedUpdate[] }
  | { readonly kind: 'remove'; readonly root: RootCondition; readonly removals: readonly GuardedRemoval[] }
  | { readonly kind: 'create'; readonly root: RootCondition; readonly creations: readonly GuardedCreation[] };

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

  async queryIndexEntries(
    location: Extract<CopyLocation, { in: 'index' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<Item>> {
    this.count({ kind: 'queryIndexEntries', location, from });
    const index = indexNamed(this.table.names, location.index);
    if (index === undefined) return { entries: [], next: undefined };
    const page = this.table.indexes.entriesOf(index, location.pk, location.begins ?? '', limit, from);
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
    const { outcomes, done } = this.inTransactions(removals, (some) => this.table.guardedRemoval(root, some));
    this.counts.itemsRemoved += done;
    return outcomes;
  }

  async create(root: RootCondition, creations: readonly GuardedCreation[]): Promise<readonly WriteOutcome[]> {
    this.count({ kind: 'create', root, creations });
    const { outcomes, done } = this.inTransactions(creations, (some) =>
      this.table.guardedCreation(root, some),
    );
    this.counts.itemsCreated += done;
    return outcomes;
  }

  private inTransactions<Write extends { readonly key: ItemKey }>(
    writes: readonly Write[],
    attempt: (some: readonly Write[]) => readonly WriteOutcome[],
  ) {
    const outcomes: WriteOutcome[] = [];
    for (let start = 0; start < writes.length; start += maxActions - 1)
      outcomes.push(...this.transact(writes.slice(start, start + maxActions - 1), attempt));
    return {
      outcomes: writes.map(({ key }, index) => this.answer(key, outcomes[index] ?? 'unavailable')),
      done: outcomes.filter((outcome) => outcome === 'written').length,
    };
  }

  private transact<Write>(
    writes: readonly Write[],
    attempt: (some: readonly Write[]) => readonly WriteOutcome[],
  ): readonly WriteOutcome[] {
    const first = attempt(writes);
    this.counts.itemsLost += first.filter((outcome) => outcome === 'lost' || outcome === 'root').length;
    const again = writes.filter((_, index) => first[index] === 'unavailable');
    if (again.length === 0) return first;
    const second = [...this.transact(again, attempt)];
    return first.map((outcome) => (outcome === 'unavailable' ? (second.shift() ?? outcome) : outcome));
  }

  private count(request: TableRequest): void {
    this.before(request);
    this.counts[request.kind] += 1;
  }
}
