/**
 * Reads the archive in both layouts: versions and final states of objects, and lines of batches. Listings use object
 * keys, metadata and manifests, so they include states in Glacier. Only {@link readState} reads archived content.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DenormError } from '../../model/errors.ts';
import { type Item, type ItemKey, sameKey } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import { type ArchivedState, inOrder } from '../../worker/archive/archived-state.ts';
import { type ArchivedBetween, batchLines } from '../../worker/archive/batch-object.ts';
import { digestOf, itemInBody, objectKeyOf } from '../../worker/archive/object.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import { objectStates, statesOfObject } from './object-states.ts';

/** Selects states by kind, by the beginning of their keys, and by when they were archived. */
export interface StateFilter extends ArchivedBetween {
  /** Names of kinds. Undefined: all kinds in the archive, including those of rules that no longer exist. */
  readonly kinds?: readonly string[] | undefined;
  readonly pkBegins?: string | undefined;
  readonly skBegins?: string | undefined;
}

/** The archived states of one item, in the order in which it had them. */
export interface ArchivedItem {
  readonly kind: string;
  /** Undefined as in {@link ArchivedState}. */
  readonly key: ItemKey | undefined;
  /** Newest last. */
  readonly states: readonly ArchivedState[];
}

/**
 * All archived states of one item in both layouts, newest last, with sequence numbers and digests. If the kind uses
 * batches, this reads every manifest of the kind: for many items, {@link listItems} reads them once.
 */
export async function statesOf(
  reader: ArchiveReader,
  kind: string,
  key: ItemKey,
): Promise<readonly ArchivedState[]> {
  const own = await statesOfObject(reader, kind, key, objectKeyOf(kind, key));
  const lines: ArchivedState[] = [];
  for await (const line of batchLines(reader, kind, {})) if (sameKey(line.key, key)) lines.push(line);
  return inTheirOrder(await allDescribed(reader, [...own, ...lines]));
}

/**
 * Lists the items that have selected states, each with its states in order: items with objects by object key, then those
 * with lines only. Objects come without sequence number and digest, which take a request each: see {@link described}. Reads the metadata of objects only if an
 * item has final states or lines as well. Holds all selected lines in memory, about 500 bytes each.
 */
export async function* listItems(
  reader: ArchiveReader,
  table: TableNames,
  filter: StateFilter = {},
): AsyncGenerator<ArchivedItem> {
  const lines = new Map<string, ArchivedItem>();
  for await (const line of linesWanted(reader, filter)) gather(lines, itemText(line), line);
  async function whole(item: ArchivedItem): Promise<ArchivedItem> {
    const text = itemText(item);
    const together = [...item.states, ...(lines.get(text)?.states ?? [])];
    lines.delete(text);
    return { ...item, states: await ordered(reader, together) };
  }
  // Keys of final states begin with their object's key, and keys of other objects may sort between them.
  const open = new Map<string, ArchivedItem>();
  for await (const state of objectStates(reader, table, filter)) {
    if (!isWanted(state, filter)) continue;
    for (const [objectKey, item] of open)
      if (!state.objectKey.startsWith(objectKey)) {
        open.delete(objectKey);
        yield await whole(item);
      }
    gather(open, state.objectKey.replace(/(?<=\.json)\.\d+$/, ''), state);
  }
  for (const item of open.values()) yield await whole(item);
  for (const { kind, key, states } of lines.values())
    yield { kind, key, states: await ordered(reader, states) };
}

/** Adds a state to the item with this text. */
function gather(items: Map<string, ArchivedItem>, text: string, state: ArchivedState): void {
  const { kind, key } = state;
  items.set(text, { kind, key, states: [...(items.get(text)?.states ?? []), state] });
}

/**
 * Adds sequence number and digest from the object's metadata; undefined if the object has been erased since the
 * listing.
 */
export async function described(
  reader: ArchiveReader,
  state: ArchivedState,
): Promise<ArchivedState | undefined> {
  if (state.digest !== undefined) return state;
  const details = await reader.details(state.objectKey, state.versionId);
  return details && { ...state, sequence: state.sequence ?? details.sequence, digest: details.digest };
}

/**
 * Reads the archived item, and checks the checksum of the body and the digest of the item. To read many lines of the
 * same batches, pass a reader from {@link keepingBatches}.
 * @throws DenormError `archive.not-retrieved`, `archive.missing`, `archive.damaged` or `archive.unreadable`
 */
export async function readState(reader: ArchiveReader, state: ArchivedState): Promise<Item> {
  const { objectKey, versionId, line } = state;
  const { digest } = (await described(reader, state)) ?? state;
  const body = await reader.read(objectKey, versionId);
  const item = itemInBody(
    line === undefined ? Buffer.from(body).toString() : await lineOf(body, line, objectKey),
  );
  if (digest === undefined || digestOf(item) === digest) return item;
  throw damaged(objectKey, 'its item is not the one whose digest was put with it');
}

/** A reader that caches the batches it read last, for reading their lines one after another. */
export function keepingBatches(reader: ArchiveReader, most = 4): ArchiveReader {
  const kept = new Map<string, Promise<Uint8Array>>();
  return {
    ...reader,
    read(objectKey, versionId) {
      if (!objectKey.endsWith('.ndjson.gz')) return reader.read(objectKey, versionId);
      const body = kept.get(objectKey) ?? reader.read(objectKey);
      kept.delete(objectKey);
      kept.set(objectKey, body);
      // A failed read is not cached: it may succeed the next time.
      body.catch(() => kept.delete(objectKey));
      for (const oldest of [...kept.keys()].slice(0, -most)) kept.delete(oldest);
      return body;
    },
  };
}

async function ordered(
  reader: ArchiveReader,
  states: readonly ArchivedState[],
): Promise<readonly ArchivedState[]> {
  return inTheirOrder(states.some(isByRecord) ? await allDescribed(reader, states) : states);
}

/** The states that still exist, with their metadata. */
async function allDescribed(
  reader: ArchiveReader,
  states: readonly ArchivedState[],
): Promise<readonly ArchivedState[]> {
  const told = await Promise.all(states.map((state) => described(reader, state)));
  return told.filter((state) => state !== undefined);
}

/**
 * @param states as listed, the newest version of an object first. S3 rounds times to the second, so this order is
 * needed.
 */
function inTheirOrder(states: readonly ArchivedState[]): readonly ArchivedState[] {
  const byPut = states.filter((state) => !isByRecord(state)).reverse();
  return inOrder(
    states.filter(isByRecord),
    byPut.sort((a, b) => a.archivedAt - b.archivedAt),
  );
}

function isByRecord({ final, line, sequence }: ArchivedState): boolean {
  return final || (line !== undefined && sequence !== 0n);
}

async function* linesWanted(reader: ArchiveReader, filter: StateFilter): AsyncGenerator<ArchivedState> {
  for (const kind of filter.kinds ?? [undefined])
    for await (const line of batchLines(reader, kind, filter)) if (isWanted(line, filter)) yield line;
}

/** A state whose key is only in a body in Glacier may match the filter, so it is included. */
function isWanted({ key }: ArchivedState, { pkBegins = '', skBegins = '' }: StateFilter): boolean {
  return key === undefined || (key.pk.startsWith(pkBegins) && key.sk.startsWith(skBegins));
}

/** Unique for each item with a key. Lines always have a key. */
function itemText({ kind, key }: Pick<ArchivedState, 'kind' | 'key'>): string {
  return JSON.stringify([kind, key?.pk, key?.sk]);
}

const unzip = promisify(gunzip);

async function lineOf(body: Uint8Array, line: number, objectKey: string): Promise<string> {
  const whole = await unzip(body).catch((cause: unknown) => {
    throw damaged(objectKey, 'it cannot be decompressed', cause);
  });
  const text = whole.toString().split('\n')[line];
  if (text !== undefined && text !== '') return text;
  throw damaged(objectKey, `it has no line ${line}`);
}

function damaged(objectKey: string, how: string, cause?: unknown): DenormError {
  return new DenormError(
    'archive.damaged',
    `Expected ${objectKey} to be what was put, but ${how}. An older version may be intact`,
    { cause },
  );
}
