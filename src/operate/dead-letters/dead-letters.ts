import { hash } from 'node:crypto';
import { DenormError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { ItemKey } from '../../model/items/item.ts';
import { type Cause, type DeadLetter, subjectOf } from '../../model/work/message.ts';
import { deadLetterSchema, messageSchema } from '../../model/work/message-schemas.ts';
import { type FailedBatches, readFailedBatch, type StoredBatch } from './failed-batch.ts';

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

export interface LookOptions {
  /** Then the look ends. */
  readonly stop?: () => boolean;
  readonly onProgress?: (found: number, about: number) => void;
}

/** Dead letters that were looked at are hidden from others until {@link close}. Throws as the table's port does. */
export interface DeadLetterReader {
  /**
   * @param take each dead letter once, as soon as it is read
   * @returns about how many more the queue holds: hidden by another reader, or not read because the look was stopped
   */
  look(take: (deadLetter: FoundDeadLetter) => void, options?: LookOptions): Promise<number>;
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
  readonly count: number;
  /** Whether it holds a message, or a batch that is not known to be invalid, and so something to run again. */
  readonly isRedrivable: boolean;
}

/** With its dead letters, the oldest first. */
export interface HeldGroup extends DeadLetterGroup {
  readonly deadLetters: readonly FoundDeadLetter[];
}

/** Groups dead letters as they are read, and holds none of them. */
export class DeadLetterGroups {
  private readonly byId = new Map<string, DeadLetterGroup>();

  /** @returns the id of its group */
  add(deadLetter: FoundDeadLetter): string {
    const id = groupId(deadLetter);
    const { code, reason, message, batch, record, at } = deadLetter;
    const before = this.byId.get(id);
    const { causes = [], oldest = at, newest = at, count = 0 } = before ?? {};
    const isNew = message !== undefined && !causes.includes(message.cause);
    const subject = subjectOf(deadLetter);
    this.byId.set(id, {
      ...(before !== undefined && at < newest
        ? before
        : { id, rule: subject?.rule, key: subject?.key, record: batch?.key ?? record, code, reason }),
      // A spread would make an array with room for 17.
      causes: isNew ? causes.concat(message.cause) : causes,
      oldest: Math.min(oldest, at),
      newest: Math.max(newest, at),
      count: count + 1,
      isRedrivable:
        before?.isRedrivable === true || ((message ?? batch) !== undefined && code !== unreadable),
    });
    return id;
  }

  /** The group with the oldest dead letter first. */
  all(): readonly DeadLetterGroup[] {
    return [...this.byId.values()].sort((a, b) => a.oldest - b.oldest);
  }
}

/** With the dead letters, for those who show, run again or remove them. */
export function groupDeadLetters(deadLetters: readonly FoundDeadLetter[]): readonly HeldGroup[] {
  const groups = new DeadLetterGroups();
  const byId = Map.groupBy(deadLetters, (one) => groups.add(one));
  const held = (id: string) => (byId.get(id) ?? []).toSorted((a, b) => a.at - b.at);
  return groups.all().map((group) => ({ ...group, deadLetters: held(group.id) }));
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
    async look(take, options) {
      const unseen = (await reader?.look(take, options)) ?? 0;
      await takeBatches(sources, take, options);
      return unseen;
    },
    async remove(deadLetters) {
      for (const { batch } of deadLetters) await batch?.batches.remove(batch.key);
      const others = deadLetters.filter(({ batch }) => batch === undefined);
      if (others.length > 0) await reader?.remove(others);
    },
    close: async () => (await reader?.close()) ?? 0,
  };
}

async function takeBatches(
  sources: readonly FailedBatches[],
  take: (batch: FoundDeadLetter) => void,
  { stop = () => false }: LookOptions = {},
): Promise<void> {
  for (const batches of sources)
    for await (const key of batches.keys()) {
      if (stop()) return;
      const reason = `Lambda gave up a batch of ${batches.owner ?? 'a function'}: see its errors alarm`;
      take({ id: key, at: timeIn(key), code: 'batch.given-up', reason, batch: { batches, key } });
    }
}

const unreadable = 'batch.unreadable';

/**
 * A failed batch, once it is read: an invalid one can only be dropped.
 * @returns undefined if it is gone; as it was, with why, if it could not be read
 */
export async function asRead(found: FoundDeadLetter): Promise<FoundDeadLetter | undefined> {
  const { batch } = found;
  if (batch === undefined) return found;
  try {
    const text = await batch.batches.read(batch.key);
    if (text === undefined) return undefined;
    const read = readFailedBatch(text);
    if (!('unreadable' in read)) return found;
    return { ...found, code: unreadable, reason: `No redrive can run it: ${read.unreadable}` };
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    return { ...found, reason: `${found.reason}; it was not read: ${error.message}` };
  }
}

/** The time in the name that Lambda gives an object, `…/2026-11-20T10.11.12-<UUID>`; 0 for another name. */
function timeIn(key: string): number {
  const [, day, hours, minutes, seconds] = /(\d{4}-\d\d-\d\d)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) || 0;
}
