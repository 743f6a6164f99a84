import { type CopyLocation, indexNamed, locationText } from '../../../../model/copy-location.ts';
import { FatalError } from '../../../../model/errors.ts';
import type {
  Expectation,
  GuardedCreation,
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../../../../model/guarded-write.ts';
import { type Item, type ItemKey, keyText } from '../../../../model/item.ts';
import type { Cursor } from '../../../../model/message.ts';
import type { IndexNames } from '../../../../model/table-names.ts';
import type { OnSpent, Page, TablePort } from '../../../../worker/ports.ts';
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

  queryPartition(
    location: Extract<CopyLocation, { in: 'partition' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<Item>> {
    return this.request(`query ${locationText(location)} ${after(from)}`, {}, (fault) => {
      if (fault !== 'partial') this.invocation.refuse(fault);
      const most = fault === 'partial' ? 1 : limit;
      return this.table.page(location.pk, location.begins ?? '', most, from);
    });
  }

  queryIndex(
    location: Extract<CopyLocation, { in: 'index' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<ItemKey>> {
    return this.queryAnIndex(location, from, (index) =>
      this.table.indexes.query(index, location.pk, location.begins ?? '', limit, from),
    );
  }

  queryIndexEntries(
    location: Extract<CopyLocation, { in: 'index' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<Item>> {
    return this.queryAnIndex(location, from, (index) =>
      this.table.indexes.entriesOf(index, location.pk, location.begins ?? '', limit, from),
    );
  }

  private queryAnIndex<Entry>(
    location: Extract<CopyLocation, { in: 'index' }>,
    from: Cursor | undefined,
    page: (index: IndexNames) => Page<Entry>,
  ): Promise<Page<Entry>> {
    return this.request(`query ${locationText(location)} ${after(from)}`, {}, (fault): Page<Entry> => {
      if (fault !== 'partial') this.invocation.refuse(fault);
      if (fault === 'partial' && from !== undefined) {
        this.invocation.emptied = true;
        return { entries: [], next: from };
      }
      const index = indexNamed(this.table.names, location.index);
      if (index === undefined) throw new FatalError('table.no-index', 'Expected an index of the table');
      return page(index);
    });
  }

  /** An item as an index shows it. The engine has no use for it: its content may be out of date. */
  indexed(index: string, key: ItemKey): Item | undefined {
    const names = indexNamed(this.table.names, index);
    return names && this.table.indexes.shown(names, key);
  }

  update(updates: readonly GuardedUpdate[], onSpent?: OnSpent): Promise<readonly WriteOutcome[]> {
    return this.together((call) =>
      updates.map((update) =>
        this.write('update', update.key, call, onSpent, () =>
          exceedsExpressions(update.expect, [...Object.keys(update.set), ...update.remove])
            ? 'refused'
            : this.table.guardedUpdate(update, this.writer),
        ),
      ),
    );
  }

  remove(
    root: RootCondition,
    removals: readonly GuardedRemoval[],
    onSpent?: OnSpent,
  ): Promise<readonly WriteOutcome[]> {
    return this.together((call) =>
      removals.map((removal) =>
        this.write('remove', removal.key, call, onSpent, () =>
          exceedsExpressions(removal.expect, removal.clear ?? [])
            ? 'refused'
            : (this.table.guardedRemoval(root, [removal])[0] ?? 'unavailable'),
        ),
      ),
    );
  }

  create(
    root: RootCondition,
    creations: readonly GuardedCreation[],
    onSpent?: OnSpent,
  ): Promise<readonly WriteOutcome[]> {
    return this.together((call) =>
      creations.map((creation) =>
        this.write(
          'create',
          creation.key,
          call,
          onSpent,
          () => this.table.guardedCreation(root, [creation])[0] ?? 'unavailable',
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
    onSpent: OnSpent | undefined,
    effect: () => WriteOutcome,
  ): Promise<WriteOutcome> {
    return this.request(`${verb} ${keyText(key)}`, call, (served) => {
      const fault = served ?? (this.admits(key) ? undefined : 'throttled');
      if (fault === 'denied' || fault === 'partial') this.invocation.refuse(fault);
      if (fault === 'throttled' && onSpent !== undefined) return 'throttled';
      if (fault !== undefined) this.invocation.owes = true;
      if (fault === 'throttled') return 'unavailable';
      const changes = this.table.history.length;
      const outcome = effect();
      onSpent?.(1);
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
