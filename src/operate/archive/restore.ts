/**
 * Each item is first looked up in the table, because a lost condition costs a write.
 *
 *   state chosen ──> item in the table? ──yes────────────────────────────────────────────────> exists
 *                            └─no──> read the state ──in Glacier──> request it ──readable later──> requested
 *                                        │                               └─readable now──> read it
 *                                        └──> write the restore note ──> put without expiry, if absent ──> restored
 *
 * The note is written first, because a sweep must find it when it meets the item. If the put then fails, the note remains, and
 * nothing is lost: a sweep only keeps an item with this key in the table, for the rule's age or, as a companion, beyond its root.
 * A run keeps no state: if it was interrupted or has requested objects, run it again, and items that exist are skipped.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import { DenormError, FatalError } from '../../model/basics/errors.ts';
import { writeUnits } from '../../model/items/capacity.ts';
import { byKey, type Item, type ItemKey, keyOf, keyText } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { restoredKeyOf, restoredMark } from '../../worker/archive/object.ts';
import type { ArchiveNotes, ArchiveReader } from '../../worker/archive/ports.ts';
import type { Budget } from '../../worker/budget.ts';
import type { ClockPort, PutPort, TablePort } from '../../worker/ports.ts';
import { retryOutage } from '../../worker/retry.ts';
import type { ArchivedState } from './archived-state.ts';
import { type ArchivedItem, keepingBatches, lookupGroups } from './read-states.ts';
import { detailsOf, type Retrieve, type Retrieving, retrieval } from './retrieval.ts';

export interface Restoring {
  readonly names: TableNames;
  readonly reader: ArchiveReader;
  readonly notes: ArchiveNotes;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly put: PutPort;
  readonly writes: Budget;
  readonly clock: ClockPort;
  /** From an item's states, newest last; undefined to restore none. */
  readonly choose: (states: readonly ArchivedState[]) => ArchivedState | undefined;
  readonly overwrite: boolean;
  readonly dryRun: boolean;
  readonly retrieving: Retrieving;
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onOutcome: (outcome: RestoreOutcome) => void;
}

/**
 * - `restored`: it is back, or would be after a dry run; `retrieval`: it must be retrieved from Glacier first;
 * - `exists`: the table has an item with this key, which was left alone;
 * - `requested`: its object was requested from Glacier and can be read later;
 * - `none`: no state was chosen.
 */
export interface RestoreOutcome {
  readonly is: 'restored' | 'exists' | 'requested' | 'none' | 'failed';
  readonly kind: string;
  readonly key: ItemKey | undefined;
  readonly state: ArchivedState | undefined;
  readonly storageClass?: string;
  readonly retrieval?: true;
  readonly error?: DenormError;
}

/**
 * Restores the items that can be read now, and requests the others from Glacier.
 * @throws FatalError if no item could be restored; reported outcomes are final
 */
export async function restore(given: Restoring, items: AsyncIterable<ArchivedItem>): Promise<void> {
  const reader = keepingBatches(given.reader);
  const work = { ...given, reader, retrieve: retrieval(reader, given.retrieving) };
  for await (const group of lookupGroups(items, work.stop)) await restoreItems(work, group);
}

interface RestoreWork extends Restoring {
  readonly retrieve: Retrieve;
}

interface Chosen {
  readonly kind: string;
  readonly key: ItemKey | undefined;
  readonly state: ArchivedState;
}

async function restoreItems(work: RestoreWork, items: readonly ArchivedItem[]): Promise<void> {
  const { choose, overwrite, table, clock, concurrency, stop, onOutcome } = work;
  const chosen = items.flatMap(({ kind, key, states }): Chosen[] => {
    const state = choose(states);
    if (state === undefined) onOutcome({ is: 'none', kind, key, state });
    return state === undefined ? [] : [{ kind, key, state }];
  });
  const keys = overwrite ? [] : chosen.flatMap(({ key }) => key ?? []);
  const itemAt = byKey(await retryOutage(clock, () => table.getMany(keys)));
  const limit = pLimit(concurrency);
  await allSettledOrThrow(
    chosen.map((one) =>
      limit(async () => {
        if (stop()) return;
        const exists = one.key !== undefined && itemAt(one.key) !== undefined;
        onOutcome(exists ? { is: 'exists', ...one } : await restoreOne(work, one));
      }),
    ),
  );
}

async function restoreOne(work: RestoreWork, chosen: Chosen): Promise<RestoreOutcome> {
  const { dryRun, clock, retrieve } = work;
  try {
    if (dryRun) return await retryOutage(clock, () => wouldRestore(work, chosen));
    const read = await retryOutage(clock, () => retrieve(chosen.state));
    if ('requested' in read) return { is: 'requested', ...chosen, storageClass: read.storageClass };
    return await putBack(work, chosen, read.item);
  } catch (error) {
    if (!(error instanceof DenormError) || error instanceof FatalError) throw error;
    return { is: 'failed', ...chosen, error };
  }
}

async function wouldRestore({ reader }: RestoreWork, chosen: Chosen): Promise<RestoreOutcome> {
  const { storageClass, retrieval } = await detailsOf(reader, chosen.state);
  const inGlacier = retrieval === 'needed' || retrieval === 'under-way';
  return { is: 'restored', ...chosen, storageClass, ...(inGlacier && { retrieval: true }) };
}

async function putBack(work: RestoreWork, chosen: Chosen, archived: Item): Promise<RestoreOutcome> {
  const { names, notes, put, writes, clock, overwrite } = work;
  const { [names.ttl]: _, ...item } = archived;
  const key = keyOf(names, item);
  if (key === undefined || (chosen.key !== undefined && keyText(key) !== keyText(chosen.key)))
    throw new DenormError(
      'archive.other-item',
      `Expected ${chosen.state.objectKey} to hold the item with its key, found another item: this worker did not put it`,
    );
  await retryOutage(clock, () => notes.write(restoredKeyOf(chosen.kind, key), restoredMark(clock.now())));
  const estimate = writeUnits(names, undefined, item).total;
  const { result: outcome } = await writes.spend(estimate, async (report) => {
    const answer = await retryOutage(clock, () => (overwrite ? put.overwrite(item) : put.putIfAbsent(item)));
    report(answer.units);
    return answer.outcome;
  });
  const known = { ...chosen, key };
  switch (outcome) {
    case 'put':
      return { is: 'restored', ...known };
    case 'exists':
      return { is: 'exists', ...known };
    case 'refused':
      return { is: 'failed', ...known, error: refusedItem(key) };
  }
}

function refusedItem(key: ItemKey): DenormError {
  return new DenormError(
    'table.refused',
    'DynamoDB refuses this item: check that the key attributes of its indexes are non-empty strings',
    { key },
  );
}
