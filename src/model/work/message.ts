import type * as z from 'zod/mini';
import { distinctKeys } from '../items/copy-location.ts';
import type { causes, cursorSchema, deadLetterSchema, messageSchema } from './message-schemas.ts';

export type Cause = (typeof causes)[number];

export type Message = z.output<typeof messageSchema>;

/**
 * One message for several of the same target: a change asks for a recheck. The limits of the youngest hold, so that nothing is given
 * up because older work waits with it.
 */
export function mergeMessages(messages: readonly Message[]): Message {
  const [first] = messages;
  if (first === undefined) throw new Error('Expected at least one message to merge, got none');
  if (messages.length === 1) return first;
  const looks = messages.filter(({ recheck }) => recheck !== true);
  const { unavailableSince: _, ...message } =
    looks.find(({ cause }) => cause === 'changed') ?? looks[0] ?? first;
  const since = messages.map(({ unavailableSince }) => unavailableSince ?? Number.POSITIVE_INFINITY);
  const youngest = Math.max(...since);
  const copies = distinctKeys(messages.flatMap((one) => one.copies ?? []));
  return {
    ...message,
    ...(copies.length > 0 && { copies: [...copies] }),
    attempts: Math.min(...messages.map(({ attempts }) => attempts)),
    ...(Number.isFinite(youngest) && { unavailableSince: youngest }),
  };
}

/** With its limits reset, as if it had never been delivered. */
export function untried({ unavailableSince: _, ...message }: Message): Message {
  return { ...message, attempts: 0 };
}

/** The whole of its work, from the beginning. */
export function anew({ rule, root, cause, locations }: Message): Message {
  return { rule, root, cause, ...(locations && { locations }), attempts: 0 };
}

export type Cursor = z.output<typeof cursorSchema>;

export type DeadLetter = z.output<typeof deadLetterSchema>;

/** The rule and the key that a dead letter is about, if they are known. */
export function subjectOf({ message, about }: DeadLetter): DeadLetter['about'] {
  return message === undefined ? about : { rule: message.rule, key: message.root };
}
