import { DenormError } from '../../model/errors.ts';
import type { ArchivedState } from '../../worker/archive/archived-state.ts';
import type { ArchiveDetails, ArchiveReader, RetrievalTier } from '../../worker/archive/ports.ts';
import type { ClockPort } from '../../worker/ports.ts';
import { retry } from '../../worker/scan/clock.ts';

/** How to retrieve objects from Glacier. */
export interface Retrieving {
  readonly tier: RetrievalTier;
  /** For how many days the temporary copy is kept, 1 or more. */
  readonly days: number;
}

/**
 * The result of a request: `readable` now; `asked` just now; `under-way` since an earlier request; `gone` if the
 * object no longer exists.
 */
export interface Asked {
  readonly is: 'readable' | 'asked' | 'under-way' | 'gone';
  readonly storageClass: string;
}

type CopyLocation = Pick<ArchivedState, 'objectKey' | 'versionId'>;

/**
 * Requests an object from Glacier unless it can be read already. Repeating a request is allowed and free.
 * @throws DenormError `usage.tier` if its storage class does not support the tier
 */
export async function askFor(
  reader: ArchiveReader,
  { objectKey, versionId }: CopyLocation,
  { tier, days }: Retrieving,
): Promise<Asked> {
  const before = await reader.details(objectKey, versionId);
  if (before === undefined || before.retrieval !== 'needed') return askedOf(before, 'under-way');
  if (before.storageClass === 'DEEP_ARCHIVE' && tier === 'Expedited')
    throw new DenormError(
      'usage.tier',
      `${objectKey} is in DEEP_ARCHIVE, which has no expedited retrieval: use --tier Standard or --tier Bulk`,
    );
  await reader.retrieve(objectKey, versionId, days, tier);
  return askedOf(await reader.details(objectKey, versionId), 'asked');
}

function askedOf(details: ArchiveDetails | undefined, waiting: 'asked' | 'under-way'): Asked {
  const storageClass = details?.storageClass ?? 'unknown';
  if (details === undefined) return { is: 'gone', storageClass };
  return { is: isReadable(details) ? 'readable' : waiting, storageClass };
}

function isReadable({ retrieval }: ArchiveDetails): boolean {
  return retrieval === 'none' || retrieval === 'readable';
}

/**
 * Waits until a requested object can be read. Checks soon at first, then less and less often.
 * @param every the longest pause between checks, in milliseconds
 * @param stop asked before each check; if it returns true, the wait ends
 * @returns whether the object can be read
 */
export async function untilReadable(
  { reader, clock }: { readonly reader: ArchiveReader; readonly clock: ClockPort },
  { objectKey, versionId }: CopyLocation,
  every: number,
  stop: () => boolean,
): Promise<boolean> {
  for (let wait = firstWait; ; wait = Math.min(wait * 2, every)) {
    if (stop()) return false;
    const details = await retry(clock, () => reader.details(objectKey, versionId));
    if (details === undefined) return false;
    if (isReadable(details)) return true;
    for (let waited = 0; waited < wait && !stop(); waited += step) await clock.sleep(step);
  }
}

/** The first pause in milliseconds: some S3-compatible servers retrieve at once. */
const firstWait = 1_000;

/** How often a wait checks whether to stop, in milliseconds. */
const step = 500;

/** How long a retrieval takes. Source: AWS, "Understanding archive retrieval options". */
const times: Readonly<Record<string, Readonly<Record<RetrievalTier, string>>>> = {
  GLACIER: { Expedited: '1 to 5 minutes', Standard: '3 to 5 hours', Bulk: '5 to 12 hours' },
  // There is no expedited retrieval from DEEP_ARCHIVE, so an earlier request used another tier.
  DEEP_ARCHIVE: { Expedited: 'up to 48 hours', Standard: 'up to 12 hours', Bulk: 'up to 48 hours' },
};

/** How long a retrieval from a storage class takes, in words: `3 to 5 hours`. */
export function retrievalTime(storageClass: string, tier: RetrievalTier): string {
  return times[storageClass]?.[tier] ?? 'some hours';
}
