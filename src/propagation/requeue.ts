import { DenormError, InvalidItemError, TransientError } from '../model/errors.ts';
import type { ItemKey } from '../model/item.ts';
import { type DeadLetter, type Message, untried } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import type { Tally } from './tally.ts';

/** The most bytes of keys in one message. SQS accepts 1 MiB, for one message and for a batch of ten. */
const maxKeyBytes = 90_000;

/** The longest delay of a queue, in seconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900;

/** Sends the rest of a propagation to the queue, without delay. */
export async function requeue(context: PropagationContext, message: Message, tally?: Tally): Promise<void> {
  await send(context, message, 0, tally);
}

/** Copies that a propagation could not write. Each key is in one of the two lists. */
export interface UnwrittenCopies {
  /** Their conditions failed in each round. */
  readonly lost: readonly ItemKey[];
  /** DynamoDB could not write them for now. */
  readonly unavailable: readonly ItemKey[];
}

/** Requeues the unwritten copies of a page. If other copies of the page are finished, that is progress. */
export async function retryCopies(
  context: PropagationContext,
  message: Message,
  { lost, unavailable }: UnwrittenCopies,
  pageSize: number,
  tally: Tally,
): Promise<void> {
  const { cursor: _, ...named } = message;
  const again = lost.length + unavailable.length < pageSize ? untried(named) : named;
  if (lost.length > 0) await requeueLater(context, { ...again, copies: [...lost] }, tally);
  if (unavailable.length > 0)
    await requeueWhenAvailable(context, { ...again, copies: [...unavailable] }, tally);
}

/**
 * Requeues work whose conditions failed in every round. Each delivery without progress waits twice as long as the one
 * before; after the last one the work is dead-lettered, because something keeps overwriting these copies.
 */
async function requeueLater(context: PropagationContext, message: Message, tally: Tally): Promise<void> {
  // A failed condition is an answer, so DynamoDB is available.
  const { unavailableSince: _, ...answered } = message;
  const attempts = message.attempts + 1;
  if (attempts > context.settings.maxAttempts) {
    await deadLetter(
      context,
      {
        code: 'attempts.exceeded',
        reason: `Gave up after ${message.attempts} deliveries that did not advance`,
        message,
      },
      tally,
    );
    return;
  }
  await send(context, { ...answered, attempts }, Math.min(2 ** (attempts - 1), maxDelay), tally);
}

/**
 * Requeues work that DynamoDB could not do for now. It waits as long again as DynamoDB has been unavailable for it. Time
 * limits the retries, not attempts: twelve attempts would end within an outage.
 */
export async function requeueWhenAvailable(
  context: PropagationContext,
  message: Message,
  tally?: Tally,
): Promise<void> {
  const { maxUnavailableSeconds } = context.settings;
  const now = context.now();
  const since = Math.min(message.unavailableSince ?? now, now);
  const age = (now - since) / 1000;
  if (age > maxUnavailableSeconds) {
    await deadLetter(
      context,
      {
        code: 'unavailable.too-long',
        reason: `Gave up: DynamoDB was not available for this for more than ${maxUnavailableSeconds} seconds`,
        message,
      },
      tally,
    );
    return;
  }
  const delay = Math.min(Math.max(1, Math.floor(age)), maxDelay);
  await send(context, { ...message, unavailableSince: since }, delay, tally);
}

/**
 * Requeues or dead-letters what an error left unfinished.
 * @param message the message of the propagation
 * @param rest the part of its work that is not finished
 * @throws the error, if it is neither an invalid item nor an unavailable table
 */
export async function requeueRest(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  rest: Message,
  error: unknown,
  tally: Tally,
): Promise<void> {
  if (error instanceof InvalidItemError) {
    await deadLetter(context, { code: error.code, reason: error.message, message: rest }, tally);
    return;
  }
  if (!(error instanceof TransientError) || isQueueRefusal(error)) throw error;
  context.telemetry.failed(error);
  // With a new cursor, the rest is no longer the first part of its fan-out, and would send no recheck.
  if (rest.cursor !== message.cursor) await recheckLater(context, rule, message);
  await requeueWhenAvailable(context, rest, tally);
}

/** Sends one recheck for each fan-out over an index: the index may not have shown copies that had just been put. */
export async function recheckLater(context: PropagationContext, rule: Rule, message: Message): Promise<void> {
  const { rule: name, root, cause, locations } = message;
  const first = message.copies === undefined && message.cursor === undefined && message.recheck !== true;
  if (rule.located.in !== 'index' || !first || cause === 'repair') return;
  await context.queue.send(
    [{ rule: name, root, cause, ...(locations && { locations }), recheck: true, attempts: 0 }],
    context.settings.recheckDelaySeconds,
  );
}

/** Sets work aside for a person, with the reason. */
export async function deadLetter(
  context: PropagationContext,
  deadLettered: DeadLetter,
  tally?: Tally,
): Promise<void> {
  await context.queue.deadLetter([deadLettered]);
  context.telemetry.deadLettered(deadLettered);
  if (tally !== undefined) tally.deadLettered += 1;
}

function isQueueRefusal(error: unknown): boolean {
  return error instanceof DenormError && error.code === 'queue.refused';
}

async function send(
  context: PropagationContext,
  message: Message,
  delaySeconds: number,
  tally: Tally | undefined,
): Promise<void> {
  const messages = split(message);
  await context.queue.send(messages, delaySeconds);
  if (tally !== undefined) tally.requeued += messages.length;
}

/** Splits a message that names more copies than one message can hold. */
function split(message: Message): Message[] {
  const { copies } = message;
  if (copies === undefined) return [message];
  let part: ItemKey[] = [];
  const parts = [part];
  let bytes = 0;
  for (const key of copies) {
    const size = Buffer.byteLength(JSON.stringify(key));
    if (bytes + size > maxKeyBytes) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(key);
    bytes += size;
  }
  return parts.map((part) => ({ ...message, copies: part }));
}
