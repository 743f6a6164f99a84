import { DenormError } from '../../model/errors.ts';
import { type ItemKey, keyOf } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { ArchivedState } from '../../worker/archive/archived-state.ts';
import { type ArchivedBetween, isBetween } from '../../worker/archive/batch-object.ts';
import { hashedPrefixOf, itemInBody, prefixOf, readObjectKey } from '../../worker/archive/object.ts';
import type { ArchivedVersion, ArchiveReader } from '../../worker/archive/ports.ts';

/** Which objects to list. A listing may return more than the filter asks for. */
export interface ObjectFilter extends ArchivedBetween {
  readonly kinds?: readonly string[] | undefined;
  readonly pkBegins?: string | undefined;
}

/** The versions of an item's object and its final states, the newest version of each first. */
export async function statesOfObject(
  reader: ArchiveReader,
  kind: string,
  key: ItemKey,
  objectKey: string,
): Promise<ArchivedState[]> {
  const states: ArchivedState[] = [];
  for await (const version of versionsBelow(reader, objectKey)) {
    const end = version.objectKey.slice(objectKey.length);
    if (end === '') states.push(stateOf(version, kind, key, undefined));
    if (/^\.\d+$/.test(end)) states.push(stateOf(version, kind, key, BigInt(end.slice(1))));
  }
  return states;
}

/**
 * Lists the states that have an object of their own. Items with hashed keys are in a folder of their own; each takes
 * a request to find its key, but few items have keys that long.
 */
export async function* objectStates(
  reader: ArchiveReader,
  table: TableNames,
  filter: ObjectFilter,
): AsyncGenerator<ArchivedState> {
  for (const prefix of prefixesOf(filter))
    for await (const version of versionsBelow(reader, prefix)) {
      const name = readObjectKey(version.objectKey);
      if (name === undefined || name.holds === 'batch' || !isBetween(version.archivedAt, filter)) continue;
      const key = name.holds === 'item' ? name.key : await keyOfHashed(reader, table, version);
      yield stateOf(version, name.kind, key, name.final);
    }
}

function prefixesOf({ kinds, pkBegins }: ObjectFilter): readonly string[] {
  if (kinds === undefined) return ['archive/'];
  return kinds.flatMap((kind) => {
    const prefix = prefixOf(kind, pkBegins);
    return hashedPrefixOf(kind).startsWith(prefix) ? [prefix] : [prefix, hashedPrefixOf(kind)];
  });
}

async function* versionsBelow(reader: ArchiveReader, prefix: string): AsyncGenerator<ArchivedVersion> {
  let from: string | undefined;
  do {
    const page = await reader.list(prefix, from);
    yield* page.versions;
    from = page.next;
  } while (from !== undefined);
}

/**
 * The key of an item with a hashed object key: from the metadata if it fits into S3's 2 KB, otherwise from the body
 * if it can be read.
 */
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

function stateOf(
  { objectKey, versionId, archivedAt, bytes, storageClass }: ArchivedVersion,
  kind: string,
  key: ItemKey | undefined,
  final: bigint | undefined,
): ArchivedState {
  return {
    ...{ kind, key, objectKey, versionId, archivedAt, bytes, storageClass },
    line: undefined,
    final: final !== undefined,
    sequence: final,
    digest: undefined,
  };
}
