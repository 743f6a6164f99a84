/**
 * Puts items back from the archive. Each item is first looked up in the table, because a lost condition costs a
 * write.
 *
 *   state chosen ──> item in the table? ──yes────────────────────────────────────────────> exists
 *                            └─no──> read the state ──in Glacier──> request it ──readable──> read it
 *                                        │                               └─later──> asked; or wait, then start over
 *                                        └──> write the restore note ──> put without expiry, if absent ──> restored
 *
 * The note is written first, because a sweep must find it when it meets the item. A run keeps no state: if it was
 * interrupted, run it again, and items that exist are skipped.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { writeUnits } from '../../model/capacity.ts';
import { DenormError, FatalError } from '../../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyOf, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { ArchivedState } from '../../worker/archive/archived-state.ts';
import type { ArchiveNotes, ArchiveReader } from '../../worker/archive/ports.ts';
import { restoredKeyOf, restoredMark } from '../../worker/archive/restored-mark.ts';
import type { ClockPort, PutPort, TablePort } from '../../worker/ports.ts';
import type { Budget } from '../../worker/scan/budget.ts';
import { retry } from '../../worker/scan/clock.ts';
import { type ArchivedItem, keepingBatches, readState } from './read-states.ts';
import { type Asked, askFor, type Retrieving, untilReadable } from './retrieval.ts';

/** Everything that a restore needs. */
export interface Restoring {
  readonly names: TableNames;
  readonly reader: ArchiveReader;
  readonly notes: ArchiveNotes;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly put: PutPort;
  readonly writes: Budget;
  readonly clock: ClockPort;
  /** Chooses the state to restore from an item's states, newest last; undefined to restore none. */
  readonly choose: (states: readonly ArchivedState[]) => ArchivedState | undefined;
  /** Whether an existing item is replaced. */
  readonly overwrite: boolean;
  /** Whether to report only: no retrieval is requested and nothing is written. */
  readonly dryRun: boolean;
  readonly retrieving: Retrieving;
  /** How often to check objects that were requested from Glacier, in milliseconds. Undefined: do not wait. */
  readonly waitEvery: number | undefined;
  /** Items that are restored in parallel, 1 or more. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onOutcome: (outcome: RestoreOutcome) => void;
}

/**
 * - `restored`: the item is back, or would be after a dry run; `retrieval` says that it must be retrieved from
 *   Glacier first;
 * - `exists`: the table has an item with this key, which was left alone;
 * - `asked`: its object was requested from Glacier and can be read later;
 * - `none`: no state was chosen;
 * - `failed`: `error` gives the reason.
 */
export interface RestoreOutcome {
  readonly is: 'restored' | 'exists' | 'asked' | 'none' | 'failed';
  readonly kind: string;
  readonly key: ItemKey | undefined;
  readonly state: ArchivedState | undefined;
  readonly storageClass?: string;
  readonly retrieval?: true;
  readonly error?: DenormError;
}

/** Items that are looked up in the table with one request. Source: AWS, "BatchGetItem". */
const together = 100;

/**
 * Restores items that can be read now, and waits for the others if `waitEvery` is set.
 * @throws FatalError if no item could be restored; reported outcomes are final
 */
export async function restore(work: Restoring, items: AsyncIterable<ArchivedItem>): Promise<void> {
  const run = new RestoreRun(work);
  let some: ArchivedItem[] = [];
  for await (const item of items) {
    if (work.stop()) return;
    some.push(item);
    if (some.length < together) continue;
    await run.restore(some);
    some = [];
  }
  await run.restore(some);
  await run.restoreAwaited();
}

/** An item and the state to restore. */
interface Chosen {
  readonly kind: string;
  readonly key: ItemKey | undefined;
  readonly state: ArchivedState;
}

class RestoreRun {
  private readonly work: Restoring;
  private readonly reader: ArchiveReader;
  /** Retrievals of batches by object key: one request serves all of a batch's lines. */
  private readonly asked = new Map<string, Promise<Asked>>();
  private readonly awaited: Chosen[] = [];

  constructor(work: Restoring) {
    this.work = work;
    this.reader = keepingBatches(work.reader);
  }

  async restore(items: readonly ArchivedItem[]): Promise<void> {
    const { choose, onOutcome } = this.work;
    const chosen = items.flatMap(({ kind, key, states }): Chosen[] => {
      const state = choose(states);
      if (state === undefined) onOutcome({ is: 'none', kind, key, state });
      return state === undefined ? [] : [{ kind, key, state }];
    });
    await this.restoreChosen(chosen);
  }

  /**
   * Waits for requested objects and restores their items. An object that has gone back to Glacier by then is
   * requested again.
   */
  async restoreAwaited(): Promise<void> {
    const { reader, clock, waitEvery, stop, onOutcome } = this.work;
    while (this.awaited.length > 0) {
      const some = this.awaited.splice(0, together);
      const readable = await allSettledOrThrow(
        some.map(({ state }) => untilReadable({ reader, clock }, state, waitEvery ?? 0, stop)),
      );
      if (stop()) return;
      this.asked.clear();
      await this.restoreChosen(some.filter((_, index) => readable[index]));
      for (const [index, chosen] of some.entries())
        if (!readable[index]) onOutcome({ is: 'failed', ...chosen, error: gone(chosen) });
    }
  }

  private async restoreChosen(chosen: readonly Chosen[]): Promise<void> {
    const { concurrency, stop, onOutcome } = this.work;
    const keys = chosen.map(({ key }) => key).filter((key) => key !== undefined);
    const existing = await this.existing(keys);
    const limit = pLimit(concurrency);
    await allSettledOrThrow(
      chosen.map((one) =>
        limit(async () => {
          if (stop()) return;
          if (one.key !== undefined && existing.has(keyText(one.key))) onOutcome({ is: 'exists', ...one });
          else await this.restoreOne(one);
        }),
      ),
    );
  }

  private async existing(keys: readonly ItemKey[]): Promise<ReadonlyMap<string, Item>> {
    const { overwrite, table, names, clock } = this.work;
    if (overwrite) return new Map();
    const items = await retry(clock, () => table.getMany(keys));
    return byKeyText(names, items);
  }

  private async restoreOne(chosen: Chosen): Promise<void> {
    const { onOutcome, dryRun, clock } = this.work;
    try {
      if (dryRun) return onOutcome(await retry(clock, () => this.wouldRestore(chosen)));
      const item = await retry(clock, () => this.read(chosen));
      if (item !== undefined) await this.putBack(chosen, item);
    } catch (error) {
      if (!(error instanceof DenormError) || error instanceof FatalError) throw error;
      onOutcome({ is: 'failed', ...chosen, error });
    }
  }

  private async wouldRestore(chosen: Chosen): Promise<RestoreOutcome> {
    const { objectKey, versionId } = chosen.state;
    const details = await this.work.reader.details(objectKey, versionId);
    if (details === undefined) return { is: 'failed', ...chosen, error: gone(chosen) };
    const { storageClass, retrieval } = details;
    const inGlacier = retrieval === 'needed' || retrieval === 'under-way';
    return { is: 'restored', ...chosen, storageClass, ...(inGlacier && { retrieval: true }) };
  }

  /** The item; undefined if it had to be requested from Glacier, which is reported. */
  private async read(chosen: Chosen): Promise<Item | undefined> {
    const { onOutcome, waitEvery } = this.work;
    const { state } = chosen;
    try {
      return await readState(this.reader, state);
    } catch (error) {
      if (!(error instanceof DenormError) || error.code !== 'archive.not-retrieved') throw error;
    }
    const { is, storageClass } = await this.askOnce(state);
    if (is === 'gone') throw gone(chosen);
    if (is === 'readable') return readState(this.reader, state);
    if (waitEvery !== undefined) this.awaited.push(chosen);
    onOutcome({ is: 'asked', ...chosen, storageClass });
    return undefined;
  }

  private askOnce(state: ArchivedState): Promise<Asked> {
    const asking = this.asked.get(state.objectKey) ?? askFor(this.work.reader, state, this.work.retrieving);
    if (state.line === undefined) return asking;
    this.asked.set(state.objectKey, asking);
    asking.catch(() => this.asked.delete(state.objectKey));
    return asking;
  }

  private async putBack(chosen: Chosen, archived: Item): Promise<void> {
    const { names, notes, put, writes, clock, overwrite, onOutcome } = this.work;
    const { [names.ttl]: _, ...item } = archived;
    const key = keyOf(names, item);
    if (key === undefined || (chosen.key !== undefined && keyText(key) !== keyText(chosen.key)))
      throw new DenormError(
        'archive.other-item',
        `Expected ${chosen.state.objectKey} to hold the item with its key, found another item: this worker did not put it`,
      );
    const known = { ...chosen, key };
    await retry(clock, () => notes.write(restoredKeyOf(chosen.kind, key), restoredMark(clock.now())));
    const estimate = writeUnits(names, undefined, item).total;
    await writes.take(estimate);
    const { outcome, units } = await retry(clock, () =>
      overwrite ? put.overwrite(item) : put.putIfAbsent(item),
    );
    writes.correct(units - estimate);
    if (outcome === 'put') onOutcome({ is: 'restored', ...known });
    else if (outcome === 'exists') onOutcome({ is: 'exists', ...known });
    else onOutcome({ is: 'failed', ...known, error: refused(known.key) });
  }
}

function gone({ state }: Chosen): DenormError {
  return new DenormError(
    'archive.missing',
    `Expected the archive to hold ${state.objectKey}, found no such object`,
  );
}

function refused(key: ItemKey): DenormError {
  return new DenormError(
    'table.refused',
    'DynamoDB refuses this item: check that the key attributes of its indexes are non-empty strings',
    { key },
  );
}
