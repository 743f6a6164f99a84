import { nothingPaused, type Pauses } from '../../model/rules/pauses.ts';
import { isInForce, type Registry } from '../../model/rules/registry.ts';
import { type Message, untried } from '../../model/work/message.ts';
import type { Budget } from '../../worker/budget.ts';
import type { DeadLetterReader, FoundDeadLetter, HeldGroup } from './dead-letters.ts';
import type { StoredBatch } from './failed-batch.ts';

/** A message to send again, and the dead letters with exactly this message. */
interface Redriven {
  readonly message: Message;
  readonly deadLetters: readonly FoundDeadLetter[];
}

/**
 * Why a dead letter is kept:
 * - `removals`: it is about a root that was deleted or has expired, and removals were not requested;
 * - `unknownRule`: its rule does not exist, so it would be dead-lettered again;
 * - `paused`: its rule is, and no queue would hold it until that is over;
 * - `withoutMessage`: it is an invalid record, or an unreadable body.
 */
export type KeptBecause = 'removals' | 'unknownRule' | 'paused' | 'withoutMessage';

export interface RedrivePlan {
  readonly send: readonly Redriven[];
  readonly batches: readonly StoredBatch[];
  readonly kept: Readonly<Record<KeptBecause, readonly FoundDeadLetter[]>>;
}

/**
 * Each message once, with its attempts reset.
 * @param paused rules whose messages are kept
 */
export function planRedrive(
  groups: readonly HeldGroup[],
  {
    registry,
    allowRemove,
    paused = nothingPaused,
  }: {
    readonly registry: Pick<Registry, 'rule' | 'aggregate'>;
    readonly allowRemove: boolean;
    readonly paused?: Pauses;
  },
): RedrivePlan {
  const send = new Map<string, { message: Message; deadLetters: FoundDeadLetter[] }>();
  const batches: StoredBatch[] = [];
  const kept: Record<KeptBecause, FoundDeadLetter[]> = {
    ...{ removals: [], unknownRule: [], paused: [], withoutMessage: [] },
  };
  for (const deadLetter of groups.flatMap(({ deadLetters }) => deadLetters)) {
    const { batch, message: failed } = deadLetter;
    if (batch !== undefined) batches.push(batch);
    else if (failed === undefined) kept.withoutMessage.push(deadLetter);
    else if (!isInForce(registry, failed.rule)) kept.unknownRule.push(deadLetter);
    else if (paused.has(failed.rule)) kept.paused.push(deadLetter);
    else if (isRemoval(failed) && !allowRemove) kept.removals.push(deadLetter);
    else {
      const message = untried(failed);
      const text = JSON.stringify(message);
      const same = send.get(text);
      if (same === undefined) send.set(text, { message, deadLetters: [deadLetter] });
      else same.deadLetters.push(deadLetter);
    }
  }
  return { send: [...send.values()], batches, kept };
}

/** Whether it is about a root that was deleted or has expired: its copies may be removed. */
export function isRemoval({ cause }: Pick<Message, 'cause'>): boolean {
  return cause === 'deleted' || cause === 'expired';
}

export interface RedriveWork {
  readonly send: readonly Redriven[];
  readonly reader: DeadLetterReader;
  /** Resolves when they are accepted. */
  readonly deliver: (messages: readonly Message[]) => Promise<void>;
  /** Messages a second. */
  readonly budget: Budget;
  readonly stop: () => boolean;
  readonly onDelivered?: (messages: number) => void;
}

/** What was done, even if an error ended the redrive. */
export interface RedriveOutcome {
  readonly messages: number;
  readonly deadLetters: number;
  /** Why the remaining dead letters stay; undefined if none do, or if the redrive was stopped. */
  readonly error: unknown;
}

/** The maximum of one SQS request to send or delete. */
const maxAtOnce = 10;

/** Sends messages, then removes their dead letters: if it is killed in between, some are redriven twice. Never rejects. */
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
