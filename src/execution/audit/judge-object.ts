import { erasureNoteKeyOf, finalObjectKeyOf, objectKeyOf } from '../../domain/archive-object.ts';
import { described } from '../archive-reader.ts';
import type { ArchivedState } from '../archived-state.ts';
import { statesOfObject } from '../object-states.ts';
import type { ArchiveReader } from '../ports.ts';
import { settled } from '../settled.ts';
import type { Claim, Judgement } from './claim.ts';

/** Looks whether a claim holds in the layout `object`. What is asked for first is one HeadObject. */
export async function judgeObject(reader: ArchiveReader, claim: Claim): Promise<Judgement> {
  const { that, kind, key, digest, sequence } = claim;
  const objectKey = objectKeyOf(kind.name, key);
  if (that === 'erased') return judgeErased(reader, claim, objectKey);
  const current = await reader.details(objectKey);
  if (current?.digest === digest) return right(objectKey, undefined);
  if (that === 'stands') return { is: current === undefined ? 'missing' : 'outdated', objectKey };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  if ((await reader.details(finalKey))?.digest === digest) return right(finalKey, undefined);
  // A later deletion takes along what it is to erase.
  if (claim.rule.onDelete === 'erase' && (await erasedUpTo(reader, objectKey)) >= sequence)
    return { is: 'right', at: undefined };
  const stood = await stoodAt(reader, claim);
  if (stood !== undefined) return right(stood.objectKey, stood.versionId);
  return { is: 'lost', objectKey: finalKey };
}

/**
 * The version that stood there when the item ended, if it is its last state: then nothing was added, and a later life has
 * replaced it since. It is the newest that an older record asked for, or one that no record asked for.
 */
async function stoodAt(
  reader: ArchiveReader,
  { kind, key, digest, sequence }: Claim,
): Promise<ArchivedState | undefined> {
  const objectKey = objectKeyOf(kind.name, key);
  const states = await statesOfObject(reader, kind.name, key, objectKey);
  const asked = await settled(states.filter(({ final }) => !final).map((one) => described(reader, one)));
  const older = asked.filter((state) => state?.sequence !== undefined && state.sequence <= sequence);
  // Listed with the newest first.
  const newest = older.find((state) => state?.sequence !== 0n);
  return older.find((state) => state?.digest === digest && (state === newest || state?.sequence === 0n));
}

async function judgeErased(
  reader: ArchiveReader,
  { kind, key, sequence }: Claim,
  objectKey: string,
): Promise<Judgement> {
  for (const state of await statesOfObject(reader, kind.name, key, objectKey)) {
    const left = await described(reader, state);
    if (left?.sequence !== undefined && left.sequence <= sequence)
      return { is: 'left', objectKey: left.objectKey };
  }
  return { is: 'right', at: undefined };
}

/** The record up to which all states of an object are erased; -1 where none ever was. */
export async function erasedUpTo(reader: ArchiveReader, objectKey: string): Promise<bigint> {
  return (await reader.details(erasureNoteKeyOf(objectKey)))?.sequence ?? -1n;
}

function right(objectKey: string, versionId: string | undefined): Judgement {
  return { is: 'right', at: { objectKey, versionId, line: undefined } };
}
