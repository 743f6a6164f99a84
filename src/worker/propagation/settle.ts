import { InvalidItemError, TransientError } from '../../model/basics/errors.ts';
import {
  type CopyLocation,
  distinctKeys,
  distinctLocations,
  isListed,
  listedKeys,
} from '../../model/items/copy-location.ts';
import { type ItemKey, keyText } from '../../model/items/item.ts';
import { memberIndexes } from '../../model/rules/aggregate.ts';
import type { BoundWriter } from '../../model/rules/bound-rule.ts';
import { policyEffects } from '../../model/rules/rule.ts';
import { owns, writtenKind } from '../../model/rules/rule-attributes.ts';
import { anew, type DeadLetter, type Message, untried } from '../../model/work/message.ts';
import type { PropagationContext, Tally } from './context.ts';

/**
 * What a delivery leaves of a message, and why. {@link settle} alone decides what becomes of it:
 *
 * - `rest`: the next page, or work that there was no time for. It is requeued.
 * - `lost`: conditions failed in every round. It is requeued; each delivery without progress waits twice as long as the one
 *   before. After the last one it is dead-lettered, because something keeps overwriting these copies.
 * - `unavailable`: DynamoDB could not do it for now. It is requeued, and waits as long again as DynamoDB has been unavailable for
 *   it. Time limits the retries, not attempts: twelve attempts would end within an outage.
 * - `recheck`: an index may not have shown all copies, or a copy that is cleared may get a late write. They are looked for again
 *   after a delay.
 * - `paused`: its rule is. It is requeued for as long as it is paused, and all limits are reset: nothing was tried.
 * - `dead-letter`: only a person can help. It is dead-lettered.
 *
 * A record or message fails, and is delivered again as it was, if the queue refuses what is left of it or nothing can be done
 * about it: {@link unfinishedBy} throws.
 */
export type Unfinished =
  | {
      readonly is: 'rest';
      readonly message: Message;
      readonly delaySeconds?: number;
      readonly code?: undefined;
    }
  | {
      readonly is: 'lost' | 'unavailable' | 'recheck' | 'paused';
      readonly message: Message;
      readonly code?: string | undefined;
    }
  | ({ readonly is: 'dead-letter' } & DeadLetter);

/** In seconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900;

/**
 * In as few requests as possible.
 * @param pace the pace that all it leaves goes on at
 * @throws TransientError `queue.refused` if the queue refuses: the record or message must not be acknowledged
 */
export async function settle(
  context: PropagationContext,
  unfinished: readonly Unfinished[],
  tally?: Tally,
  pace: Pick<Message, 'pace'> = {},
): Promise<void> {
  const sent = new Map<number, Message[]>();
  const deadLetters: DeadLetter[] = [];
  for (const one of unfinished) {
    const next = nextOf(context, one);
    if ('code' in next) {
      const { message } = next;
      deadLetters.push(...(message ? partsOf(message).map((part) => ({ ...next, message: part })) : [next]));
      continue;
    }
    const messages = partsOf(one.is === 'recheck' ? next.message : { ...next.message, ...pace });
    sent.set(next.delay, [...(sent.get(next.delay) ?? []), ...messages]);
    if (tally === undefined || one.is === 'recheck') continue;
    tally.requeued += messages.length;
    tally.requeuedFor ??= one.code;
  }
  for (const [delay, messages] of sent) await context.queue.send(messages, delay);
  if (deadLetters.length === 0) return;
  await context.queue.deadLetter(deadLetters);
  for (const letter of deadLetters) context.telemetry.deadLettered(letter);
  if (tally !== undefined) tally.deadLettered += deadLetters.length;
}

/**
 * What an error leaves of a message: `dead-letter` if an item is invalid, `unavailable` if the table is. If the invalid attribute is
 * one that the worker itself writes, its own check is putting it right: the message is tried again as if it had been overwritten.
 * @throws the error, if it is neither
 */
export function unfinishedBy(error: unknown, message: Message, context: PropagationContext): Unfinished {
  if (error instanceof InvalidItemError)
    return mayHeal(context, message, error)
      ? { is: 'lost', message, code: error.code }
      : { is: 'dead-letter', code: error.code, reason: error.message, message };
  if (!(error instanceof TransientError)) throw error;
  context.telemetry.failed(error);
  return { is: 'unavailable', message, code: error.code };
}

/** Whether a rule or an aggregate writes the attribute that is invalid, and there are attempts left until it is put right. */
export function mayHeal(
  { registry, settings }: PropagationContext,
  { attempts }: Message,
  { attribute }: InvalidItemError,
): boolean {
  if (attribute === undefined || attempts >= settings.maxAttempts) return false;
  return [...registry.rules, ...registry.aggregates].some(
    (writer) => writtenKind(writer).name === attribute.kind && owns(writer, attribute.name),
  );
}

/** A message to send after a delay in seconds, or a dead letter. */
function nextOf(
  context: PropagationContext,
  one: Unfinished,
): { readonly message: Message; readonly delay: number } | DeadLetter {
  const { recheckDelaySeconds } = context.settings;
  switch (one.is) {
    case 'rest':
      return { message: one.message, delay: Math.min(one.delaySeconds ?? 0, maxDelay) };
    case 'lost':
      return afterLost(context, one.message);
    case 'unavailable':
      return afterUnavailable(context, one.message);
    case 'recheck':
      return { message: { ...anew(one.message), recheck: true }, delay: recheckDelaySeconds };
    case 'paused':
      return { message: untried(one.message), delay: maxDelay };
    case 'dead-letter': {
      const { is: _, ...deadLetter } = one;
      return deadLetter;
    }
  }
}

function afterLost({ settings }: PropagationContext, message: Message) {
  const attempts = message.attempts + 1;
  if (attempts > settings.maxAttempts)
    return {
      code: 'attempts.exceeded',
      reason: `Gave up after ${message.attempts} deliveries that did not advance`,
      message,
    };
  // A failed condition is an answer, so DynamoDB is available.
  const { unavailableSince: _, ...answered } = message;
  return { message: { ...answered, attempts }, delay: Math.min(2 ** (attempts - 1), maxDelay) };
}

function afterUnavailable({ settings, clock }: PropagationContext, message: Message) {
  const { maxUnavailableSeconds } = settings;
  const now = clock.now();
  const unavailableSince = Math.min(message.unavailableSince ?? now, now);
  const age = (now - unavailableSince) / 1000;
  if (age > maxUnavailableSeconds)
    return {
      code: 'unavailable.too-long',
      reason: `Gave up: DynamoDB was not available for this for more than ${maxUnavailableSeconds} seconds`,
      message,
    };
  return {
    message: { ...message, unavailableSince },
    delay: Math.min(Math.max(1, Math.floor(age)), maxDelay),
  };
}

/**
 * Whether a propagation that has come to its end is rechecked: once, and not after a repair, which finds its items otherwise.
 * An index may not have shown all copies or members; a copy that had nothing to clear may get a write that was planned before
 * the root went.
 * The delivery that works on the last page asks for it, so the recheck does not overtake the fan-out. If the message itself is
 * left, it asks for the recheck when it comes to its end. One that names copies does so only for those that its locations list:
 * they may be the last of a list that took several pages. If every key of that list is left, there is nothing to look at again yet:
 * else each delivery of a copy whose key is taken would ask for one more.
 */
export function needsRecheck(
  writer: BoundWriter,
  { copies, cause, recheck, locations = [] }: Message,
  unfinished: readonly Unfinished[],
): boolean {
  if (cause === 'repair' || recheck === true) return false;
  const isOfKeys = locations.every(isListed);
  if (copies !== undefined && !isOfKeys) return false;
  if (unfinished.some(({ message }) => message?.copies === undefined)) return false;
  if (writer.is === 'aggregate')
    return copies === undefined && cause === 'changed' && memberIndexes(writer).length > 0;
  if (isOfKeys) {
    const unfinishedKeys = new Set(unfinished.flatMap(({ message }) => message?.copies ?? []).map(keyText));
    if (locations.flatMap(listedKeys).every((key) => unfinishedKeys.has(keyText(key)))) return false;
  }
  return (
    locations.some((one) => one.in === 'index') ||
    ((cause === 'deleted' || locations.length > 1) && policyEffects[writer.onDelete].clears) ||
    (cause === 'expired' && policyEffects[writer.onExpire].clears)
  );
}

/** SQS accepts 1 MiB, for one message and for a batch of ten. */
const maxMessageBytes = 100_000;

/** Its locations list no other keys: what they say of a copy does not depend on the others. */
export function naming({ cursor: _, at: __, ...message }: Message, copies: readonly ItemKey[]): Message {
  const { locations } = message;
  return { ...message, copies: [...copies], ...(locations && { locations: listing(locations, copies) }) };
}

/** The last location stays, even if it lists none of the keys: the root has left the others. */
function listing(locations: readonly CopyLocation[], keys: readonly ItemKey[]): CopyLocation[] {
  const kept = new Set(keys.map(keyText));
  const last = locations.at(-1);
  const some = locations.flatMap((location): CopyLocation[] => {
    if (!isListed(location)) return [location];
    const keys = listedKeys(location).filter((key) => kept.has(keyText(key)));
    if (keys.length === 0 && location !== last) return [];
    return [location.in === 'keys' ? { in: 'keys', keys } : location];
  });
  return distinctLocations(some);
}

/**
 * Messages that the queue accepts. One that is too large is halved: first its copies, or the keys that its locations list; then
 * the locations that the root has left. Each half begins at its first location.
 */
export function partsOf(message: Message): readonly Message[] {
  if (Buffer.byteLength(JSON.stringify(message)) <= maxMessageBytes) return [message];
  const { locations = [] } = message;
  const listed = locations.every(isListed) ? locations.flatMap(listedKeys) : [];
  const copies = message.copies ?? distinctKeys(listed);
  if (copies.length > 1) return halves(copies).flatMap((half) => partsOf(naming(message, half)));
  if (locations.length < 3) return [message];
  const { cursor: _, at: __, ...whole } = message;
  return halves(locations.slice(0, -1)).flatMap((half) =>
    partsOf({ ...whole, locations: [...half, ...locations.slice(-1)] }),
  );
}

function halves<Entry>(list: readonly Entry[]): readonly (readonly Entry[])[] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}
