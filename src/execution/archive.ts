/**
 * The archive is one more copy, in S3. An item that is going to expire must stand there before it does:
 *
 *   head of the object ──> item read ──equal──> stood
 *          ^                   └─differs──> put on condition of the head ──> item read again ──same──> stored
 *          └─────────────── condition lost, or the item has changed meanwhile ──────────────────┘
 *
 * S3 sends no record to check, which is why the item is read again after the put.
 */
import { bodyOf, digestOf, finalObjectKeyOf, objectKeyOf } from '../domain/archive-object.ts';
import type { Change } from '../domain/change.ts';
import { Unavailable } from '../domain/errors.ts';
import { attribute, type Item, type ItemKey } from '../domain/item.ts';
import type { AnyKind } from '../domain/kind.ts';
import type { Registry } from '../domain/registry.ts';
import type { ArchiveReport } from '../domain/report.ts';
import type { ArchivePort, DeadLetterPort, TablePort, TelemetryPort } from './ports.ts';

/** All that archiving works with. Only records that are none are parked. */
export interface ArchiveEngine {
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

/** How often an item that keeps changing is looked at again before its record is left to be delivered again. */
const mostAttempts = 8;

/**
 * Sees to it that the item, as it is now, stands in the archive.
 * @throws Unavailable `archive.contended` where it changed faster than it could be stored
 */
export async function archiveCurrent(
  engine: ArchiveEngine,
  kind: AnyKind,
  key: ItemKey,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, key);
  let stored = false;
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const head = await engine.archive.head(objectKey);
    const item = await engine.table.get(key);
    if (item === undefined || attribute(item, engine.registry.table.ttl) === undefined)
      return { kind: kind.name, key, objectKey, outcome: stored ? 'stored' : 'gone' };
    const digest = digestOf(item);
    if (head?.digest === digest)
      return { kind: kind.name, key, objectKey, outcome: stored ? 'stored' : 'stood' };
    if (!(await engine.archive.put(objectKey, { body: bodyOf(item, engine.nonce()), digest }, head?.etag)))
      continue;
    stored = true;
    if (await stillIs(engine, key, digest)) return { kind: kind.name, key, objectKey, outcome: 'stored' };
  }
  throw new Unavailable(
    'archive.contended',
    `The item changed ${mostAttempts} times while it was being archived`,
    { key },
  );
}

async function stillIs(engine: ArchiveEngine, key: ItemKey, digest: string): Promise<boolean> {
  const now = await engine.table.get(key);
  return now !== undefined && digestOf(now) === digest;
}

/**
 * Keeps the last state of an item that has expired: where the object is not exactly that, it is written once under a key
 * of its own. A recreated item hides nothing, and a late duplicate changes nothing.
 */
export async function archiveLast(
  engine: ArchiveEngine,
  kind: AnyKind,
  change: Change,
  last: Item,
): Promise<ArchiveReport> {
  const objectKey = objectKeyOf(kind.name, change.key);
  const digest = digestOf(last);
  const head = await engine.archive.head(objectKey);
  if (head?.digest === digest) return { kind: kind.name, key: change.key, objectKey, outcome: 'stood' };
  const finalKey = finalObjectKeyOf(objectKey, change.sequence);
  await engine.archive.put(finalKey, { body: bodyOf(last, engine.nonce()), digest }, undefined);
  return { kind: kind.name, key: change.key, objectKey: finalKey, outcome: 'final' };
}
