import { keyText } from '../../../model/item.ts';
import { manifestPrefixOf } from '../../../worker/archive/batch-object.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import type { ArchivedState } from '../archived-state.ts';
import { lineStates } from '../listed-states.ts';
import type { Claim, Classification } from './claim.ts';

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
  if (claim.that === 'exists') return sequence > (found?.sequence ?? -1n);
  return claim.that === 'ended' && sequence === claim.sequence;
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
