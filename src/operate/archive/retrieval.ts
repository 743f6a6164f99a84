import { DenormError } from '../../model/basics/errors.ts';
import type { Item } from '../../model/items/item.ts';
import type { ArchiveReader, RetrievalTier } from '../../worker/archive/ports.ts';
import type { ArchivedState } from './archived-state.ts';
import { readState } from './read-states.ts';

export interface Retrieving {
  readonly tier: RetrievalTier;
  /** For how many days the temporary copy is kept, 1 or more. */
  readonly days: number;
}

/** The object cannot be read before its retrieval ends. */
interface Requested {
  readonly requested: 'now' | 'earlier';
  readonly storageClass: string;
}

/** @throws DenormError as {@link readState}, or `usage.tier` if the storage class of a state does not support the tier */
export type Retrieve = (state: ArchivedState) => Promise<{ readonly item: Item } | Requested>;

/** Reads archived items, and requests objects from Glacier. Repeating a request is allowed and free. */
export function retrieval(reader: ArchiveReader, { tier, days }: Retrieving): Retrieve {
  /** Requests of batches by object key: one serves all of a batch's lines. */
  const requests = new Map<string, Promise<Requested | undefined>>();

  function requestOnce(state: ArchivedState): Promise<Requested | undefined> {
    const requested = requests.get(state.objectKey) ?? request(state);
    if (state.line === undefined) return requested;
    requests.set(state.objectKey, requested);
    requested.catch(() => requests.delete(state.objectKey));
    return requested;
  }

  /** @returns undefined if the object can be read now */
  async function request(state: ArchivedState): Promise<Requested | undefined> {
    const { objectKey, versionId } = state;
    const { retrieval: before, storageClass } = await detailsOf(reader, state);
    if (before === 'under-way') return { requested: 'earlier', storageClass };
    if (before !== 'needed') return undefined;
    if (storageClass === 'DEEP_ARCHIVE' && tier === 'Expedited')
      throw new DenormError(
        'usage.tier',
        `${objectKey} is in DEEP_ARCHIVE, which has no expedited retrieval: use --tier Standard or --tier Bulk`,
      );
    await reader.retrieve(objectKey, versionId, days, tier);
    // Some S3-compatible servers retrieve at once.
    const { retrieval: after } = await detailsOf(reader, state);
    return after === 'needed' || after === 'under-way' ? { requested: 'now', storageClass } : undefined;
  }

  return async (state) => {
    try {
      return { item: await readState(reader, state) };
    } catch (error) {
      if (!(error instanceof DenormError) || error.code !== 'archive.not-retrieved') throw error;
    }
    return (await requestOnce(state)) ?? { item: await readState(reader, state) };
  };
}

/** @throws DenormError `archive.missing` if the object no longer exists */
export async function detailsOf(reader: ArchiveReader, { objectKey, versionId }: ArchivedState) {
  const details = await reader.details(objectKey, versionId);
  if (details !== undefined) return details;
  throw new DenormError('archive.missing', `Expected the archive to hold ${objectKey}, found no such object`);
}
