import type { ItemKey } from '../model/item.ts';
import type { DeadLetter, Message } from '../model/message.ts';
import type { PropagationContext } from './context.ts';
import type { Tally } from './tally.ts';

/** A message names at most so many bytes of keys: SQS takes 1 MiB, a batch of ten as much together. */
const maxKeyBytes = 90_000;

/** The longest delay of a queue, in seconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900;

/** Hands the rest of a fan-out to the queue, which goes on at once where this propagation stops. */
export async function requeue(context: PropagationContext, message: Message, tally?: Tally): Promise<void> {
  await send(context, message, 0, tally);
}

/**
 * Requeues work that lost its conditions throughout, later with each delivery that does not advance. Beyond the cap it is
 * dead-lettered: something keeps overwriting these copies.
 */
export async function requeueLater(
  context: PropagationContext,
  message: Message,
  tally?: Tally,
): Promise<void> {
  // A condition that was lost is an answer: DynamoDB is available.
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
 * Requeues work that DynamoDB could not do for now, after as long again as that has lasted. However often it was tried,
 * it is dead-lettered only when it has lasted longer than any outage: attempts would bound an outage by minutes.
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

/** Dead-letters what only a person can mend. */
export async function deadLetter(
  context: PropagationContext,
  deadLettered: DeadLetter,
  tally?: Tally,
): Promise<void> {
  await context.queue.deadLetter([deadLettered]);
  context.telemetry.deadLettered(deadLettered);
  if (tally !== undefined) tally.deadLettered += 1;
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

/** Splits a message whose named copies are more than one message carries. */
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
