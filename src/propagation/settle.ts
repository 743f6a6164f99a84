import { type CopyLocation, distinctKeys } from '../model/copy-location.ts';
import { InvalidItemError, TransientError } from '../model/errors.ts';
import { type ItemKey, keyText } from '../model/item.ts';
import { type DeadLetter, type Message, untried } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import type { Tally } from './tally.ts';

/** The most bytes of keys in one message. SQS accepts 1 MiB, for one message and for a batch of ten. */
const maxKeyBytes = 90_000;

/** The longest delay of a queue, in seconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900;

/** Sends the rest of a propagation to the queue. */
export async function requeue(
  context: PropagationContext,
  message: Message,
  delaySeconds = 0,
  tally?: Tally,
): Promise<void> {
  await send(context, message, Math.min(delaySeconds, maxDelay), tally);
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
export async function requeueLater(
  context: PropagationContext,
  message: Message,
  tally: Tally,
): Promise<void> {
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
  const now = context.clock.now();
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
  // With a new cursor, the rest is no longer the first part of its fan-out, and would send no recheck.
  if (isForLater(error) && rest.cursor !== message.cursor) await recheckLater(context, rule, message);
  await requeueAfter(context, rest, error, tally);
}

/**
 * Dead-letters work on an invalid item, and requeues work for which the table was unavailable.
 * @throws the error, if it is neither
 */
export async function requeueAfter(
  context: PropagationContext,
  message: Message,
  error: unknown,
  tally: Tally,
): Promise<void> {
  if (error instanceof InvalidItemError) {
    await deadLetter(context, { code: error.code, reason: error.message, message }, tally);
    return;
  }
  if (!isForLater(error)) throw error;
  context.telemetry.failed(error);
  await requeueWhenAvailable(context, message, tally);
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
  const { message } = deadLettered;
  const parts =
    message === undefined
      ? [deadLettered]
      : split(message).map((part) => ({ ...deadLettered, message: part }));
  await context.queue.deadLetter(parts);
  for (const part of parts) context.telemetry.deadLettered(part);
  if (tally !== undefined) tally.deadLettered += parts.length;
}

/** Whether the table was unavailable. If the queue was, nothing can be requeued. */
function isForLater(error: unknown): boolean {
  return error instanceof TransientError && error.code !== 'queue.refused';
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

/**
 * Splits a message that names more keys than one message can hold: of copies, or of locations that list them. Each part
 * names its copies, and lists no other keys: what locations say of a copy does not depend on the others.
 */
function split(message: Message): Message[] {
  const { locations = [] } = message;
  const listed = locations.filter((location) => location.in === 'keys').flatMap(({ keys }) => keys);
  const copies = message.copies ?? distinctKeys(listed);
  const lists = Map.groupBy(listed, keyText);
  let part: ItemKey[] = [];
  const parts = [part];
  let bytes = 0;
  for (const key of copies) {
    const times = 1 + (lists.get(keyText(key))?.length ?? 0);
    const size = Buffer.byteLength(JSON.stringify(key)) * times;
    if (bytes + size > maxKeyBytes && part.length > 0) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(key);
    bytes += size;
  }
  if (parts.length === 1) return [message];
  return parts.map((part) => ({
    ...message,
    copies: part,
    ...(message.locations && { locations: message.locations.map((one) => listingOnly(one, part)) }),
  }));
}

function listingOnly(location: CopyLocation, keys: readonly ItemKey[]): CopyLocation {
  if (location.in !== 'keys') return location;
  const kept = new Set(keys.map(keyText));
  return { in: 'keys', keys: location.keys.filter((key) => kept.has(keyText(key))) };
}
