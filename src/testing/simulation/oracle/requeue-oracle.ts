import { isDeepStrictEqual } from 'node:util';
import type { StreamRecord } from '../../../batch/group.ts';
import { keyText, sameKey } from '../../../model/item.ts';
import type { Message } from '../../../model/message.ts';
import { type QueueRecord, readMessage } from '../../../propagation/fan-out-batch.ts';
import type { Verdict } from './verdict.ts';

/** What an invocation asked of the queue: what it took, and what it refused. */
export interface HandedOn {
  readonly message: Message;
  readonly delaySeconds: number;
  readonly refused: boolean;
  /** Whether the time of the invocation was up by then. */
  readonly outOfTime: boolean;
}

/** SQS takes 1 MiB, and as much for ten messages together; and a delay of a quarter of an hour. */
const largest = 1_048_576 / 10;
const maxDelay = 900;

/** Checks what an invocation handed on, by itself: the queue must take it, and a check names its copies (invariant 4). */
export function judgeMessages(handedOn: readonly HandedOn[], where: string, verdict: Verdict): void {
  for (const { message, delaySeconds } of handedOn) {
    if (Buffer.byteLength(JSON.stringify(message)) > largest)
      verdict.violated(4, 'a message is larger than a queue takes ten of', where);
    if (message.cause === 'check' && (message.copies ?? []).length === 0)
      verdict.violated(4, 'a check is handed on without its copies', where);
    if (delaySeconds < 0 || delaySeconds > maxDelay)
      verdict.violated(4, 'a message is to wait longer than a queue lets it', where);
  }
}

/**
 * Checks that no record is acknowledged which asked for something that the queue refused (invariant 4): those of the root, or
 * those of the copies that were checked. The records of one item are worked on together, and come again together.
 */
export function judgeAcknowledged(
  records: readonly StreamRecord[],
  handedOn: readonly HandedOn[],
  failed: ReadonlyMap<string, unknown>,
  where: string,
  verdict: Verdict,
): void {
  const changes = records.filter(({ says }) => 'key' in says);
  for (const its of Map.groupBy(changes, keyOfRecord).values())
    if (its.some(({ id }) => failed.has(id)) && !its.every(({ id }) => failed.has(id)))
      verdict.violated(4, 'of the records of one item only some are to come again', `${where} ${its[0]?.id}`);
  for (const { message, refused } of handedOn) {
    if (!refused) continue;
    const { cause, root, copies = [] } = message;
    const asking = new Set((cause === 'check' ? copies : [root]).map(keyText));
    for (const record of changes)
      if (asking.has(keyOfRecord(record)) && !failed.has(record.id))
        verdict.violated(4, 'a record is acknowledged whose work the queue refused', `${where} ${record.id}`);
  }
}

/**
 * Checks how a message counts its deliveries (invariant 7): one that is handed on as it came has advanced by nothing and counts
 * one more, or keeps since when the table is away, unless there was no time to begin; one that goes on behind its page begins
 * anew.
 */
export function judgeHops(
  records: readonly QueueRecord[],
  handedOn: readonly HandedOn[],
  where: string,
  verdict: Verdict,
): void {
  const given = records.flatMap(({ body }) => readMessage(body) ?? []);
  for (const { message, outOfTime } of handedOn) {
    const [one, ...others] = given.filter(
      ({ rule, root }) => rule === message.rule && sameKey(root, message.root),
    );
    // Of several it is not known which it came of.
    if (one === undefined || others.length > 0) continue;
    if (isDeepStrictEqual(askedIn(one), askedIn(message))) {
      if (
        message.attempts !== one.attempts + 1 &&
        !(outOfTime && message.attempts === one.attempts) &&
        !ages(one, message)
      )
        verdict.violated(7, 'a message that did not advance comes again uncounted', where);
    } else if (message.cursor !== undefined && (message.attempts > 1 || hasAged(one, message)))
      verdict.violated(7, 'a message that advanced counts what went before', where);
  }
}

/** Whether a message says since when the table is away, and for as long as the one that it came of. */
function ages(one: Message, message: Message): boolean {
  if (message.unavailableSince === undefined || message.attempts !== one.attempts) return false;
  return one.unavailableSince === undefined || hasAged(one, message);
}

function hasAged(one: Message, message: Message): boolean {
  return one.unavailableSince !== undefined && message.unavailableSince === one.unavailableSince;
}

function keyOfRecord({ says }: StreamRecord): string {
  return 'key' in says ? keyText(says.key) : '';
}

/** What a message asks for, in one spelling. */
function askedIn({ rule, root, cause, recheck = false, cursor = {}, copies, locations = [] }: Message) {
  return { rule, root, cause, recheck, cursor, copies: copies?.map(keyText).sort(), locations };
}
