import { locationText } from '../../../../model/copy-location.ts';
import {
  type Expectation,
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type RootCondition,
  type WriteOutcome,
} from '../../../../model/guarded-write.ts';
import { type Item, type ItemKey, keyText } from '../../../../model/item.ts';
import type { Cursor } from '../../../../model/message.ts';
import type { Page, QueriedRange, TablePort, WriteOptions } from '../../../../worker/ports.ts';
import type { ModelTable, Writer } from '../../table-model/model-table.ts';
import type { Fault, Invocation } from './invocation.ts';

/** Counts that invariants speak of. */
export interface WriteCounts {
  /** Writes that took effect. */
  written: number;
  /** Writes that took effect and changed nothing. */
  idle: number;
  /** Writes that lost their condition. */
  lost: number;
}

/**
 * The table as one invocation sees it. Every item of a request is a request of its own, served when the scheduler says
 * so: neither a batch read nor a batch of statements is a snapshot.
 */
export class RequestedTable implements TablePort {
  private readonly table: ModelTable;
  private readonly invocation: Invocation;
  private readonly counts: WriteCounts;
  private readonly writer: Writer;
  private readonly isAway: () => boolean;
  private readonly admits: (key: ItemKey) => boolean;

  /**
   * @param isAway whether no request is served: each is throttled then
   * @param admits whether the partition of this item takes another write now
   */
  constructor(
    table: ModelTable,
    invocation: Invocation,
    counts: WriteCounts,
    writer: Writer = 'worker',
    isAway = () => false,
    admits: (key: ItemKey) => boolean = () => true,
  ) {
    this.table = table;
    this.invocation = invocation;
    this.counts = counts;
    this.writer = writer;
    this.isAway = isAway;
    this.admits = admits;
  }

  get(key: ItemKey): Promise<Item | undefined> {
    return this.read('get', key, {});
  }

  async getMany(keys: readonly ItemKey[]): Promise<readonly Item[]> {
    const call = {};
    const items = await Promise.all(keys.map((key) => this.read('read', key, call)));
    return items.filter((item) => item !== undefined);
  }

  /** A search of an index up to a key goes by pages of two, so that there are several. */
  query(location: QueriedRange, size: number, from?: Cursor, whole?: boolean): Promise<Page<Item>> {
    const isIndex = location.in === 'index';
    const limit = location.before === undefined ? size : Math.min(size, 2);
    return this.request(`query ${locationText(location)} ${after(from)}`, {}, (fault): Page<Item> => {
      if (fault !== 'partial') this.invocation.refuse(fault);
      if (isIndex && fault === 'partial' && from !== undefined) {
        this.invocation.emptied = true;
        return { entries: [], next: from };
      }
      return this.table.query(location, !isIndex && fault === 'partial' ? 1 : limit, from, whole);
    });
  }

  update(updates: readonly GuardedUpdate[], options?: WriteOptions): Promise<readonly WriteOutcome[]> {
    return this.together((call) =>
      updates.map((update) =>
        this.write('update', update.key, call, options, () =>
          exceedsExpressions(update.expect, [...Object.keys(update.set), ...update.remove])
            ? 'refused'
            : this.table.guardedUpdate(update, this.writer),
        ),
      ),
    );
  }

  transact(
    root: RootCondition,
    actions: readonly GuardedAction[],
    options?: WriteOptions,
  ): Promise<readonly WriteOutcome[]> {
    return this.together((call) =>
      actions.map((action) =>
        this.write(isCreation(action) ? 'create' : 'remove', action.key, call, options, () =>
          !isCreation(action) && exceedsExpressions(action.expect, action.clear ?? [])
            ? 'refused'
            : (this.table.guardedTransaction(root, [action])[0] ?? 'unavailable'),
        ),
      ),
    );
  }

  /** Makes writes in one call. Where the call fails as a whole, nobody learns which of them were throttled. */
  private async together(
    writes: (call: object) => readonly Promise<WriteOutcome>[],
  ): Promise<readonly WriteOutcome[]> {
    const outcomes = await Promise.all(writes({}));
    if (outcomes.includes('written')) this.invocation.written = true;
    if (outcomes.includes('throttled')) this.invocation.throttled = true;
    return outcomes;
  }

  private read(verb: string, key: ItemKey, call: object): Promise<Item | undefined> {
    return this.request(`${verb} ${keyText(key)}`, call, (fault) => {
      if (fault !== 'partial') this.invocation.refuse(fault);
      return this.table.read(key);
    });
  }

  /** Where part of a call fails, the whole call throws, although other parts of it took effect. */
  private write(
    verb: 'update' | 'remove' | 'create',
    key: ItemKey,
    call: object,
    options: WriteOptions | undefined,
    effect: () => WriteOutcome,
  ): Promise<WriteOutcome> {
    return this.request(`${verb} ${keyText(key)}`, call, (served) => {
      const fault = served ?? (this.admits(key) ? undefined : 'throttled');
      if (fault === 'denied' || fault === 'partial') this.invocation.refuse(fault);
      if (fault === 'throttled' && options?.isPaced === true) return 'throttled';
      if (fault !== undefined) this.invocation.owes = true;
      if (fault === 'throttled') return 'unavailable';
      const changes = this.table.history.length;
      const outcome = effect();
      options?.onSpent?.(1, 1);
      if (outcome === 'lost' || outcome === 'root') this.counts.lost += 1;
      if (outcome === 'written') {
        this.counts.written += 1;
        if (this.table.history.length === changes) this.counts.idle += 1;
      }
      return fault === undefined ? outcome : 'unavailable';
    });
  }

  private request<T>(text: string, call: object, effect: (fault: Fault | undefined) => T): Promise<T> {
    return this.invocation.request(text, (fault) => effect(this.isAway() ? 'throttled' : fault), call);
  }
}

function after(from: Cursor | undefined): string {
  return from === undefined ? 'from its start' : `after ${JSON.stringify(Object.values(from))}`;
}

/** What an expression takes: operators, of which each comparison has two, and bytes. Source: AWS, "Quotas". */
const maxOperators = 300;
const maxBytes = 4096;

function exceedsExpressions(expect: Expectation, changes: readonly string[]): boolean {
  const compared = Object.keys(expect);
  const bytes = (names: readonly string[]) => names.reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return (
    2 * compared.length > maxOperators ||
    changes.length > maxOperators ||
    Math.max(bytes(compared), bytes(changes)) > maxBytes
  );
}
