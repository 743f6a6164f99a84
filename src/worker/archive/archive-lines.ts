import { gzipSync } from 'node:zlib';
import type { Item } from '../../model/items/item.ts';
import type { BoundKind } from '../../model/kinds/kind.ts';
import type { BoundArchiveRule } from '../../model/rules/bound-rule.ts';
import type { ArchiveReport } from '../../model/work/report.ts';
import { earliest } from '../batch/group.ts';
import {
  type BatchLine,
  batchNameOf,
  batchObjectKeyOf,
  manifestKeyOf,
  manifestText,
} from './batch-object.ts';
import { bodyOf, digestOf } from './object.ts';
import type { ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';

/**
 * The layout `batch`: the states of many items of one kind, as lines of one compressed object. Its manifest lists the lines, so
 * a state is found without reading the data, which may be in Glacier.
 *
 *   head of the manifest ──exists──> unchanged
 *          └─missing──> put the data, if absent ──> put the manifest, if absent ──> stored
 *
 * Each line is the image of a record. It replaces nothing: readers take the line with the highest sequence number. The name is
 * a hash of the lines, so a batch that is delivered again stores nothing; states that come in another batch are stored twice,
 * and merged.
 */
export interface StateOfItem extends Omit<BatchLine, 'digest'> {
  readonly item: Item;
  /** When the record was made, in epoch milliseconds. The batch is stored under the earliest day. */
  readonly at: number | undefined;
}

/**
 * The states are in memory twice.
 * @returns the outcome of each line, in line order; a state that is given twice is one line
 */
export async function archiveLines(
  { archive }: { readonly archive: ArchivePort },
  { storageClass }: Pick<BoundArchiveRule, 'storageClass'>,
  kind: Pick<BoundKind, 'name'>,
  states: readonly StateOfItem[],
): Promise<readonly ArchiveReport[]> {
  if (states.length === 0) return [];
  // Sorted whatever the order of the records, so that the same lines have the same name.
  const byText = new Map(states.map((state) => [manifestText([lineOf(state)]), state]));
  const given = [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, state]) => state);
  const lines = given.map(lineOf);
  const batch = batchNameOf(kind.name, lines, earliest(states));
  const [objectKey, manifestKey] = [batchObjectKeyOf(batch), manifestKeyOf(batch)];
  const manifestHead = await archive.head(manifestKey);
  const isStored = manifestHead?.digest === batch.name;
  if (!isStored) {
    // Synchronous on purpose: the invocation has nothing else to do meanwhile.
    const body = gzipSync(given.map(({ item }) => bodyOf(item, noNonce)).join(''));
    // If the object exists already, an interrupted attempt stored the same lines.
    await putOnce(archive, objectKey, { body, digest: batch.name, storageClass }, undefined);
    const manifest = { body: manifestText(lines), digest: batch.name, storageClass: 'STANDARD' } as const;
    await putOnce(archive, manifestKey, manifest, manifestHead?.etag);
  }
  return lines.map(({ key, final }) => ({
    kind: kind.name,
    key,
    objectKey,
    outcome: isStored ? 'unchanged' : final ? 'final' : 'stored',
  }));
}

/** Lines are never compared by ETag, so they need no nonce. */
const noNonce = new Uint8Array();

function lineOf({ key, item, sequence, final }: StateOfItem): BatchLine {
  return { key, digest: digestOf(item), sequence, final };
}
