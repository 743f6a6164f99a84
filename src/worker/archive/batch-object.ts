/**
 * Where the layout `batch` stores the states of many items of one kind:
 *
 *   archive/Order/dt=2026-11-21/<name>.ndjson.gz    only lines of DynamoDB JSON, {"Item":{…}}, compressed
 *   manifests/Order/dt=2026-11-21/<name>.json       for each line, in order: its key, digest and sequence number
 *
 * The name is a hash of the manifest's lines, so the same states have the same name. `dt` is the UTC day of the
 * earliest record, so a batch that is delivered again a day later has the same key.
 */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { ArchiveRule } from '../../model/archive-rule.ts';
import { DenormError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import { parseJson } from '../../model/parse-json.ts';
import type { ArchiveReport } from '../../model/report.ts';
import { earliest } from '../batch/group.ts';
import { bodyOf, decodeSegment, digestOf, encodeSegment } from './object.ts';
import type { ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';

export interface BatchLine {
  readonly key: ItemKey;
  readonly digest: string;
  /** 0 if no record reported it. */
  readonly sequence: bigint;
  readonly final: boolean;
}

/** `day` is YYYY-MM-DD. */
export interface BatchName {
  readonly kind: string;
  readonly day: string;
  readonly name: string;
}

const noDay = '1970-01-01';

/** @param at when the earliest record was made, in epoch milliseconds */
export function batchNameOf(kind: string, lines: readonly BatchLine[], at: number | undefined): BatchName {
  const name = createHash('sha256')
    .update(kind)
    .update('\n')
    .update(manifestText(lines))
    .digest('hex')
    .slice(0, 40);
  return { kind, day: at === undefined ? noDay : new Date(at).toISOString().slice(0, 10), name };
}

export function batchObjectKeyOf({ kind, day, name }: BatchName): string {
  return `archive/${encodeSegment(kind)}/dt=${day}/${name}.ndjson.gz`;
}

export function manifestKeyOf({ kind, day, name }: BatchName): string {
  return `manifests/${encodeSegment(kind)}/dt=${day}/${name}.json`;
}

export function readManifestKey(objectKey: string): BatchName | undefined {
  const [, kindSegment = '', day = '', name = ''] =
    /^manifests\/([^/]+)\/dt=(\d{4}-\d\d-\d\d)\/([0-9a-f]+)\.json$/.exec(objectKey) ?? [];
  const kind = decodeSegment(kindSegment);
  return kind === undefined || name === '' ? undefined : { kind, day, name };
}

/** Of one kind or of all kinds. */
export function manifestPrefixOf(kind: string | undefined): string {
  return kind === undefined ? 'manifests/' : `manifests/${encodeSegment(kind)}/`;
}

/** One line of JSON for each line of its batch. */
export function manifestText(lines: readonly BatchLine[]): string {
  return lines
    .map(({ key, digest, sequence, final }) =>
      JSON.stringify({ pk: key.pk, sk: key.sk, digest, sequence: String(sequence), final }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

const lineSchema = z.object({
  pk: z.string(),
  sk: z.string(),
  digest: z.string(),
  sequence: z.string().regex(/^\d+$/),
  final: z.boolean(),
});

/** @throws DenormError `archive.unreadable` if the text is not a manifest */
export function readManifest(manifestKey: string, text: string): readonly BatchLine[] {
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { pk, sk, digest, sequence, final } = lineSchema.parse(parseJson(line));
      return { key: { pk, sk }, digest, sequence: BigInt(sequence), final };
    });
  } catch (cause) {
    throw new DenormError(
      'archive.unreadable',
      `Expected ${manifestKey} to hold one JSON object for each line of its batch, found something else: it has been changed`,
      { cause },
    );
  }
}

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

/** The states are in memory twice. @returns the outcome of each line, in line order; a state that is given twice is one line */
export async function archiveLines(
  { archive }: { readonly archive: ArchivePort },
  { storageClass }: Pick<ArchiveRule, 'storageClass'>,
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
