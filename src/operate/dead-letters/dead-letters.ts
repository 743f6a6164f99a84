import { hash } from 'node:crypto';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { ItemKey } from '../../model/items/item.ts';
import { type Cause, type DeadLetter, subjectOf } from '../../model/work/message.ts';
import { deadLetterSchema, messageSchema } from '../../model/work/message-schemas.ts';
import type { FailedBatches, StoredBatch } from './failed-batch.ts';

/** A dead letter in the queue, or a batch of stream records that Lambda gave up, in a failure bucket. */
export interface FoundDeadLetter extends DeadLetter {
  /** The queue's id for it, the same at each look: a message id, a file name or an object key. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds. For a failed message, when it was first queued. */
  readonly at: number;
  readonly batch?: StoredBatch;
}

/** What the worker dead-lettered, or a fan-out message that failed on every delivery. A body may be anything. */
export function readDeadLetter(body: string): DeadLetter {
  const json = jsonOrUndefined(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return deadLettered.data;
  const message = messageSchema.safeParse(json);
  if (message.success)
    return {
      code: 'message.failed',
      reason: 'Failed on every delivery: see the log of FanOut',
      message: message.data,
    };
  return {
    code: 'dead-letter.unreadable',
    reason: 'The body is neither a dead letter nor a message: it can only be dropped',
  };
}

interface Look {
  readonly deadLetters: readonly FoundDeadLetter[];
  /** About how many more the queue holds: hidden by another reader, or not read because the look was stopped. */
  readonly unseen: number;
}

export interface LookOptions {
  /** Then the look returns what it has found so far. */
  readonly stop?: () => boolean;
  readonly onFound?: (found: number, about: number) => void;
}

/** Dead letters that were looked at are hidden from others until {@link close}. Throws as the table's port does. */
export interface DeadLetterReader {
  look(options?: LookOptions): Promise<Look>;
  remove(deadLetters: readonly FoundDeadLetter[]): Promise<void>;
  /**
   * Makes the others visible again. Never rejects.
   * @returns how many only the queue itself makes visible, after a while
   */
  close(): Promise<number>;
}

/** Dead letters with the same subject: a rule and root or item, an invalid record, a failed batch, or an unreadable body. */
export interface DeadLetterGroup {
  /** Twelve hexadecimal digits from the subject: the same in every process. */
  readonly id: string;
  readonly rule: string | undefined;
  readonly key: ItemKey | undefined;
  /** The id of the record or message, or the key of the batch, if the dead letters contain no message. */
  readonly record: string | undefined;
  /** Of the newest dead letter, as the reason. */
  readonly code: string;
  readonly reason: string;
  readonly causes: readonly Cause[];
  /** When its oldest and newest dead letters were sent, in epoch milliseconds. */
  readonly oldest: number;
  readonly newest: number;
  readonly deadLetters: readonly FoundDeadLetter[];
}

/** The group with the oldest dead letter first. */
export function groupDeadLetters(deadLetters: readonly FoundDeadLetter[]): readonly DeadLetterGroup[] {
  const byId = Map.groupBy(deadLetters, groupId);
  return [...byId].flatMap(([id, some]) => groupOf(id, some) ?? []).sort((a, b) => a.oldest - b.oldest);
}

function groupOf(id: string, some: readonly FoundDeadLetter[]): DeadLetterGroup | undefined {
  const deadLetters = some.toSorted((a, b) => a.at - b.at);
  const [oldest, newest] = [deadLetters[0], deadLetters.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  const subject = subjectOf(newest);
  return {
    id,
    rule: subject?.rule,
    key: subject?.key,
    record: newest.batch?.key ?? newest.record,
    code: newest.code,
    reason: newest.reason,
    oldest: oldest.at,
    newest: newest.at,
    deadLetters,
    causes: [...new Set(messages.map(({ cause }) => cause))],
  };
}

function groupId({ id, code, message, about: item, record, batch }: FoundDeadLetter): string {
  const about =
    message !== undefined
      ? ['root', message.rule, message.root.pk, message.root.sk]
      : item !== undefined
        ? ['item', item.rule, item.key.pk, item.key.sk]
        : batch !== undefined
          ? ['batch', batch.batches.name, id]
          : record !== undefined
            ? ['record', code, record]
            : ['dead letter', id];
  return hash('sha256', JSON.stringify(about)).slice(0, 12);
}

/**
 * One list of all that failed: the dead letters of a queue, then the batches that Lambda gave up.
 * @param reader undefined where only failed batches are named
 */
export function withFailedBatches(
  reader: DeadLetterReader | undefined,
  sources: readonly FailedBatches[],
): DeadLetterReader {
  return {
    async look(options) {
      const { deadLetters = [], unseen = 0 } = (await reader?.look(options)) ?? {};
      return { deadLetters: [...deadLetters, ...(await batchesIn(sources, options))], unseen };
    },
    async remove(deadLetters) {
      for (const { batch } of deadLetters) await batch?.batches.remove(batch.key);
      const others = deadLetters.filter(({ batch }) => batch === undefined);
      if (others.length > 0) await reader?.remove(others);
    },
    close: async () => (await reader?.close()) ?? 0,
  };
}

async function batchesIn(
  sources: readonly FailedBatches[],
  { stop = () => false }: LookOptions = {},
): Promise<readonly FoundDeadLetter[]> {
  const found: FoundDeadLetter[] = [];
  for (const batches of sources)
    for await (const key of batches.keys()) {
      if (stop()) return found;
      const reason = `Lambda gave up a batch of ${batches.owner ?? 'a function'}: see its errors alarm`;
      found.push({ id: key, at: timeIn(key), code: 'batch.given-up', reason, batch: { batches, key } });
    }
  return found;
}

/** The time in the name that Lambda gives an object, `…/2026-11-20T10.11.12-<UUID>`; 0 for another name. */
function timeIn(key: string): number {
  const [, day, hours, minutes, seconds] = /(\d{4}-\d\d-\d\d)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) || 0;
}
