import { DenormError } from '../model/errors.ts';
import type { ClockPort } from '../ports.ts';
import { retry } from '../scan/clock.ts';
import type { ArchivedState } from './archived-state.ts';
import type { ArchiveDetails, ArchiveReader, RetrievalTier } from './ports.ts';

/** How what stands in Glacier is asked for. */
export interface Retrieving {
  readonly tier: RetrievalTier;
  /** For how many days it can be read then, 1 or more. */
  readonly days: number;
}

/**
 * What became of asking: `readable` now; `asked` just now, or `under-way` since somebody asked before; `gone` where the
 * object is no more.
 */
export interface Asked {
  readonly is: 'readable' | 'asked' | 'under-way' | 'gone';
  readonly storageClass: string;
}

type CopyLocation = Pick<ArchivedState, 'objectKey' | 'versionId'>;

/**
 * Sees to it that an object can be read, or will be. Asking again is no error, and costs nothing.
 * @throws DenormError `usage.tier` where its storage class knows no such way
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
      `${objectKey} stands in DEEP_ARCHIVE, from which nothing is expedited: say --tier Standard or --tier Bulk`,
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
 * Waits until an object that was asked for can be read, looking soon at first, and then less and less often.
 * @param every how often it is looked at in the end, in milliseconds
 * @param stop asked before each look; where it says true, the waiting ends
 * @returns whether it can be read
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

/** In milliseconds: some who are asked grant it at once. */
const firstWait = 1_000;

/** Who asks to stop is not kept waiting for longer, in milliseconds. */
const step = 500;

/** How long a retrieval takes. Source: AWS, "Understanding archive retrieval options". */
const times: Readonly<Record<string, Readonly<Record<RetrievalTier, string>>>> = {
  GLACIER: { Expedited: '1 to 5 minutes', Standard: '3 to 5 hours', Bulk: '5 to 12 hours' },
  // Nothing is expedited out of it: what is under way was asked for in another way.
  DEEP_ARCHIVE: { Expedited: 'up to 48 hours', Standard: 'up to 12 hours', Bulk: 'up to 48 hours' },
};

/** How long a retrieval from a storage class takes, in words: `3 to 5 hours`. */
export function retrievalTime(storageClass: string, tier: RetrievalTier): string {
  return times[storageClass]?.[tier] ?? 'some hours';
}
