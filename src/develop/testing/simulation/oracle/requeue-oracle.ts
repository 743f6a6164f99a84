import { isDeepStrictEqual } from 'node:util';
import { keyText, sameKey } from '../../../../model/item.ts';
import type { Message } from '../../../../model/message.ts';
import type { Registry } from '../../../../model/registry.ts';
import type { StreamRecord } from '../../../../worker/batch/group.ts';
import { type QueueRecord, readMessage } from '../../../../worker/propagation/fan-out-batch.ts';
import type { Findings } from './findings.ts';

/** What an invocation asked of the queue: what it took, and what it refused. */
export interface HandedOn {
  readonly message: Message;
  readonly delaySeconds: number;
  readonly refused: boolean;
  readonly before: Progress;
}

/** How far an invocation had come when it asked. */
export interface Progress {
  /** Whether its time was up. */
  readonly outOfTime: boolean;
  /** Whether it had written a copy. */
  readonly written: boolean;
  /** Whether a write of a fan-out that keeps to a pace had been throttled. */
  readonly throttled: boolean;
}

/** SQS takes 1 MiB, and as much for ten messages together; and a delay of a quarter of an hour. */
const largest = 1_048_576 / 10;
const maxDelay = 900;

/** Checks what an invocation handed on, by itself: the queue must take it, and a check names its copies, unless it is of a target (invariant 4). */
export function checkMessages(
  handedOn: readonly HandedOn[],
  registry: Pick<Registry, 'aggregate'>,
  where: string,
  findings: Findings,
): void {
  for (const { message, delaySeconds } of handedOn) {
    if (Buffer.byteLength(JSON.stringify(message)) > largest)
      findings.violated(4, 'a message is larger than a queue takes ten of', where);
    const isComputation = registry.aggregate(message.rule) !== undefined;
    if (message.cause === 'check' && !isComputation && (message.copies ?? []).length === 0)
      findings.violated(4, 'a check is handed on without its copies', where);
    if (delaySeconds < 0 || delaySeconds > maxDelay)
      findings.violated(4, 'a message is to wait longer than a queue lets it', where);
  }
}

/**
 * Checks that no record is acknowledged which asked for something that the queue refused (invariant 4): those of the root, or
 * those of the copies that were checked. The records of one item are worked on together, and come again together.
 */
export function checkAcknowledged(
  records: readonly StreamRecord[],
  handedOn: readonly HandedOn[],
  failed: ReadonlyMap<string, unknown>,
  registry: Pick<Registry, 'aggregate'>,
  where: string,
  findings: Findings,
): void {
  const changes = records.filter(({ says }) => 'key' in says);
  for (const its of Map.groupBy(changes, keyOfRecord).values())
    if (its.some(({ id }) => failed.has(id)) && !its.every(({ id }) => failed.has(id)))
      findings.violated(
        4,
        'of the records of one item only some are to come again',
        `${where} ${its[0]?.id}`,
      );
  for (const { message, refused } of handedOn) {
    if (!refused) continue;
    const { cause, root, copies = [] } = message;
    if (registry.aggregate(message.rule) !== undefined) {
      // Any record of a member may have asked for it.
      if (records.length > 0 && failed.size === 0)
        findings.violated(4, 'records are acknowledged whose work the queue refused', where);
      continue;
    }
    const asking = new Set((cause === 'check' ? copies : [root]).map(keyText));
    for (const record of changes)
      if (asking.has(keyOfRecord(record)) && !failed.has(record.id))
        findings.violated(
          4,
          'a record is acknowledged whose work the queue refused',
          `${where} ${record.id}`,
        );
  }
}

/** Whether a message goes on behind a page of the one that was given. */
function isBehind(given: Message, { cursor, at = 0 }: Message): boolean {
  return cursor !== undefined || at > (given.at ?? 0);
}

/**
 * Checks how a message counts its deliveries (invariant 7): one that is handed on as it came has advanced by nothing and counts
 * one more, or keeps since when the table is away. If the time is up, it comes as it was, or begins anew if some of its page is
 * written. One that goes on behind its page begins anew.
 */
export function checkHops(
  records: readonly QueueRecord[],
  handedOn: readonly HandedOn[],
  where: string,
  findings: Findings,
): void {
  const given = records.flatMap(({ body }) => readMessage(body) ?? []);
  for (const { message, before } of handedOn) {
    const [one, ...others] = given.filter(
      ({ rule, root }) => rule === message.rule && sameKey(root, message.root),
    );
    // Of several it is not known which it came of.
    if (one === undefined || others.length > 0) continue;
    if (isDeepStrictEqual(askedIn(one), askedIn(message))) {
      if (
        message.attempts !== one.attempts + 1 &&
        !(
          before.outOfTime &&
          (message.attempts === one.attempts || (before.written && isUntried(message)))
        ) &&
        !ages(one, message)
      )
        findings.violated(7, 'a message that did not advance comes again uncounted', where);
    } else if (isBehind(one, message) && (message.attempts > 1 || hasAged(one, message)))
      findings.violated(7, 'a message that advanced counts what went before', where);
  }
}

/**
 * Checks that a fan-out goes on at its pace (invariant 7): a message that was throttled, or came with a pace, hands one on,
 * and after a throttled write one below the ceiling.
 */
export function checkPace(
  records: readonly QueueRecord[],
  handedOn: readonly HandedOn[],
  ceiling: number,
  where: string,
  findings: Findings,
): void {
  const [one, ...others] = records.flatMap(({ body }) => readMessage(body) ?? []);
  // Of several it is not known which was throttled.
  if (one === undefined || others.length > 0) return;
  for (const { message, before } of handedOn) {
    const { throttled } = before;
    if (message.recheck !== one.recheck) continue;
    const { unitsPerSecond } = message.pace ?? { unitsPerSecond: Number.POSITIVE_INFINITY };
    if ((throttled || one.pace !== undefined) && message.pace === undefined)
      findings.violated(7, 'a fan-out goes on without the pace that it kept to', where);
    else if (throttled && unitsPerSecond >= ceiling)
      findings.violated(7, 'a fan-out that was throttled goes on as fast as before', where);
  }
}

/**
 * Checks that no delivery asks for the recheck of a fan-out that it leaves unfinished (invariant 7): both would write the same
 * copies.
 */
export function checkRecheck(
  records: readonly QueueRecord[],
  handedOn: readonly HandedOn[],
  where: string,
  findings: Findings,
): void {
  const given = records.flatMap(({ body }) => readMessage(body) ?? []);
  const of = ({ rule, root }: Message) => `${rule} ${keyText(root)}`;
  for (const [about, messages] of Map.groupBy(handedOn, ({ message }) => of(message))) {
    // Of several messages it is not known which asked.
    if (given.filter((message) => of(message) === about).length > 1) continue;
    const rest = messages.filter(({ message }) => message.copies === undefined);
    if (new Set(rest.map(({ message }) => message.recheck)).size > 1)
      findings.violated(7, 'a fan-out is rechecked before its end', where);
  }
}

/** Whether a message says since when the table is away, and for as long as the one that it came of. */
function ages(one: Message, message: Message): boolean {
  if (message.unavailableSince === undefined || message.attempts !== one.attempts) return false;
  return one.unavailableSince === undefined || hasAged(one, message);
}

function isUntried({ attempts, unavailableSince }: Message): boolean {
  return attempts === 0 && unavailableSince === undefined;
}

function hasAged(one: Message, message: Message): boolean {
  return one.unavailableSince !== undefined && message.unavailableSince === one.unavailableSince;
}

function keyOfRecord({ says }: StreamRecord): string {
  return 'key' in says ? keyText(says.key) : '';
}

/** What a message asks for, in one spelling. */
function askedIn({
  rule,
  root,
  cause,
  recheck = false,
  at = 0,
  cursor = {},
  copies,
  locations = [],
}: Message) {
  return { rule, root, cause, recheck, at, cursor, copies: copies?.map(keyText).sort(), locations };
}
