import { DenormError } from '../../model/errors.ts';
import type { Item } from '../../model/item.ts';
import type { ArchiveReader, RetrievalTier } from '../../worker/archive/ports.ts';
import type { ArchivedState } from './archived-state.ts';
import { readState } from './read-states.ts';

export interface Retrieving {
  readonly tier: RetrievalTier;
  /** For how many days the temporary copy is kept, 1 or more. */
  readonly days: number;
}

/** The object cannot be read before its retrieval ends. */
export interface Requested {
  readonly requested: 'now' | 'earlier';
  readonly storageClass: string;
}

/** Reads archived items, and requests objects from Glacier. Repeating a request is allowed and free. */
export class Retrieval {
  private readonly reader: ArchiveReader;
  private readonly retrieving: Retrieving;
  /** Requests of batches by object key: one serves all of a batch's lines. */
  private readonly requests = new Map<string, Promise<Requested | undefined>>();

  constructor(reader: ArchiveReader, retrieving: Retrieving) {
    this.reader = reader;
    this.retrieving = retrieving;
  }

  /** @throws DenormError as {@link readState}, or `usage.tier` if its storage class does not support the tier */
  async read(state: ArchivedState): Promise<{ readonly item: Item } | Requested> {
    try {
      return { item: await readState(this.reader, state) };
    } catch (error) {
      if (!(error instanceof DenormError) || error.code !== 'archive.not-retrieved') throw error;
    }
    const requested = await this.requestOnce(state);
    return requested ?? { item: await readState(this.reader, state) };
  }

  private requestOnce(state: ArchivedState): Promise<Requested | undefined> {
    const request = this.requests.get(state.objectKey) ?? this.request(state);
    if (state.line === undefined) return request;
    this.requests.set(state.objectKey, request);
    request.catch(() => this.requests.delete(state.objectKey));
    return request;
  }

  /** @returns undefined if the object can be read now */
  private async request(state: ArchivedState): Promise<Requested | undefined> {
    const { objectKey, versionId } = state;
    const { tier, days } = this.retrieving;
    const { retrieval, storageClass } = await detailsOf(this.reader, state);
    if (retrieval === 'under-way') return { requested: 'earlier', storageClass };
    if (retrieval !== 'needed') return undefined;
    if (storageClass === 'DEEP_ARCHIVE' && tier === 'Expedited')
      throw new DenormError(
        'usage.tier',
        `${objectKey} is in DEEP_ARCHIVE, which has no expedited retrieval: use --tier Standard or --tier Bulk`,
      );
    await this.reader.retrieve(objectKey, versionId, days, tier);
    // Some S3-compatible servers retrieve at once.
    const { retrieval: after } = await detailsOf(this.reader, state);
    return after === 'needed' || after === 'under-way' ? { requested: 'now', storageClass } : undefined;
  }
}

/** @throws DenormError `archive.missing` if the object no longer exists */
export async function detailsOf(reader: ArchiveReader, { objectKey, versionId }: ArchivedState) {
  const details = await reader.details(objectKey, versionId);
  if (details !== undefined) return details;
  throw new DenormError('archive.missing', `Expected the archive to hold ${objectKey}, found no such object`);
}
