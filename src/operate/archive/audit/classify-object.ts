import { allSettledOrThrow } from '../../../model/all-settled-or-throw.ts';
import type { ArchivedState } from '../../../worker/archive/archived-state.ts';
import { erasureNoteKeyOf, finalObjectKeyOf, objectKeyOf } from '../../../worker/archive/object.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import { statesOfObject } from '../object-states.ts';
import { described } from '../read-states.ts';
import type { Claim, Classification } from './claim.ts';

/** Checks a claim in the layout `object`, usually with a single HeadObject. */
export async function classifyObject(reader: ArchiveReader, claim: Claim): Promise<Classification> {
  const { that, kind, key, digest, sequence } = claim;
  const objectKey = objectKeyOf(kind.name, key);
  if (that === 'erased') return classifyErased(reader, claim);
  const current = await reader.details(objectKey);
  if (current?.digest === digest) return right(objectKey, undefined);
  if (that === 'exists') return { is: current === undefined ? 'missing' : 'outdated', objectKey };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  if ((await reader.details(finalKey))?.digest === digest) return right(finalKey, undefined);
  // A later deletion has erased it.
  if ((await erasedUpTo(reader, objectKey)) >= sequence) return { is: 'right', at: undefined };
  const version = await finalVersion(reader, claim);
  if (version !== undefined) return right(version.objectKey, version.versionId);
  return { is: 'lost', objectKey: finalKey };
}

/**
 * The version that was current when the item ended, if it equals the final state. Then no final state was added, and
 * a later life has replaced the version since. It is the newest version for an older record, or one without a record.
 */
async function finalVersion(reader: ArchiveReader, claim: Claim): Promise<ArchivedState | undefined> {
  const older = (await statesUpTo(reader, claim)).filter(({ final }) => !final);
  // Listed newest first.
  const newest = older.find(({ sequence }) => sequence !== 0n);
  return older.find((state) => state.digest === claim.digest && (state === newest || state.sequence === 0n));
}

async function classifyErased(reader: ArchiveReader, claim: Claim): Promise<Classification> {
  const [left] = await statesUpTo(reader, claim);
  if (left !== undefined) return { is: 'left', objectKey: left.objectKey };
  return { is: 'right', at: undefined };
}

/** The versions and final states that were stored for the record of the item's end or an older one. */
async function statesUpTo(
  reader: ArchiveReader,
  { kind, key, sequence: end }: Claim,
): Promise<readonly ArchivedState[]> {
  const states = await statesOfObject(reader, kind.name, key, objectKeyOf(kind.name, key));
  return (await existing(reader, states)).filter(({ sequence = 0n }) => sequence <= end);
}

/** The states that still exist, with their metadata. */
export async function existing(
  reader: ArchiveReader,
  states: readonly ArchivedState[],
): Promise<readonly ArchivedState[]> {
  const asked = await allSettledOrThrow(states.map((state) => described(reader, state)));
  return asked.filter((state) => state !== undefined);
}

/** The sequence number up to which all states of an object are erased; -1 if it was never erased. */
export async function erasedUpTo(reader: ArchiveReader, objectKey: string): Promise<bigint> {
  return (await reader.details(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

function right(objectKey: string, versionId: string | undefined): Classification {
  return { is: 'right', at: { objectKey, versionId, line: undefined } };
}
