/**
 * Lists archived states, in each layout by its own keys: versions and final states of objects, and lines of batches. Uses object
 * keys, metadata and manifests, so states in Glacier are listed too.
 */
import { allPages } from '../../model/basics/all-pages.ts';
import { chunksOf } from '../../model/basics/chunks-of.ts';
import { DenormError } from '../../model/basics/errors.ts';
import { type ItemKey, keyOf, sameKey } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import {
  batchObjectKeyOf,
  manifestPrefixOf,
  readManifest,
  readManifestKey,
} from '../../worker/archive/batch-object.ts';
import {
  hashedPrefixOf,
  itemInBody,
  objectKeyOf,
  prefixOf,
  readObjectKey,
} from '../../worker/archive/object.ts';
import type { ArchivedPage, ArchivedVersion, ArchiveReader } from '../../worker/archive/ports.ts';
import type { ArchivedState } from './archived-state.ts';

export interface StateFilter {
  /** Names of kinds. Undefined: all kinds in the archive, including those of rules that no longer exist. */
  readonly kinds?: readonly string[] | undefined;
  /** One item. Its kinds must be given. */
  readonly key?: ItemKey | undefined;
  readonly pkBegins?: string | undefined;
  readonly skBegins?: string | undefined;
  /** In epoch milliseconds. */
  readonly from?: number | undefined;
  /** In epoch milliseconds, excluded. */
  readonly until?: number | undefined;
}

/** A state whose key is only in a body in Glacier may match the filter, so it is included. */
function isWanted(
  key: ItemKey | undefined,
  { key: only, pkBegins = '', skBegins = '' }: StateFilter,
): boolean {
  if (key === undefined) return true;
  return (
    (only === undefined || sameKey(key, only)) && key.pk.startsWith(pkBegins) && key.sk.startsWith(skBegins)
  );
}

function isBetween(archivedAt: number, { from = 0, until = Number.POSITIVE_INFINITY }: StateFilter): boolean {
  return archivedAt >= from && archivedAt < until;
}

/**
 * Lists the states that have an object of their own, in the order of their object keys, the newest version of each first. Items
 * with hashed keys are in a folder of their own; each takes a request to find its key, but few items have keys that long.
 */
export async function* objectStates(
  reader: ArchiveReader,
  table: TableNames,
  filter: StateFilter,
): AsyncGenerator<ArchivedState> {
  for (const prefix of prefixesOf(filter))
    for await (const version of versionsBelow(reader, prefix)) {
      const name = readObjectKey(version.objectKey);
      if (name === undefined || name.holds === 'batch' || !isBetween(version.archivedAt, filter)) continue;
      const { kind, final } = name;
      const key = name.key ?? filter.key ?? (await keyOfHashed(reader, table, version));
      if (!isWanted(key, filter)) continue;
      const { objectKey, versionId, archivedAt, bytes, storageClass } = version;
      yield {
        kind,
        key,
        objectKey,
        versionId,
        archivedAt,
        bytes,
        storageClass,
        line: undefined,
        final: final !== undefined,
        sequence: final,
        digest: undefined,
      };
    }
}

function prefixesOf({ kinds, key, pkBegins }: StateFilter): readonly string[] {
  if (kinds === undefined) return ['archive/'];
  if (key !== undefined) return kinds.map((kind) => objectKeyOf(kind, key));
  return kinds.flatMap((kind) => {
    const prefix = prefixOf(kind, pkBegins);
    return hashedPrefixOf(kind).startsWith(prefix) ? [prefix] : [prefix, hashedPrefixOf(kind)];
  });
}

function pagesBelow(reader: Pick<ArchiveReader, 'list'>, prefix: string): AsyncGenerator<ArchivedPage> {
  return allPages({ of: 'archive', what: prefix }, (from?: string) => reader.list(prefix, from));
}

async function* versionsBelow(reader: ArchiveReader, prefix: string): AsyncGenerator<ArchivedVersion> {
  for await (const { versions } of pagesBelow(reader, prefix)) yield* versions;
}

/** The key behind a hashed object key: from the metadata if it fits into S3's 2 KB, otherwise from a body that can be read. */
async function keyOfHashed(
  reader: ArchiveReader,
  table: TableNames,
  { objectKey, versionId }: ArchivedVersion,
): Promise<ItemKey | undefined> {
  const details = await reader.details(objectKey, versionId);
  if (details?.of !== undefined) return details.of;
  try {
    return keyOf(table, itemInBody(Buffer.from(await reader.read(objectKey, versionId)).toString()));
  } catch (error) {
    if (error instanceof DenormError && error.code.startsWith('archive.')) return undefined;
    throw error;
  }
}

/** A line of a batch. Its manifest always gives its key. */
export type ArchivedLine = ArchivedState & { readonly key: ItemKey };

const manifestsAtOnce = 16;

/** Lists the lines of batches: reads every manifest of the kinds, even for a single item. */
export async function* lineStates(
  reader: Pick<ArchiveReader, 'list' | 'read'>,
  filter: StateFilter,
): AsyncGenerator<ArchivedLine> {
  for (const kind of filter.kinds ?? [undefined])
    for await (const { versions } of pagesBelow(reader, manifestPrefixOf(kind))) {
      const manifests = versions.filter(({ latest, archivedAt }) => latest && isBetween(archivedAt, filter));
      for (const some of chunksOf(manifests, manifestsAtOnce)) {
        const lines = await Promise.all(some.map((manifest) => linesOf(reader, manifest)));
        for (const line of lines.flat()) if (isWanted(line.key, filter)) yield line;
      }
    }
}

async function linesOf(
  reader: Pick<ArchiveReader, 'read'>,
  { objectKey, archivedAt }: ArchivedVersion,
): Promise<ArchivedLine[]> {
  const batch = readManifestKey(objectKey);
  if (batch === undefined) return [];
  const lines = readManifest(objectKey, Buffer.from(await reader.read(objectKey)).toString());
  return lines.map((listed, line) => ({
    ...listed,
    line,
    kind: batch.kind,
    objectKey: batchObjectKeyOf(batch),
    archivedAt,
    versionId: undefined,
    bytes: undefined,
    storageClass: undefined,
  }));
}
