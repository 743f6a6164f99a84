import { type Message, messageSchema, type Parked, parkedSchema } from '../model/message.ts';

/**
 * What a dead letter says: what a turn parked, with its reason; a message of the fan-out queue that failed on every
 * delivery, as it was; or nothing that can be read.
 */
export type LetterContent =
  | { readonly is: 'parked'; readonly parked: Parked }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'unreadable' };

/** A letter as it was found in the dead-letter queue. */
export interface FoundLetter {
  /** The queue's own name for it, the same at each look: a message's id, a file's name. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds; a message that failed keeps the time when it was first queued. */
  readonly at: number;
  readonly content: LetterContent;
}

/** What stands in the body of a letter. Never throws: a body may be anything. */
export function readLetter(body: string): LetterContent {
  const json = parsed(body);
  const parked = parkedSchema.safeParse(json);
  if (parked.success) return { is: 'parked', parked: parked.data };
  const message = messageSchema.safeParse(json);
  return message.success ? { is: 'message', message: message.data } : { is: 'unreadable' };
}

/** The turn that a letter asks for, or undefined where it asks for none that is known. */
export function messageIn(content: LetterContent): Message | undefined {
  switch (content.is) {
    case 'parked':
      return content.parked.message;
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
