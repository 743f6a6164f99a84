/**
 * The layout `object`: each item has an object of its own, whose older versions are the states that it replaced. The table stays
 * the truth: the state of a record is stored only if the item in the table still matches it.
 *
 *   head of the object ──already this state, for this record or a later one──> unchanged
 *          ^     └─else──> read the item ──matches the record──> put if the head has not changed ──> stored
 *          └────────────────────────── condition lost ──┘   └─differs──> gone: the newer state has a record of its own
 *
 * Each object carries its record's sequence number, which orders it among the final states of the item's other lives.
 *
 *   the item has ended ──the object held exactly its last state then──> unchanged
 *          └─else──> put the last state under a key of its own, once ──> final
 *
 * Under a rule that erases, each put is between two reads of the erasure note: see erasure.ts.
 */

import { TransientError } from '../../model/basics/errors.ts';
import { isLater, isSameStream, isUpTo } from '../../model/items/change.ts';
import type { Item, ItemKey } from '../../model/items/item.ts';
import { type BoundKind, ofKind } from '../../model/kinds/kind.ts';
import type { BoundArchiveRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { namedOutputs } from '../../model/rules/rule-attributes.ts';
import type { ArchiveReport } from '../../model/work/report.ts';
import type { ClockPort, DeadLetterPort, TablePort, TelemetryPort } from '../ports.ts';
import { erasedUpTo, eraseUpTo } from './erasure.ts';
import { bodyOf, digestOf, finalObjectKeyOf, objectKeyOf } from './object.ts';
import type { ArchiveObject, ArchivePort } from './ports.ts';
import { contended, putOnce } from './put-once.ts';

/** Only unreadable records are dead-lettered. */
export interface ArchiveContext {
  readonly registry: Registry;
  readonly table: Pick<TablePort, 'get' | 'update'>;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly archive: ArchivePort;
  readonly queue: DeadLetterPort;
  readonly telemetry: TelemetryPort;
  /** At least eight fresh random bytes, which make the body of each put unique. */
  readonly nonce: () => Uint8Array;
  readonly concurrency: number;
}

/** What it takes to store one item. */
export type ArchiveStore = Pick<ArchiveContext, 'registry' | 'archive' | 'nonce'> & {
  readonly table: Pick<TablePort, 'get'>;
};

/** The state that the archive now holds; undefined if the item is gone. */
export interface Archived {
  readonly report: ArchiveReport;
  readonly item: Item | undefined;
}

/** For an item that keeps changing, before its record is left for redelivery. */
const maxAttempts = 8;

export interface ToArchive {
  readonly rule: BoundArchiveRule;
  readonly kind: BoundKind;
  readonly key: ItemKey;
  readonly sequence: bigint;
}

/**
 * Stores the state that a record reports, if the item still matches it, with keys that the worker has derived since. Without a
 * record, stores the item as it is, if it still is of the kind; no record will repeat that, so it is read again after the put.
 * @throws TransientError `archive.contended` if the item or the object changed faster than it could be stored
 */
export async function archiveState(
  context: ArchiveStore,
  what: ToArchive,
  recorded?: Item,
): Promise<Archived> {
  const { archive, table, registry } = context;
  const { rule, kind, key, sequence } = what;
  const objectKey = objectKeyOf(kind.name, key);
  const erases = rule.onDelete === 'erase';
  const recordedDigest = recorded && digestOf(recorded);
  let stored: 'stored' | undefined;
  let tried: string | undefined;
  const lost: (string | undefined)[] = [];
  function archived(outcome: ArchiveReport['outcome'], item: Item | undefined): Archived {
    return { report: { kind: kind.name, key, objectKey, outcome }, item };
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const erased = erases ? await erasedUpTo(archive, objectKey) : -1n;
    const head = await archive.head(objectKey);
    // A put whose answer was lost never checked the note.
    if (head !== undefined && (await wentWithErasure(archive, objectKey, head.sequence, erased))) continue;
    // If a put lost its condition to its own earlier try (whose answer was lost), the head shows this digest.
    if (tried !== undefined && head?.digest === tried) stored = 'stored';
    const item = ofKind(kind, (await table.get(key))?.item);
    const still =
      recorded === undefined || (item && isStill(registry, kind, item, recorded)) ? item : undefined;
    // An object that already holds this state from an earlier record is put again for this one, even if the item has
    // changed since. No erasure covers that object, so none covers this record.
    const state = still ?? (head?.digest === recordedDigest ? recorded : undefined);
    if (state === undefined) return archived(stored ?? 'gone', undefined);
    const digest = digestOf(state);
    if (head?.digest === digest && !isLater(sequence, head.sequence))
      return archived(stored ?? 'unchanged', state);
    // This state was read after the erasure note, so it is newer than everything the note erases.
    const since = isLater(sequence, erased) ? sequence : erased + 1n;
    // The item has changed back since, in this table or in another that feeds the archive: that has a record of its own.
    if (
      recorded !== undefined &&
      head !== undefined &&
      isLater(head.sequence, since) &&
      head.digest !== digest
    )
      return archived(stored ?? 'gone', undefined);
    tried = digest;
    const object = objectToPut(context, { ...what, sequence: since }, state);
    if (!(await archive.put(objectKey, object, head?.etag))) {
      lost.push(head?.etag);
      continue;
    }
    if (erases && (await wentWithErasure(archive, objectKey, since))) continue;
    stored = 'stored';
    if (recorded !== undefined || (await isUnchanged(table, key, digest))) return archived(stored, state);
  }
  if (lost.length === maxAttempts) throw contended(`Expected to put ${objectKey}`, lost, { key });
  throw new TransientError(
    'archive.contended',
    `The item changed ${maxAttempts} times while it was being archived`,
    { key },
  );
}

/**
 * Apart from attributes that the worker derives on items of this kind, and one named `__proto__`, whose value the SDK drops:
 * the final state has it. The expiry must be unchanged.
 */
function isStill({ rules }: Registry, kind: BoundKind, item: Item, state: Item): boolean {
  const derived = rules.filter(({ copy }) => copy.name === kind.name).flatMap(namedOutputs);
  const aside = new Set([...derived, '__proto__']);
  const own = (image: Item): Item =>
    Object.fromEntries(Object.entries(image).filter(([name]) => !aside.has(name)));
  return digestOf(own(item)) === digestOf(own(state));
}

async function isUnchanged(table: ArchiveStore['table'], key: ItemKey, digest: string): Promise<boolean> {
  const now = await table.get(key);
  return now !== undefined && digestOf(now.item) === digest;
}

function objectToPut(
  { nonce }: Pick<ArchiveContext, 'nonce'>,
  { rule, key, sequence }: ToArchive,
  state: Item,
): ArchiveObject {
  const { storageClass } = rule;
  return { body: bodyOf(state, nonce()), digest: digestOf(state), sequence, of: key, storageClass };
}

/** Erases an object that an erasure covers: either the erasure saw its put, or this sees the erasure's note. */
async function wentWithErasure(
  archive: ArchivePort,
  objectKey: string,
  sequence: bigint,
  known?: bigint,
): Promise<boolean> {
  const erased = known ?? (await erasedUpTo(archive, objectKey));
  if (!isUpTo(sequence, erased)) return false;
  await archive.erase(objectKey, erased);
  return true;
}

/**
 * Stores the final state of an item that is gone, unless the object holds exactly that. If the item was recreated and archived
 * meanwhile, it is written although a version holds it as well; readers merge the two. Under a rule that erases it is always
 * written, unless a later deletion has erased it: a late deletion of an older life erases only older final states.
 * @param made the record that made this state, if known: a state stored for an older record belongs to another life
 */
export async function archiveLast(
  context: ArchiveContext,
  what: ToArchive,
  last: Item,
  made = 0n,
): Promise<ArchiveReport> {
  const { archive } = context;
  const { rule, kind, key, sequence } = what;
  const objectKey = objectKeyOf(kind.name, key);
  const report = { kind: kind.name, key, objectKey };
  const erases = rule.onDelete === 'erase';
  if (erases && isUpTo(sequence, await erasedUpTo(archive, objectKey)))
    return { ...report, outcome: 'erased' };
  const object = objectToPut(context, what, last);
  const head = erases ? undefined : await archive.head(objectKey);
  if (head?.digest === object.digest && isOfLife(head.sequence, made, sequence))
    return { ...report, outcome: 'unchanged' };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  const existing = await archive.head(finalKey);
  const isStored = existing?.digest === object.digest;
  if (!isStored) await putOnce(archive, finalKey, object, existing?.etag);
  if (erases && (await wentWithErasure(archive, objectKey, sequence)))
    return { ...report, outcome: 'erased' };
  return { ...report, objectKey: finalKey, outcome: isStored ? 'unchanged' : 'final' };
}

/** Whether a state was put for a record between these. One of another stream proves nothing: this stream may have more between. */
function isOfLife(put: bigint, made: bigint, ended: bigint): boolean {
  return isSameStream(put, ended) && isLater(ended, put) && !isLater(made, put);
}

/** Everything that the archive holds of an item, up to the deletion by a user. */
export async function eraseDeleted(
  context: ArchiveContext,
  { kind, key, sequence }: ToArchive,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, key);
  await eraseUpTo(context.archive, objectKey, sequence, context.nonce());
  return { kind: kind.name, key, objectKey, outcome: 'erased' };
}
