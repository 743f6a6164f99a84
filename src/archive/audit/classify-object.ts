import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import type { ArchivedState } from '../archived-state.ts';
import { erasureNoteKeyOf, finalObjectKeyOf, objectKeyOf } from '../object.ts';
import { statesOfObject } from '../object-states.ts';
import type { ArchiveReader } from '../ports.ts';
import { described } from '../read-states.ts';
import type { Claim, Classification } from './claim.ts';

/** Looks whether a claim holds in the layout `object`. What is asked for first is one HeadObject. */
export async function classifyObject(reader: ArchiveReader, claim: Claim): Promise<Classification> {
  const { that, kind, key, digest, sequence } = claim;
  const objectKey = objectKeyOf(kind.name, key);
  if (that === 'erased') return classifyErased(reader, claim);
  const current = await reader.details(objectKey);
  if (current?.digest === digest) return right(objectKey, undefined);
  if (that === 'exists') return { is: current === undefined ? 'missing' : 'outdated', objectKey };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  if ((await reader.details(finalKey))?.digest === digest) return right(finalKey, undefined);
  // A later deletion takes along what it is to erase.
  if ((await erasedUpTo(reader, objectKey)) >= sequence) return { is: 'right', at: undefined };
  const stood = await stoodAt(reader, claim);
  if (stood !== undefined) return right(stood.objectKey, stood.versionId);
  return { is: 'lost', objectKey: finalKey };
}

/**
 * The version that stood there when the item ended, if it is its last state: then nothing was added, and a later life has
 * replaced it since. It is the newest that an older record asked for, or one that no record asked for.
 */
async function stoodAt(reader: ArchiveReader, claim: Claim): Promise<ArchivedState | undefined> {
  const older = (await statesUpTo(reader, claim)).filter(({ final }) => !final);
  // Listed with the newest first.
  const newest = older.find(({ sequence }) => sequence !== 0n);
  return older.find((state) => state.digest === claim.digest && (state === newest || state.sequence === 0n));
}

async function classifyErased(reader: ArchiveReader, claim: Claim): Promise<Classification> {
  const [left] = await statesUpTo(reader, claim);
  if (left !== undefined) return { is: 'left', objectKey: left.objectKey };
  return { is: 'right', at: undefined };
}

/** What stands of an item that its end's record, or an older one, has asked for: versions of its object, and last states. */
async function statesUpTo(
  reader: ArchiveReader,
  { kind, key, sequence: end }: Claim,
): Promise<readonly ArchivedState[]> {
  const states = await statesOfObject(reader, kind.name, key, objectKeyOf(kind.name, key));
  return (await standing(reader, states)).filter(({ sequence = 0n }) => sequence <= end);
}

/** Those of the states that were not erased since they were listed, with what their objects say of themselves. */
export async function standing(
  reader: ArchiveReader,
  states: readonly ArchivedState[],
): Promise<readonly ArchivedState[]> {
  const asked = await allSettledOrThrow(states.map((state) => described(reader, state)));
  return asked.filter((state) => state !== undefined);
}

/** The record up to which all states of an object are erased; -1 where none ever was. */
export async function erasedUpTo(reader: ArchiveReader, objectKey: string): Promise<bigint> {
  return (await reader.details(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

function right(objectKey: string, versionId: string | undefined): Classification {
  return { is: 'right', at: { objectKey, versionId, line: undefined } };
}
