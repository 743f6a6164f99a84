/**
 * Stores items in the archive before they expire. The table stays the truth: a record's state is stored only if the
 * item in the table still matches it.
 *
 *   head of the object ──already this state, for this record or a later one──> unchanged
 *          ^     └─else──> read the item ──matches the record──> put if the head has not changed ──> stored
 *          └────────────────────────── condition lost ──┘   └─differs──> skip: the newer state has a record of its own
 *
 * Each object carries its record's sequence number, which orders it among the final states of the item's other lives.
 */
import type { ArchiveRule } from '../../model/archive-rule.ts';
import { TransientError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { ArchiveReport } from '../../model/report.ts';
import { namedOutputs } from '../../model/rule-attributes.ts';
import type { DeadLetterPort, TablePort, TelemetryPort } from '../ports.ts';
import { erasedUpTo, eraseUpTo } from './erasure.ts';
import { bodyOf, digestOf, finalObjectKeyOf, objectKeyOf } from './object.ts';
import type { ArchiveHead, ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';
import { isStampOf, stampedOn } from './stamp.ts';

/** Everything that archiving needs. Only unreadable records are dead-lettered. */
export interface ArchiveContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly archive: ArchivePort;
  readonly queue: DeadLetterPort;
  readonly telemetry: TelemetryPort;
  /** Returns at least eight fresh random bytes, which make the body of each put unique. */
  readonly nonce: () => Uint8Array;
  /** Items that are archived in parallel. */
  readonly concurrency: number;
}

/** The part of the context that is needed to store one item. */
export type ArchiveStore = Pick<ArchiveContext, 'registry' | 'table' | 'archive' | 'nonce'>;

/** The result of archiving an item, and the state that the archive now holds; undefined if the item is gone. */
export interface Archived {
  readonly report: ArchiveReport;
  readonly item: Item | undefined;
}

/** Attempts to store an item that keeps changing, before its record is left for redelivery. */
const maxAttempts = 8;

/** An item to archive, its rule, and the sequence number of the record that requires it; 0 if none does. */
export interface ToArchive {
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly key: ItemKey;
  readonly sequence: bigint;
}

/**
 * Stores the state that a record reports, if the item still matches it. Keys that the worker has derived since then
 * are stored with it. If the item has changed, its newer state has a record of its own.
 * @throws TransientError `archive.contended` if other writers kept replacing the object
 */
export async function archiveCurrent(
  context: ArchiveStore,
  what: ToArchive,
  state: Item,
): Promise<ArchiveReport> {
  const { rule, kind, key, sequence } = what;
  const objectKey = objectKeyOf(kind.name, key);
  const erases = rule.onDelete === 'erase';
  const digest = digestOf(state);
  let tried: string | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const erased = erases ? await erasedUpTo(context.archive, objectKey) : -1n;
    const head = await context.archive.head(objectKey);
    if (await wentWithErasure(context, objectKey, head, erased)) continue;
    const outcome = head?.digest !== undefined && head.digest === tried ? 'stored' : 'unchanged';
    const isCurrent = head?.digest === digest;
    if (isCurrent && head.sequence >= sequence) return { kind: kind.name, key, objectKey, outcome };
    const item = await context.table.get(key);
    const still = item !== undefined && isStill(context.registry, kind, item, state) ? item : undefined;
    if (still !== undefined && head?.digest === digestOf(still) && head.sequence >= sequence)
      return { kind: kind.name, key, objectKey, outcome };
    // An object that already holds this state from an earlier record is put again for this one, even if the item has
    // changed since. No erasure covers that object, so none covers this record.
    const present = still ?? (isCurrent ? state : undefined);
    if (present === undefined) return { kind: kind.name, key, objectKey, outcome: 'gone' };
    // This state was read after the erasure note, so it is newer than everything the note erases.
    const since = sequence > erased ? sequence : erased + 1n;
    // If the put loses its condition to its own earlier try (whose answer was lost), the next head shows this digest.
    tried = digestOf(present);
    if (!(await put(context, { ...what, sequence: since }, present, head))) continue;
    if (erases && (await goesWithErasure(context, objectKey, since))) continue;
    return { kind: kind.name, key, objectKey, outcome: 'stored' };
  }
  throw contended(key);
}

/**
 * Whether an item still matches a record's image, apart from attributes that the worker derives on items of this
 * kind, and an attribute named `__proto__`, whose value the SDK drops: the final state has it, from the record's
 * image.
 */
function isStill({ rules }: Registry, kind: AnyKind, item: Item, state: Item): boolean {
  const derived = rules.filter(({ copy }) => copy.name === kind.name).flatMap(namedOutputs);
  const aside = new Set([...derived, '__proto__']);
  const own = (image: Item): Item =>
    Object.fromEntries(Object.entries(image).filter(([name]) => !aside.has(name)));
  return digestOf(own(item)) === digestOf(own(state));
}

/**
 * Stores an item as it is now, whether or not it has an expiry. No record will repeat this, so the item is read again
 * after the put; if it has changed, it is stored again.
 * @throws TransientError `archive.contended` if it changed faster than it could be stored
 */
export async function archiveState(
  context: ArchiveStore,
  what: Omit<ToArchive, 'sequence'>,
): Promise<Archived> {
  const { rule, kind, key } = what;
  const objectKey = objectKeyOf(kind.name, key);
  const erases = rule.onDelete === 'erase';
  let stored: 'stored' | undefined;
  let tried: string | undefined;
  function archived(outcome: ArchiveReport['outcome'], item: Item | undefined): Archived {
    return { report: { kind: kind.name, key, objectKey, outcome }, item };
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const erased = erases ? await erasedUpTo(context.archive, objectKey) : -1n;
    const head = await context.archive.head(objectKey);
    if (await wentWithErasure(context, objectKey, head, erased)) continue;
    if (tried !== undefined && head?.digest === tried) stored = 'stored';
    const item = await context.table.get(key);
    if (item === undefined) return archived(stored ?? 'gone', undefined);
    if (head?.digest === digestOf(item)) return archived(stored ?? 'unchanged', item);
    const since = erased + 1n;
    tried = digestOf(item);
    if (!(await put(context, { ...what, sequence: since }, item, head))) continue;
    if (erases && (await goesWithErasure(context, objectKey, since))) continue;
    stored = 'stored';
    if (await stillIs(context, key, digestOf(item))) return archived(stored, item);
  }
  throw contended(key);
}

/**
 * Puts a state under its item's object key.
 * @returns false if the object is no longer the one that `head` describes
 */
function put(
  { archive, nonce }: ArchiveStore,
  { rule, kind, key, sequence }: ToArchive,
  state: Item,
  head: ArchiveHead | undefined,
): Promise<boolean> {
  const object = {
    body: bodyOf(state, nonce()),
    digest: digestOf(state),
    sequence,
    of: key,
    storageClass: rule.storageClass,
    ...(head !== undefined && { previousStates: stampedOn(head, head.previousStates) }),
  };
  return archive.put(objectKeyOf(kind.name, key), object, head?.etag);
}

function contended(key: ItemKey): TransientError {
  return new TransientError(
    'archive.contended',
    `The item changed ${maxAttempts} times while it was being archived`,
    { key },
  );
}

/** Erases what was just put if an erasure has covered its record in the meantime. */
async function goesWithErasure(
  { archive }: Pick<ArchiveContext, 'archive'>,
  objectKey: string,
  sequence: bigint,
): Promise<boolean> {
  const erased = await erasedUpTo(archive, objectKey);
  if (erased < sequence) return false;
  await archive.erase(objectKey, erased);
  return true;
}

/** Erases an object that an erasure note already covers: a put whose answer was lost never checked the note. */
async function wentWithErasure(
  { archive }: Pick<ArchiveContext, 'archive'>,
  objectKey: string,
  head: ArchiveHead | undefined,
  erased: bigint,
): Promise<boolean> {
  if (head === undefined || head.sequence > erased) return false;
  await archive.erase(objectKey, erased);
  return true;
}

async function stillIs(context: ArchiveStore, key: ItemKey, digest: string): Promise<boolean> {
  const now = await context.table.get(key);
  return now !== undefined && digestOf(now) === digest;
}

/**
 * Stores the final state of an item that is gone. If the object already held exactly that state, nothing is added;
 * otherwise the state is written once, under a key of its own. An object lists the states that it replaced, so a
 * recreated item hides nothing and a late duplicate adds nothing.
 *
 * Under a rule with `onDelete: 'erase'` the final state is always written, unless a later deletion has erased it: a
 * late deletion of an older life could erase the object, but erases only older final states.
 * @param made the record that made this state, if known: a state stored for an older record belongs to another life
 */
export async function archiveLast(
  context: ArchiveContext,
  { rule, kind, key, sequence }: ToArchive,
  last: Item,
  made = 0n,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, key);
  const digest = digestOf(last);
  const erases = rule.onDelete === 'erase';
  if (erases && (await erasedUpTo(context.archive, objectKey)) >= sequence)
    return { kind: kind.name, key, objectKey, outcome: 'erased' };
  const head = erases ? undefined : await context.archive.head(objectKey);
  const before = head && stampedOn(head, head.previousStates).find((stamp) => stamp.sequence < sequence);
  if (before !== undefined && isStampOf(before, digest) && before.sequence >= made)
    return { kind: kind.name, key, objectKey, outcome: 'unchanged' };
  const finalKey = finalObjectKeyOf(objectKey, sequence);
  const existing = await context.archive.head(finalKey);
  const isStored = existing?.digest === digest;
  if (!isStored) {
    const { storageClass } = rule;
    const object = { body: bodyOf(last, context.nonce()), digest, sequence, of: key, storageClass };
    await putOnce(context.archive, finalKey, object, existing?.etag);
  }
  if (erases && (await goesWithErasure(context, objectKey, sequence)))
    return { kind: kind.name, key, objectKey, outcome: 'erased' };
  return { kind: kind.name, key, objectKey: finalKey, outcome: isStored ? 'unchanged' : 'final' };
}

/** Erases everything that the archive holds of an item, up to the deletion by a user. */
export async function eraseDeleted(
  context: ArchiveContext,
  { kind, key, sequence }: ToArchive,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, key);
  await eraseUpTo(context.archive, objectKey, sequence, context.nonce());
  return { kind: kind.name, key, objectKey, outcome: 'erased' };
}
