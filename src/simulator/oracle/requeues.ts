import { isDeepStrictEqual } from 'node:util';
import { keyText, sameKey } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import type { Settings } from '../../worker/ports.ts';
import { type QueueRecord, readMessage } from '../../worker/propagation/fan-out-batch.ts';
import type { Findings } from './findings.ts';

export interface Requeue {
  readonly message: Message;
  readonly delaySeconds: number;
  readonly refused: boolean;
  readonly before: InvocationProgress;
}

export interface InvocationProgress {
  readonly outOfTime: boolean;
  readonly written: boolean;
  /** Whether writes of a fan-out that keeps to a pace were throttled. */
  readonly throttled: boolean;
}

export interface DeadLettered {
  readonly letter: DeadLetter;
  /** When its invocation asked for it, in epoch milliseconds. */
  readonly at: number;
}

export interface Answered {
  readonly registry: Pick<Registry, 'aggregate'>;
  readonly messages: readonly QueueRecord[];
  readonly records: readonly StreamRecord[];
  readonly requeues: readonly Requeue[];
  readonly deadLettered: readonly DeadLettered[];
  /** The ids of what is to come again. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Whether it was given an empty page, and where that ended: such a page is an advance, though it held nothing. */
  readonly emptied: boolean;
  /** Rules whose messages may come again as they were, because they are paused. */
  readonly everPaused: ReadonlySet<string>;
  readonly settings: Pick<Settings, 'fanOutWriteUnits' | 'maxAttempts' | 'maxUnavailableSeconds'>;
}

/** SQS takes 1 MiB, and as much for ten messages together; and a delay of a quarter of an hour. */
const largest = 1_048_576 / 10;
const maxDelay = 900;

/** Checks what an invocation sent to the queue, and what it acknowledged (promises 4 and 7). */
export function checkRequeues(answered: Answered, where: string, findings: Findings): void {
  const { registry, requeues, settings, emptied, everPaused } = answered;
  const given = answered.messages.flatMap(({ body }) => readMessage(body) ?? []);
  for (const { message, delaySeconds, before } of requeues) {
    if (Buffer.byteLength(JSON.stringify(message)) > largest)
      findings.violated(4, 'a message is larger than a queue takes ten of', where);
    const isComputation = registry.aggregate(message.rule) !== undefined;
    if (message.cause === 'check' && !isComputation && (message.copies ?? []).length === 0)
      findings.violated(4, 'a check is handed on without its copies', where);
    if (delaySeconds < 0 || delaySeconds > maxDelay)
      findings.violated(4, 'a message is to wait longer than a queue lets it', where);
    const [one, ...others] = given.filter((other) => isOfSameRoot(message, other));
    // Of several it is not known which it came of.
    if (one === undefined || others.length > 0) continue;
    if (everPaused.has(one.rule) && isPostponed(one, message, delaySeconds)) continue;
    const count = emptied ? undefined : miscount(one, message, before);
    if (count !== undefined) findings.violated(7, count, where);
    const pace = given.length > 1 ? undefined : lostPace(one, message, before, settings.fanOutWriteUnits);
    if (pace !== undefined) findings.violated(7, pace, where);
  }
  for (const { message } of requeues)
    if (message.recheck !== true && isRechecked(message, requeues, given))
      findings.violated(7, 'a fan-out is rechecked before its end', where);
  checkLimits(answered, given, where, findings);
  checkAcknowledged(answered, where, findings);
}

export function isGivenUp({ code }: DeadLetter): boolean {
  return code === 'attempts.exceeded' || code === 'unavailable.too-long';
}

/** Nothing is given up before its own limits, whatever waits with it. All messages of a target are given up as one; of those of a root, any may have been. */
function checkLimits(
  { registry, settings, deadLettered }: Answered,
  given: readonly Message[],
  where: string,
  findings: Findings,
): void {
  for (const { letter, at } of deadLettered) {
    const { code, message } = letter;
    if (message === undefined || !isGivenUp(letter)) continue;
    const isOver = ({ attempts, unavailableSince = at }: Message) =>
      code === 'attempts.exceeded'
        ? attempts >= settings.maxAttempts
        : at - unavailableSince > settings.maxUnavailableSeconds * 1000;
    const isTotals = registry.aggregate(message.rule) !== undefined;
    const its = given.filter((one) => isOfSameRoot(one, message) && mayLeave(one, message, isTotals));
    if (its.length === 0 || !(isTotals ? its.every(isOver) : its.some(isOver)))
      findings.violated(7, 'work is given up before its own limits', where);
  }
}

/** Whether a message may have been left of another. One that names members is never left of a computation of their target. */
function mayLeave({ copies: given }: Message, { copies = [] }: Message, isTotals: boolean): boolean {
  if (given === undefined) return !isTotals || copies.length === 0;
  const givenKeys = new Set(given.map(keyText));
  return copies.some((copy) => givenKeys.has(keyText(copy)));
}

/** No record is acknowledged whose work the queue refused; the records of one item come again together. */
function checkAcknowledged(
  { registry, records, requeues, failed }: Answered,
  where: string,
  findings: Findings,
): void {
  const changes = records.filter(({ parsed }) => 'key' in parsed);
  for (const its of Map.groupBy(changes, keyOfRecord).values())
    if (its.some(({ id }) => failed.has(id)) && !its.every(({ id }) => failed.has(id)))
      findings.violated(
        4,
        'of the records of one item only some are to come again',
        `${where} ${its[0]?.id}`,
      );
  for (const { message, refused } of requeues) {
    if (!refused) continue;
    const { rule, cause, root, copies = [] } = message;
    const asking = new Set((cause === 'check' ? copies : [root]).map(keyText));
    // Any record of a member may have asked for a computation.
    const isAcknowledged =
      registry.aggregate(rule) !== undefined
        ? records.length > 0 && failed.size === 0
        : changes.some((record) => asking.has(keyOfRecord(record)) && !failed.has(record.id));
    if (isAcknowledged) findings.violated(4, 'a record is acknowledged whose work the queue refused', where);
  }
}

/** Requeued as it came, it counts one more or keeps `unavailableSince`; if time is up, it comes as it was, or anew; behind its page it begins anew. */
function miscount(
  one: Message,
  message: Message,
  { outOfTime, written }: InvocationProgress,
): string | undefined {
  const hasAged = one.unavailableSince !== undefined && message.unavailableSince === one.unavailableSince;
  if (!isDeepStrictEqual(askedIn(one), askedIn(message))) {
    const isBehind = message.cursor !== undefined || (message.at ?? 0) > (one.at ?? 0);
    const isWrong = isBehind && (message.attempts > 1 || hasAged);
    return isWrong ? 'a message that advanced counts what went before' : undefined;
  }
  const { attempts, unavailableSince } = message;
  const isKept = attempts === one.attempts;
  const ages = unavailableSince !== undefined && isKept && (one.unavailableSince === undefined || hasAged);
  const isAnew = written && attempts === 0 && unavailableSince === undefined;
  const isRight = attempts === one.attempts + 1 || (outOfTime && (isKept || isAnew)) || ages;
  return isRight ? undefined : 'a message that did not advance comes again uncounted';
}

/** Whether it comes again as late as can be, with nothing counted. */
function isPostponed(one: Message, message: Message, delaySeconds: number): boolean {
  const isUncounted = message.attempts === 0 && message.unavailableSince === undefined;
  return delaySeconds === maxDelay && isUncounted && isDeepStrictEqual(askedIn(one), askedIn(message));
}

/** A message that was throttled, or came with a pace, goes on with one, and after a throttled write with one below the ceiling. */
function lostPace(
  one: Message,
  message: Message,
  { throttled }: InvocationProgress,
  ceiling: number,
): string | undefined {
  if (message.recheck !== one.recheck) return undefined;
  if ((throttled || one.pace !== undefined) && message.pace === undefined)
    return 'a fan-out goes on without the pace that it kept to';
  const isSlower = (message.pace?.unitsPerSecond ?? Number.POSITIVE_INFINITY) < ceiling;
  return throttled && !isSlower ? 'a fan-out that was throttled goes on as fast as before' : undefined;
}

/** Whether a delivery asks for the recheck of a fan-out that it leaves unfinished: both would write the same copies. */
function isRechecked(rest: Message, requeues: readonly Requeue[], given: readonly Message[]): boolean {
  // Of several messages it is not known which asked.
  if (rest.copies !== undefined || given.filter((one) => isOfSameRoot(rest, one)).length > 1) return false;
  return requeues.some(
    ({ message }) => message.recheck === true && message.copies === undefined && isOfSameRoot(rest, message),
  );
}

function isOfSameRoot(one: Message, other: Message): boolean {
  return one.rule === other.rule && sameKey(one.root, other.root);
}

function keyOfRecord({ parsed }: StreamRecord): string {
  return 'key' in parsed ? keyText(parsed.key) : '';
}

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
