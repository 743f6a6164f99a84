import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { isLater, isUpTo, recordId } from '../../../model/items/change.ts';
import { keyText } from '../../../model/items/item.ts';
import type { TableNames } from '../../../model/items/table-names.ts';
import { manifestPrefixOf } from '../../../worker/archive/batch-object.ts';
import { erasedUpTo } from '../../../worker/archive/erasure.ts';
import { finalObjectKeyOf, objectKeyOf } from '../../../worker/archive/object.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import type { ArchivedState } from '../archived-state.ts';
import { lineStates, objectStates } from '../listed-states.ts';
import { allDescribed } from '../read-states.ts';
import type { Claim, Classification } from './claim.ts';

export interface ObjectLookup {
  readonly reader: ArchiveReader;
  readonly table: TableNames;
  readonly concurrency: number;
}

/** Checks claims in the layout `object`, usually with a single HeadObject each. */
export async function classifyObjects(
  lookup: ObjectLookup,
  claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Classification>> {
  const limit = pLimit(lookup.concurrency);
  return new Map(
    await allSettledOrThrow(
      claims.map((claim) => limit(async () => [claim, await classifyObject(lookup, claim)] as const)),
    ),
  );
}

async function classifyObject(lookup: ObjectLookup, claim: Claim): Promise<Classification> {
  const { reader } = lookup;
  const { that, kind, key, digest, sequence } = claim;
  if (that === 'erased' || that === 'gone') return classifyErased(lookup, claim);
  const objectKey = objectKeyOf(kind.name, key);
  const current = await reader.details(objectKey);
  if (current?.digest === digest) return right(objectKey, undefined);
  if (that === 'exists') return { is: current === undefined ? 'missing' : 'outdated', objectKey };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  if ((await reader.details(finalKey))?.digest === digest) return right(finalKey, undefined);
  // A later deletion has erased it.
  if (isUpTo(sequence, await erasedUpTo({ head: reader.details }, objectKey)))
    return { is: 'right', at: undefined };
  const version = await finalVersion(lookup, claim);
  if (version !== undefined) return right(version.objectKey, version.versionId);
  return { is: 'lost', objectKey: finalKey };
}

/**
 * The version that was current when the item ended, if it equals the final state: a later life has replaced it since. It is the
 * newest version for an older record, or one without a record.
 */
async function finalVersion(lookup: ObjectLookup, claim: Claim): Promise<ArchivedState | undefined> {
  const states = await statesOf(lookup, claim);
  const older = states.filter(({ final, sequence = 0n }) => !final && isUpTo(sequence, claim.sequence));
  // Listed newest first.
  const newest = older.find(({ sequence }) => sequence !== 0n);
  return older.find((state) => state.digest === claim.digest && (state === newest || state.sequence === 0n));
}

async function classifyErased(lookup: ObjectLookup, claim: Claim): Promise<Classification> {
  const states = await statesOf(lookup, claim);
  const [state] =
    claim.that === 'gone'
      ? states.some(({ final }) => final)
        ? []
        : states
      : states.filter(({ sequence = 0n }) => isUpTo(sequence, claim.sequence));
  return state === undefined ? { is: 'right', at: undefined } : { is: 'left', objectKey: state.objectKey };
}

async function statesOf(
  { reader, table }: ObjectLookup,
  { kind, key }: Claim,
): Promise<readonly ArchivedState[]> {
  const listed: ArchivedState[] = [];
  for await (const state of objectStates(reader, table, { kinds: [kind.name], key })) listed.push(state);
  return allDescribed(reader, listed);
}

function right(objectKey: string, versionId: string | undefined): Classification {
  return { is: 'right', at: { objectKey, versionId, line: undefined } };
}

/** Reads all manifests of the claims' kinds once. Claims on one batch are returned next to each other. */
export async function classifyLines(
  reader: ArchiveReader,
  claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Classification>> {
  const lines = new Map<Claim, ArchivedState>();
  for (const [kind, its] of Map.groupBy(claims, (claim) => claim.kind.name)) {
    const byItem = Map.groupBy(its, ({ key }) => keyText(key));
    for await (const line of lineStates(reader, { kinds: [kind] }))
      for (const claim of byItem.get(keyText(line.key)) ?? [])
        if (decides(line, claim, lines.get(claim))) lines.set(claim, line);
  }
  const classified = new Map<Claim, Classification>();
  for (const [batch, its] of Map.groupBy(claims, (claim) => lines.get(claim)?.objectKey)) {
    const exists = batch !== undefined && (await isThere(reader, batch));
    for (const claim of its) classified.set(claim, classificationOf(claim, lines.get(claim), exists));
  }
  return classified;
}

/** Whether this line replaces the one found so far: the newest line of an item that exists, or the line of its end. */
function decides({ sequence = 0n }: ArchivedState, claim: Claim, found: ArchivedState | undefined): boolean {
  if (claim.that === 'exists') return isLater(sequence, found?.sequence ?? -1n);
  return claim.that === 'ended' && recordId(sequence) === recordId(claim.sequence);
}

function classificationOf(
  { that, kind, digest }: Claim,
  line: ArchivedState | undefined,
  batchExists: boolean,
): Classification {
  if (line !== undefined && line.digest === digest)
    return batchExists ? { is: 'right', at: line } : { is: 'damaged', objectKey: line.objectKey };
  const objectKey = manifestPrefixOf(kind.name);
  if (that !== 'exists') return { is: 'lost', objectKey };
  return { is: line === undefined ? 'missing' : 'outdated', objectKey };
}

/** The name and the digest of a batch are the hash of its lines. */
async function isThere(reader: ArchiveReader, objectKey: string): Promise<boolean> {
  const details = await reader.details(objectKey);
  return details !== undefined && objectKey.endsWith(`/${details.digest}.ndjson.gz`);
}
