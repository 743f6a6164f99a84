import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import { DenormError } from '../../model/basics/errors.ts';
import { recordedAt } from '../../model/items/change.ts';
import { expiryOf } from '../../model/items/expiry.ts';
import { byKey, type Item } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { restoredAt, restoredKeyOf } from '../../worker/archive/object.ts';
import type { ArchiveNotes, ArchiveReader } from '../../worker/archive/ports.ts';
import type { ClockPort, TablePort } from '../../worker/ports.ts';
import { retryOutage } from '../../worker/retry.ts';
import { type ArchivedItem, keepingBatches, lookupGroups, readState, retryingReader } from './read-states.ts';

/** What became of an archived item. */
export interface ItemStatus {
  /**
   * - `in table`: the table has an item with its key; `restored`: and a restore has begun to put one there
   * - `expired`: the table has none, and its newest state's expiry had passed when it ended, or has by now if that is unknown
   * - `gone`: the table has none, and it ended before that, or Glacier keeps its newest state from being read
   * - `unknown`: its key is only in an object in Glacier
   */
  readonly is: 'in table' | 'restored' | 'expired' | 'gone' | 'unknown';
  /** Of the item in the table or, if it has none, of the newest state; in epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  /** In epoch milliseconds. */
  readonly restoredAt?: number;
}

export interface StatusContext {
  readonly names: TableNames;
  readonly reader: ArchiveReader;
  readonly notes: Pick<ArchiveNotes, 'read'>;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly clock: ClockPort;
}

const requestsAtOnce = 16;

/** Of a Date. */
const lastTimeMs = 8.64e15;

/** Looks each item up in the table, and reads the newest state of an item that is not there, or the restore note of one that is. */
export async function* withStatus(
  given: StatusContext,
  items: AsyncIterable<ArchivedItem>,
): AsyncGenerator<ArchivedItem & { readonly status: ItemStatus }> {
  const reader = keepingBatches(retryingReader(given.reader, given.clock));
  for await (const group of lookupGroups(items)) yield* await statusesOf({ ...given, reader }, group);
}

async function statusesOf(context: StatusContext, items: readonly ArchivedItem[]) {
  const { table, clock } = context;
  const keys = items.flatMap(({ key }) => key ?? []);
  const itemAt = byKey(await retryOutage(clock, () => table.getMany(keys)));
  const limit = pLimit(requestsAtOnce);
  return allSettledOrThrow(
    items.map((item) => limit(async () => ({ ...item, status: await statusOf(context, item, itemAt) }))),
  );
}

async function statusOf(
  { names, reader, notes, clock }: StatusContext,
  { kind, key, states }: ArchivedItem,
  itemAt: ReturnType<typeof byKey>,
): Promise<ItemStatus> {
  if (key === undefined) return { is: 'unknown' };
  const item = itemAt(key)?.item;
  if (item !== undefined) {
    const mark = await retryOutage(clock, () => notes.read(restoredKeyOf(kind, key)));
    const expiresAt = expiresAtOf(names, item);
    return mark === undefined
      ? { is: 'in table', expiresAt }
      : { is: 'restored', expiresAt, restoredAt: restoredAt(mark, clock.now()) };
  }
  const newest = states.at(-1);
  const state = newest && (await readable(reader, newest));
  const expiresAt = state && expiresAtOf(names, state);
  const endedAt = (newest?.final && recordedAt(newest.sequence ?? 0n)) || clock.now();
  return { is: expiresAt !== undefined && expiresAt <= endedAt ? 'expired' : 'gone', expiresAt };
}

/** Undefined if it cannot be read: `show` says why. */
async function readable(...args: Parameters<typeof readState>): Promise<Item | undefined> {
  try {
    return await readState(...args);
  } catch (error) {
    if (error instanceof DenormError && error.code.startsWith('archive.')) return undefined;
    throw error;
  }
}

function expiresAtOf(names: TableNames, item: Item): number | undefined {
  const ms = (expiryOf(names, item) ?? Number.NaN) * 1_000;
  return Math.abs(ms) <= lastTimeMs ? ms : undefined;
}
