/**
 * The archive is one more copy, in S3. An item must be stored there before it expires. Each state is put by its own record:
 *
 *   head of the object ──is the record's state, put for it or a later one──> unchanged
 *          ^     └─else──> read the item ──is the record's state──> put it if the head has not changed ──> stored
 *          └──────────────────────────────────── condition lost ──┘      └─is another──> left to that state's own record
 *
 * So an object carries the sequence number of the record that made its state. That number orders it among the last states
 * of earlier and later lives.
 */
import type { ArchiveRule } from '../model/archive-rule.ts';
import { TransientError } from '../model/errors.ts';
import type { Item, ItemKey } from '../model/item.ts';
import type { AnyKind } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import type { ArchiveReport } from '../model/report.ts';
import { namedOutputs } from '../model/rule-attributes.ts';
import type { DeadLetterPort, TablePort, TelemetryPort } from '../ports.ts';
import { erasedUpTo, eraseUpTo } from './erasure.ts';
import { bodyOf, digestOf, finalObjectKeyOf, objectKeyOf } from './object.ts';
import type { ArchiveHead, ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';
import { isStampOf, stampedOn } from './stamp.ts';

/** All that archiving works with. Only records that are none are dead-lettered. */
export interface ArchiveContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly archive: ArchivePort;
  readonly queue: DeadLetterPort;
  readonly telemetry: TelemetryPort;
  /** Fresh random bytes, eight or more, that make the body of a put unique. */
  readonly nonce: () => Uint8Array;
  /** Items that are archived side by side. */
  readonly concurrency: number;
}

/** What storing an item works with. */
export type ArchiveStore = Pick<ArchiveContext, 'registry' | 'table' | 'archive' | 'nonce'>;

/** An item's way into the archive, and the state of it that stands there now; undefined where there was none to store. */
export interface Archived {
  readonly report: ArchiveReport;
  readonly item: Item | undefined;
}

/** How often an item that keeps changing is looked at again before its record is left to be delivered again. */
const maxAttempts = 8;

/** An item to archive, under the rule that says how, for the sake of a record of the stream; 0 where none asks for it. */
export interface ToArchive {
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly key: ItemKey;
  readonly sequence: bigint;
}

/**
 * Sees to it that what a record says of an item stands in the archive, where the item still is that; keys that the worker
 * has derived since go along. Where it is another, another record is on its way, or has been seen to.
 * @throws TransientError `archive.contended` where others kept putting the object
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
    const stands = head?.digest === digest;
    if (stands && head.sequence >= sequence) return { kind: kind.name, key, objectKey, outcome };
    const item = await context.table.get(key);
    const still = item !== undefined && isStill(context.registry, kind, item, state) ? item : undefined;
    if (still !== undefined && head?.digest === digestOf(still) && head.sequence >= sequence)
      return { kind: kind.name, key, objectKey, outcome };
    // What stands there already, from an earlier time, stands once more for this one, also when it is over.
    const present = still ?? (stands && sequence > erased ? state : undefined);
    if (present === undefined) return { kind: kind.name, key, objectKey, outcome: 'gone' };
    // Read after the note, this state is younger than all that is erased, whichever record asked for it.
    const since = sequence > erased ? sequence : erased + 1n;
    // Lost, it may have met its own earlier try, whose answer was lost: the head tells.
    tried = digestOf(present);
    if (!(await put(context, { ...what, sequence: since }, present, head))) continue;
    if (erases && (await goesWithErasure(context, objectKey, since))) continue;
    return { kind: kind.name, key, objectKey, outcome: 'stored' };
  }
  throw contended(key);
}

/**
 * Whether an item is still what a record says of it, but for what the worker itself writes to items of this kind: the keys
 * that it derives may be there by now, and that makes no other state of it. Nor does an attribute called `__proto__`, which
 * the SDK reads without its value: it stands in the last state, which is the record's own.
 */
function isStill({ rules }: Registry, kind: AnyKind, item: Item, state: Item): boolean {
  const derived = rules.filter(({ copy }) => copy.name === kind.name).flatMap(namedOutputs);
  const aside = new Set([...derived, '__proto__']);
  const own = (image: Item): Item =>
    Object.fromEntries(Object.entries(image).filter(([name]) => !aside.has(name)));
  return digestOf(own(item)) === digestOf(own(state));
}

/**
 * Sees to it that an item stands in the archive as it is now, whether or not it is going to expire. No record asks for
 * it, and S3 sends none to check: so the item is read again after the put, and changed means once more.
 * @throws TransientError `archive.contended` where it changed faster than it could be stored
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

/** Puts a state of an item under its object's key. @returns false where the head does not stand there any more */
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

/** Whether what was just put for the sake of this record is erased by now: then it goes too. */
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

/**
 * Takes away what is there though a note says that it is erased: a put whose answer was lost never looked at the note
 * after it.
 */
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
 * Keeps the last state of an item that is gone: where the object was not exactly that by then, it is written once under
 * a key of its own. An object says what it has replaced: so a recreated item hides nothing, and a late duplicate changes
 * nothing.
 *
 * Under a rule that erases, it is written in any case, unless a later deletion has erased it: the object may go with an
 * older life, in a deletion that comes late, and a last state goes only with the deletions after it.
 * @param made the record that made this state, where it is known: what was put for an older one is another life's
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
  const standing = await context.archive.head(finalKey);
  const stood = standing?.digest === digest;
  if (!stood) {
    const { storageClass } = rule;
    const object = { body: bodyOf(last, context.nonce()), digest, sequence, of: key, storageClass };
    await putOnce(context.archive, finalKey, object, standing?.etag);
  }
  if (erases && (await goesWithErasure(context, objectKey, sequence)))
    return { kind: kind.name, key, objectKey, outcome: 'erased' };
  return { kind: kind.name, key, objectKey: finalKey, outcome: stood ? 'unchanged' : 'final' };
}

/** Erases all that the archive holds of an item that a user has deleted, up to that deletion. */
export async function eraseDeleted(
  context: ArchiveContext,
  { kind, key, sequence }: ToArchive,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, key);
  await eraseUpTo(context.archive, objectKey, sequence, context.nonce());
  return { kind: kind.name, key, objectKey, outcome: 'erased' };
}
