import type { ItemKey } from '../model/item.ts';
import type { ArchivedState } from './archived-state.ts';
import { batchObjectKeyOf, manifestPrefixOf, readManifest, readManifestKey } from './batch-object.ts';
import type { ArchivedVersion, ArchiveReader } from './ports.ts';

/** Manifests that are read side by side. */
const concurrency = 16;

/** From when to when something was archived, in epoch milliseconds: `until` itself is not in it. */
export interface ArchivedBetween {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export function isBetween(
  archivedAt: number,
  { from = 0, until = Number.POSITIVE_INFINITY }: ArchivedBetween,
): boolean {
  return archivedAt >= from && archivedAt < until;
}

/** A line of a batch: its manifest says whose state it is. */
type ArchivedLine = ArchivedState & { readonly key: ItemKey };

/** Every line of every batch of a kind, or of all kinds, told by the manifests: data is not read, it may be in Glacier. */
export async function* batchLines(
  reader: ArchiveReader,
  kind: string | undefined,
  between: ArchivedBetween,
): AsyncGenerator<ArchivedLine> {
  let from: string | undefined;
  do {
    const page = await reader.list(manifestPrefixOf(kind), from);
    const wanted = page.versions.filter(({ latest, archivedAt }) => latest && isBetween(archivedAt, between));
    for (let start = 0; start < wanted.length; start += concurrency) {
      const some = wanted.slice(start, start + concurrency);
      const lines = await Promise.all(some.map((manifest) => linesOf(reader, manifest)));
      yield* lines.flat();
    }
    from = page.next;
  } while (from !== undefined);
}

async function linesOf(
  reader: ArchiveReader,
  { objectKey, archivedAt }: ArchivedVersion,
): Promise<ArchivedLine[]> {
  const batch = readManifestKey(objectKey);
  if (batch === undefined) return [];
  const lines = readManifest(objectKey, Buffer.from(await reader.read(objectKey)).toString());
  return lines.map(({ key, digest, sequence, final }, line) => ({
    kind: batch.kind,
    key,
    objectKey: batchObjectKeyOf(batch),
    versionId: undefined,
    line,
    final,
    archivedAt,
    sequence,
    digest,
    bytes: undefined,
    storageClass: undefined,
  }));
}
