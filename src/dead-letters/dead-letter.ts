import { type DeadLetter, deadLetterSchema, type Message, messageSchema } from '../model/message.ts';

/**
 * What a dead letter says: what a propagation dead-lettered, with its reason; a message of the fan-out queue that failed on every
 * delivery, as it was; or nothing that can be read.
 */
export type DeadLetterContent =
  | { readonly is: 'dead-lettered'; readonly deadLettered: DeadLetter }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'unreadable' };

/** A dead letter as it was found in the dead-letter queue. */
export interface FoundDeadLetter {
  /** The queue's own name for it, the same at each look: a message's id, a file's name. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds; a message that failed keeps the time when it was first queued. */
  readonly at: number;
  readonly content: DeadLetterContent;
}

/** What stands in the body of a dead letter. Never throws: a body may be anything. */
export function readDeadLetter(body: string): DeadLetterContent {
  const json = parsed(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return { is: 'dead-lettered', deadLettered: deadLettered.data };
  const message = messageSchema.safeParse(json);
  return message.success ? { is: 'message', message: message.data } : { is: 'unreadable' };
}

/** The propagation that a dead letter asks for, or undefined where it asks for none that is known. */
export function messageIn(content: DeadLetterContent): Message | undefined {
  switch (content.is) {
    case 'dead-lettered':
      return content.deadLettered.message;
    case 'message':
      return content.message;
    case 'unreadable':
      return undefined;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
