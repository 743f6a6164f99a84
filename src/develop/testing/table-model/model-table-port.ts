import { chunksOf } from '../../../model/chunks-of.ts';
import type { QueriedLocation } from '../../../model/copy-location.ts';
import {
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
  type WriteOutcome,
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
      readonly location: QueriedLocation;
      readonly from: Cursor | undefined;
    }
  | { readonly kind: 'update'; readonly updates: readonly GuardedUpdate[] }
  | {
      readonly kind: 'remove' | 'create';
      readonly root: RootCondition;
      readonly actions: readonly GuardedAction[];
    };

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

  async query(location: QueriedLocation, limit: number, from?: Cursor, whole = false): Promise<Page<Item>> {
    const ofIndex = whole ? 'queryIndexEntries' : 'queryIndex';
    this.count({ kind: location.in === 'partition' ? 'queryPartition' : ofIndex, location, from });
    const page = this.table.query(location, limit, from, whole);
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
  async transact(root: RootCondition, actions: readonly GuardedAction[]): Promise<readonly WriteOutcome[]> {
    const isPut = actions.some(isCreation);
    this.count({ kind: isPut ? 'create' : 'remove', root, actions });
    const outcomes: WriteOutcome[] = [];
    for (const some of chunksOf(actions, maxActions - 1)) outcomes.push(...this.untilNoneIsLost(root, some));
    const done = outcomes.filter((outcome) => outcome === 'written').length;
    this.counts[isPut ? 'itemsCreated' : 'itemsRemoved'] += done;
    return actions.map(({ key }, index) => this.answer(key, outcomes[index] ?? 'unavailable'));
  }

  private untilNoneIsLost(root: RootCondition, actions: readonly GuardedAction[]): readonly WriteOutcome[] {
    const first = this.table.guardedTransaction(root, actions);
    this.counts.itemsLost += first.filter((outcome) => outcome === 'lost' || outcome === 'root').length;
    const again = actions.filter((_, index) => first[index] === 'unavailable');
    if (again.length === 0) return first;
    const second = [...this.untilNoneIsLost(root, again)];
    return first.map((outcome) => (outcome === 'unavailable' ? (second.shift() ?? outcome) : outcome));
  }

  private count(request: TableRequest): void {
    this.before(request);
    this.counts[request.kind] += 1;
  }
}
