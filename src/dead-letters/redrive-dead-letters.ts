import { type Message, untried } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import type { Budget } from '../scan/budget.ts';
import { type DeadLetterReader, type FoundDeadLetter, messageIn } from './dead-letter.ts';
import type { DeadLetterGroup } from './dead-letter-groups.ts';

/** A message to send again, and the dead letters that asked for exactly it. */
export interface Redriven {
  readonly message: Message;
  readonly deadLetters: readonly FoundDeadLetter[];
}

/** What becomes of dead letters that are to be redriven. */
export interface RedrivePlan {
  readonly send: readonly Redriven[];
  /** Letters about a root that was deleted or has expired, which nobody has asked to play again. */
  readonly removals: readonly FoundDeadLetter[];
  /** Letters of a rule that the registry does not have: they would be dead-lettered again. */
  readonly unknownRule: readonly FoundDeadLetter[];
  /** Letters that ask for no propagation: a record that was none, a body that cannot be read. */
  readonly withoutMessage: readonly FoundDeadLetter[];
}

/** Which messages these lines ask for: each once, however many dead letters say it, counted from the first delivery on. */
export function planRedrive(
  lines: readonly DeadLetterGroup[],
  { registry, removals }: { readonly registry: Pick<Registry, 'rule'>; readonly removals: boolean },
): RedrivePlan {
  const send = new Map<string, { message: Message; deadLetters: FoundDeadLetter[] }>();
  const skipped: FoundDeadLetter[] = [];
  const unknownRule: FoundDeadLetter[] = [];
  const withoutMessage: FoundDeadLetter[] = [];
  for (const deadLetter of lines.flatMap(({ deadLetters }) => deadLetters)) {
    const asked = messageIn(deadLetter.content);
    if (asked === undefined) withoutMessage.push(deadLetter);
    else if (registry.rule(asked.rule) === undefined) unknownRule.push(deadLetter);
    else if (isRemoval(asked) && !removals) skipped.push(deadLetter);
    else {
      const message = untried(asked);
      const text = JSON.stringify(message);
      const same = send.get(text);
      if (same === undefined) send.set(text, { message, deadLetters: [deadLetter] });
      else same.deadLetters.push(deadLetter);
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
  /** Sends messages to whoever runs the propagations, and returns when they are there for sure. */
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
  readonly deadLetters: number;
  /** Why the rest stays; undefined where nothing does, or somebody asked to stop. */
  readonly error: unknown;
}

/** As many as one request of SQS sends, and deletes. */
const maxAtOnce = 10;

/**
 * Sends each message, and only then takes its dead letters out of the queue: whoever is killed in between leaves a dead letter that
 * is redriven once more, which does no harm. Never rejects; the outcome says what stopped it.
 */
export async function redriveDeadLetters(work: RedriveWork): Promise<RedriveOutcome> {
  const { send, reader, deliver, budget, stop, onDelivered } = work;
  const size = Math.min(maxAtOnce, Math.max(1, Math.floor(budget.unitsPerSecond)));
  let [messages, deadLetters] = [0, 0];
  try {
    for (let start = 0; start < send.length && !stop(); start += size) {
      const batch = send.slice(start, start + size);
      await budget.take(batch.length);
      if (stop()) break;
      await deliver(batch.map(({ message }) => message));
      messages += batch.length;
      const done = batch.flatMap((one) => one.deadLetters);
      await reader.remove(done);
      deadLetters += done.length;
      onDelivered?.(messages);
    }
    return { messages, deadLetters, error: undefined };
  } catch (error) {
    return { messages, deadLetters, error };
  }
}
