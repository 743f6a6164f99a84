/**
 * The layout `batch`: the states of many items of one kind, as lines of one compressed object. Its manifest lists the
 * lines, so a state is found without reading the data, which may be in Glacier.
 *
 *   head of the manifest ──exists──> unchanged
 *          └─missing──> put the data, if absent ──> put the manifest, if absent ──> stored
 *
 * Each line is the image of a record; the item is not read again. The table is still the truth, because a line
 * replaces nothing: readers take the line with the highest sequence number, so an old image cannot hide a newer one.
 * A later change arrives with a record of its own.
 *
 * The object's name is a hash of its lines, so a batch that is delivered again finds its manifest and stores nothing.
 * If the same records arrive in a different batch, some states are stored twice; readers merge them.
 */
import { gzipSync } from 'node:zlib';
import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Item } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { ArchiveReport } from '../../model/report.ts';
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

/** A state to store as a line: the entry of its manifest, but with the item instead of its digest. */
export interface StateOfItem extends Omit<BatchLine, 'digest'> {
  readonly item: Item;
  /**
   * When the record was made, in epoch milliseconds. The earliest one decides under which day the batch is stored.
   */
  readonly at: number | undefined;
}

/**
 * Stores states as the lines of one object: first the data, then its manifest. Records may be acknowledged only after
 * that. The states are held in memory twice, once compressed, so keep a batch within a few megabytes.
 * @returns the outcome of each line, in line order; a state that is given twice is one line
 */
export async function archiveLines(
  { archive }: { readonly archive: ArchivePort },
  rule: Pick<ArchiveRule, 'storageClass'> | undefined,
  kind: Pick<AnyKind, 'name'>,
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
    const storageClass = rule?.storageClass;
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
