import type { ItemKey } from '../domain/item.ts';
import type { Message, Parked } from '../domain/message.ts';
import type { Engine } from './engine.ts';
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
 * Hands work that could not be done for now to the queue, later with each delivery that does not advance, and to the
 * dead letters beyond the cap.
 */
export async function retry(engine: Engine, message: Message, tally?: Tally): Promise<void> {
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
  await send(engine, { ...message, hops }, Math.min(2 ** (hops - 1), longestDelay), tally);
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
