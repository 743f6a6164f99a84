/** Reads the archive in both layouts. Only {@link readState} reads archived content. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import type { Item, ItemKey } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { damaged, digestOf, itemInBody } from '../../worker/archive/object.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import type { ClockPort } from '../../worker/ports.ts';
import { retryOutage } from '../../worker/retry.ts';
import { type ArchivedState, inOrder, isByRecord } from './archived-state.ts';
import { lineStates, objectStates, type StateFilter } from './listed-states.ts';

export interface ArchivedItem {
  readonly kind: string;
  /** Undefined as in {@link ArchivedState}. */
  readonly key: ItemKey | undefined;
  readonly states: readonly ArchivedState[];
}

/** Lines that are held in memory at once, each of about 850 bytes. */
const linesAtOnce = 500_000;

/**
 * Items with objects by object key, then those with lines only. Objects come without sequence number and digest, which take a
 * request each, unless an item has final states or lines as well. Of more lines than are held at once, the manifests are read again
 * for each part of the items.
 */
export async function* listItems(
  reader: ArchiveReader,
  table: TableNames,
  filter: StateFilter = {},
  maxLines = linesAtOnce,
): AsyncGenerator<ArchivedItem> {
  const lines: Lines = new Map();
  let count = 0;
  for await (const line of lineStates(reader, filter)) {
    count += 1;
    if (count <= maxLines) gather(lines, itemText(line), line);
    else lines.clear();
  }
  const objects = () => objectStates(reader, table, filter);
  if (count <= maxLines) return yield* itemsOf(reader, lines, objects());
  const parts = Math.ceil(count / maxLines);
  for (let part = 0; part < parts; part += 1) {
    const isOfPart = (state: ArchivedState) => partOf(itemText(state), parts) === part;
    for await (const line of lineStates(reader, filter))
      if (isOfPart(line)) gather(lines, itemText(line), line);
    yield* itemsOf(reader, lines, filtered(objects(), isOfPart));
  }
}

/** Items that are looked up in the table with one request. Source: AWS, "BatchGetItem". */
const together = 100;

/** @param stop asked before each item: then no group follows */
export async function* lookupGroups(
  items: AsyncIterable<ArchivedItem>,
  stop: () => boolean = () => false,
): AsyncGenerator<readonly ArchivedItem[]> {
  let group: ArchivedItem[] = [];
  for await (const item of items) {
    if (stop()) return;
    group.push(item);
    if (group.length < together) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function partOf(text: string, parts: number): number {
  return createHash('sha256').update(text).digest().readUInt32BE() % parts;
}

async function* filtered<One>(all: AsyncIterable<One>, isWanted: (one: One) => boolean): AsyncGenerator<One> {
  for await (const one of all) if (isWanted(one)) yield one;
}

type Lines = Map<string, ArchivedItem>;

/** @param lines are taken out */
async function* itemsOf(
  reader: ArchiveReader,
  lines: Lines,
  objects: AsyncIterable<ArchivedState>,
): AsyncGenerator<ArchivedItem> {
  async function* whole(item: ArchivedItem): AsyncGenerator<ArchivedItem> {
    const text = itemText(item);
    const listed = [...item.states, ...(lines.get(text)?.states ?? [])];
    lines.delete(text);
    const states = inOrder(listed.some(isByRecord) ? await allDescribed(reader, listed) : listed);
    if (states.length > 0) yield { ...item, states };
  }
  // Keys of final states begin with their object's key, and keys of other objects may sort between them.
  const open = new Map<string, ArchivedItem>();
  for await (const state of objects) {
    for (const [objectKey, item] of open)
      if (!state.objectKey.startsWith(objectKey)) {
        open.delete(objectKey);
        yield* whole(item);
      }
    gather(open, state.objectKey.replace(/(?<=\.json)\.\d+$/, ''), state);
  }
  for (const item of open.values()) yield* whole(item);
  for (const { kind, key } of lines.values()) yield* whole({ kind, key, states: [] });
}

function gather(items: Map<string, ArchivedItem>, text: string, state: ArchivedState): void {
  const { kind, key } = state;
  items.set(text, { kind, key, states: [...(items.get(text)?.states ?? []), state] });
}

/** Unique for each item with a key. Lines always have a key. */
function itemText({ kind, key }: Pick<ArchivedState, 'kind' | 'key'>): string {
  return JSON.stringify([kind, key?.pk, key?.sk]);
}

export async function allDescribed(
  reader: ArchiveReader,
  states: readonly ArchivedState[],
): Promise<readonly ArchivedState[]> {
  const all = await allSettledOrThrow(states.map((state) => described(reader, state)));
  return all.filter((state) => state !== undefined);
}

/** Adds sequence number and digest from the object's metadata; undefined if the object was erased since the listing. */
export async function described(
  reader: ArchiveReader,
  state: ArchivedState,
): Promise<ArchivedState | undefined> {
  if (state.digest !== undefined) return state;
  const details = await reader.details(state.objectKey, state.versionId);
  return (
    details && { ...state, sequence: details.sequence || (state.sequence ?? 0n), digest: details.digest }
  );
}

/**
 * Checks checksum and digest. To read many lines of the same batches, pass a reader from {@link keepingBatches}.
 * @throws DenormError `archive.not-retrieved`, `archive.missing`, `archive.damaged` or `archive.unreadable`
 */
export async function readState(
  reader: ArchiveReader,
  state: Pick<ArchivedState, 'objectKey' | 'versionId' | 'line' | 'digest'>,
): Promise<Item> {
  const { objectKey, versionId, line } = state;
  const { digest } =
    state.digest === undefined ? ((await reader.details(objectKey, versionId)) ?? state) : state;
  const body = await reader.read(objectKey, versionId);
  const item = itemInBody(
    line === undefined ? Buffer.from(body).toString() : await lineOf(body, line, objectKey),
  );
  if (digest === undefined || digestOf(item) === digest) return item;
  throw damaged(objectKey, 'its item is not the one whose digest was put with it');
}

export function retryingReader(reader: ArchiveReader, clock: ClockPort): ArchiveReader {
  return {
    ...reader,
    list: (...args) => retryOutage(clock, () => reader.list(...args)),
    details: (...args) => retryOutage(clock, () => reader.details(...args)),
    read: (...args) => retryOutage(clock, () => reader.read(...args)),
  };
}

/** How many batches such a reader keeps. */
const keptBatches = 4;

/** A reader that caches the batches it read last, for reading their lines one after another. */
export function keepingBatches(reader: ArchiveReader): ArchiveReader {
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
      for (const oldest of [...kept.keys()].slice(0, -keptBatches)) kept.delete(oldest);
      return body;
    },
  };
}

/** More than an invocation is given, or a sweep puts together: a small object can be made that takes all memory otherwise. */
const maxBatchBytes = 128 * 1024 * 1024;

/** One batch at a time. A batch that is kept is decompressed once for all of its lines. */
const decompressing = pLimit(1);
const decompressedBatches = new WeakMap<Uint8Array, Promise<readonly string[]>>();

/** @throws DenormError `archive.damaged` if the batch has no such line, or more bytes than a batch can have */
export async function lineOf(
  body: Uint8Array,
  line: number,
  objectKey: string,
  maxBytes = maxBatchBytes,
): Promise<string> {
  const lines = decompressedBatches.get(body) ?? decompressing(() => decompressed(body, objectKey, maxBytes));
  decompressedBatches.set(body, lines);
  const text = (await lines)[line];
  if (text !== undefined && text !== '') return text;
  throw damaged(objectKey, `it has no line ${line}`);
}

const unzip = promisify(gunzip);

async function decompressed(
  body: Uint8Array,
  objectKey: string,
  maxBytes: number,
): Promise<readonly string[]> {
  try {
    return (await unzip(body, { maxOutputLength: maxBytes })).toString().split('\n');
  } catch (cause) {
    const isTooLong = cause instanceof RangeError;
    const why = isTooLong ? `it has more than ${maxBytes} bytes decompressed` : 'it cannot be decompressed';
    throw damaged(objectKey, why, cause);
  }
}
