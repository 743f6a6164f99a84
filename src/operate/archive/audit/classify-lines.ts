import { keyText } from '../../../model/item.ts';
import type { ArchivedState } from '../../../worker/archive/archived-state.ts';
import { batchLines, manifestPrefixOf } from '../../../worker/archive/batch-object.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import type { Claim, Classification } from './claim.ts';

/** An entry with its claim, and the line that decides it, as far as the manifests have been read. */
interface Seen<About> {
  readonly about: About;
  readonly claim: Claim;
  line: ArchivedState | undefined;
}

/**
 * Checks claims in the layout `batch`. Reads all manifests of their kinds once. Entries of one batch are returned
 * next to each other.
 */
export async function classifyLines<About extends { readonly claim: Claim }>(
  reader: ArchiveReader,
  abouts: readonly About[],
): Promise<readonly (About & { readonly inLines: Classification })[]> {
  const all = abouts.map((about): Seen<About> => ({ about, claim: about.claim, line: undefined }));
  for (const [kind, its] of Map.groupBy(all, ({ claim }) => claim.kind.name)) {
    const byItem = Map.groupBy(its, ({ claim }) => keyText(claim.key));
    for await (const line of batchLines(reader, kind, {}))
      for (const seen of byItem.get(keyText(line.key)) ?? []) if (decides(line, seen)) seen.line = line;
  }
  const classified: (About & { readonly inLines: Classification })[] = [];
  for (const [batch, its] of Map.groupBy(all, ({ line }) => line?.objectKey)) {
    const exists = batch !== undefined && (await isThere(reader, batch));
    for (const { about, claim, line } of its)
      classified.push({ ...about, inLines: classificationOf(claim, line, exists) });
  }
  return classified;
}

/**
 * Whether this line replaces the one found so far: the newest line of an item that exists, or the line of its end.
 */
function decides({ sequence = 0n }: ArchivedState, { claim, line }: Seen<unknown>): boolean {
  if (claim.that === 'exists') return sequence > (line?.sequence ?? -1n);
  return claim.that === 'ended' && sequence === claim.sequence;
}

function classificationOf(
  { that, kind, digest }: Claim,
  line: ArchivedState | undefined,
  batchExists: boolean,
): Classification {
  if (line?.digest === digest) {
    const { objectKey } = line;
    if (!batchExists) return { is: 'damaged', objectKey };
    return { is: 'right', at: { objectKey, versionId: undefined, line: line.line } };
  }
  const objectKey = manifestPrefixOf(kind.name);
  if (that !== 'exists') return { is: 'lost', objectKey };
  return { is: line === undefined ? 'missing' : 'outdated', objectKey };
}

/** Whether the batch of a manifest exists: its name and its digest are the hash of its lines. */
async function isThere(reader: ArchiveReader, objectKey: string): Promise<boolean> {
  const details = await reader.details(objectKey);
  return details !== undefined && objectKey.endsWith(`/${details.digest}.ndjson.gz`);
}
