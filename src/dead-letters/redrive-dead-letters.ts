import { type FoundLetter, messageIn } from './dead-letter.ts';
import type { LetterLine } from './dead-letter-groups.ts';
import { type Message, untried } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import type { Budget } from '../scan/budget.ts';
import type { DeadLetterReader } from './dead-letter-reader.ts';

/** A message to send again, and the letters that asked for exactly it. */
export interface Redriven {
  readonly message: Message;
  readonly letters: readonly FoundLetter[];
}

/** What becomes of dead letters that are to be redriven. */
export interface RedrivePlan {
  readonly send: readonly Redriven[];
  /** Letters about a root that was deleted or has expired, which nobody has asked to play again. */
  readonly removals: readonly FoundLetter[];
  /** Letters of a rule that the registry does not have: they would be parked again. */
  readonly unknownRule: readonly FoundLetter[];
  /** Letters that ask for no turn: a record that was none, a body that cannot be read. */
  readonly withoutMessage: readonly FoundLetter[];
}

/** Which messages these lines ask for: each once, however many letters say it, counted from the first delivery on. */
export function planRedrive(
  lines: readonly LetterLine[],
  { registry, removals }: { readonly registry: Pick<Registry, 'rule'>; readonly removals: boolean },
): RedrivePlan {
  const send = new Map<string, { message: Message; letters: FoundLetter[] }>();
  const skipped: FoundLetter[] = [];
  const unknownRule: FoundLetter[] = [];
  const withoutMessage: FoundLetter[] = [];
  for (const letter of lines.flatMap(({ letters }) => letters)) {
    const asked = messageIn(letter.content);
    if (asked === undefined) withoutMessage.push(letter);
    else if (registry.rule(asked.rule) === undefined) unknownRule.push(letter);
    else if (isRemoval(asked) && !removals) skipped.push(letter);
    else {
      const message = untried(asked);
      const text = JSON.stringify(message);
      const same = send.get(text);
      if (same === undefined) send.set(text, { message, letters: [letter] });
      else same.letters.push(letter);
    }
  }
  return { send: [...send.values()], removals: skipped, unknownRule, withoutMessage };
}

function isRemoval({ cause }: Message): boolean {
  return cause === 'deleted' || cause === 'expired';
}

export interface RedriveWork {
  readonly send: readonly Redriven[];
  readonly reader: DeadLetterReader;
  /** Sends messages to whoever takes the turns, and returns when they are there for sure. */
  readonly deliver: (messages: readonly Message[]) => Promise<void>;
  /** Messages a second. */
  readonly budget: Budget;
  /** Asked between batches: where it says true, the rest stays. */
  readonly stop: () => boolean;
  /** Told after each batch of how many messages were delivered so far. */
  readonly onDelivered?: (messages: number) => void;
}

/** What was done before it ended, be it by an error. */
export interface RedriveOutcome {
  readonly messages: number;
  readonly letters: number;
  /** Why the rest stays; undefined where nothing does, or somebody asked to stop. */
  readonly error: unknown;
}

/** As many as one request of SQS sends, and deletes. */
const mostAtOnce = 10;

/**
 * Sends each message, and only then takes its letters out of the queue: whoever is killed in between leaves a letter that
 * is redriven once more, which does no harm. Never rejects; the outcome says what stopped it.
 */
export async function redriveLetters(work: RedriveWork): Promise<RedriveOutcome> {
  const { send, reader, deliver, budget, stop, onDelivered } = work;
  const size = Math.min(mostAtOnce, Math.max(1, Math.floor(budget.unitsPerSecond)));
  let [messages, letters] = [0, 0];
  try {
    for (let start = 0; start < send.length && !stop(); start += size) {
      const batch = send.slice(start, start + size);
      await budget.take(batch.length);
      if (stop()) break;
      await deliver(batch.map(({ message }) => message));
      messages += batch.length;
      const done = batch.flatMap((one) => one.letters);
      await reader.remove(done);
      letters += done.length;
      onDelivered?.(messages);
    }
    return { messages, letters, error: undefined };
  } catch (error) {
    return { messages, letters, error };
  }
}
