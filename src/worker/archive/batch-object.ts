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
import * as z from 'zod/mini';
import { DenormError } from '../../model/basics/errors.ts';
import { parseJson } from '../../model/basics/parse-json.ts';
import type { ItemKey } from '../../model/items/item.ts';
import { decodeSegment, encodeSegment } from './object.ts';

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

/** What the keys of the manifests of one kind begin with, or those of all kinds. */
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
  sequence: z.string().check(z.regex(/^\d+$/)),
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
