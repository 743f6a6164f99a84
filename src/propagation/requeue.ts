import type { ItemKey } from '../model/item.ts';
import type { Message, Parked } from '../model/message.ts';
import type { Engine } from './context.ts';
import type { Tally } from './tally.ts';

/** A message names at most so many bytes of keys: SQS takes 1 MiB, a batch of ten as much together. */
const mostKeyBytes = 90_000;

/** The longest delay of a queue, in seconds. Source: AWS, "Amazon SQS message quotas". */
const longestDelay = 900;

/** Hands the rest of a fan-out to the queue, which goes on at once where this turn stops. */
export async function defer(engine: Engine, message: Message, tally?: Tally): Promise<void> {
  await send(engine, message, 0, tally);
}

/**
 * Requeues work that lost its conditions throughout, later with each delivery that does not advance. Beyond the cap it is
 * dead-lettered: something keeps overwriting these copies.
 */
export async function retry(engine: Engine, message: Message, tally?: Tally): Promise<void> {
  // A condition that was lost is an answer: DynamoDB is available.
  const { unavailableSince: _, ...answered } = message;
  const hops = message.hops + 1;
  if (hops > engine.settings.mostHops) {
    await park(
      engine,
      {
        code: 'hops.exceeded',
        reason: `Gave up after ${message.hops} deliveries that did not advance`,
        message,
      },
      tally,
    );
    return;
  }
  await send(engine, { ...answered, hops }, Math.min(2 ** (hops - 1), longestDelay), tally);
}

/**
 * Requeues work that DynamoDB could not do for now, after as long again as that has lasted. However often it was tried,
 * it is dead-lettered only when it has lasted longer than any outage: attempts would bound an outage by minutes.
 */
export async function retryWhenAvailable(engine: Engine, message: Message, tally?: Tally): Promise<void> {
  const { maxUnavailableSeconds } = engine.settings;
  const now = engine.now();
  const since = Math.min(message.unavailableSince ?? now, now);
  const age = (now - since) / 1000;
  if (age > maxUnavailableSeconds) {
    await park(
      engine,
      {
        code: 'unavailable.too-long',
        reason: `Gave up: DynamoDB was not available for this for more than ${maxUnavailableSeconds} seconds`,
        message,
      },
      tally,
    );
    return;
  }
  const delay = Math.min(Math.max(1, Math.floor(age)), longestDelay);
  await send(engine, { ...message, unavailableSince: since }, delay, tally);
}

/** Parks what only a person can mend. */
export async function park(engine: Engine, parked: Parked, tally?: Tally): Promise<void> {
  await engine.queue.park([parked]);
  engine.telemetry.parked(parked);
  if (tally !== undefined) tally.parked += 1;
}

async function send(
  engine: Engine,
  message: Message,
  delaySeconds: number,
  tally: Tally | undefined,
): Promise<void> {
  const messages = split(message);
  await engine.queue.send(messages, delaySeconds);
  if (tally !== undefined) tally.deferred += messages.length;
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
    if (bytes + size > mostKeyBytes) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(key);
    bytes += size;
  }
  return parts.map((part) => ({ ...message, copies: part }));
}
