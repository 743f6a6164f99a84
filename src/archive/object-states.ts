import { DenormError } from '../model/errors.ts';
import { type ItemKey, keyOf } from '../model/item.ts';
import type { TableNames } from '../model/table-names.ts';
import type { ArchivedState } from './archived-state.ts';
import { type ArchivedBetween, isBetween } from './batch-object.ts';
import { hashedPrefixOf, itemInBody, prefixOf, readObjectKey } from './object.ts';
import type { ArchivedVersion, ArchiveReader } from './ports.ts';

/** Which objects are listed: what they hold may be more than is wanted. */
export interface ObjectFilter extends ArchivedBetween {
  readonly kinds?: readonly string[] | undefined;
  readonly pkBegins?: string | undefined;
}

/** The versions of an item's object and its last states, the newest version of each first. */
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
 * The states in objects of their own, as they are listed. Items with hashed keys stand elsewhere, and are asked for the
 * key, one by one: few have keys that long.
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

/** Whose state it is: its metadata says so where S3's 2 KB held it, else its body, where that can be read. */
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
