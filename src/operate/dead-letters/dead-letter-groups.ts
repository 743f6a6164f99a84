import { createHash } from 'node:crypto';
import type { ItemKey } from '../../model/items/item.ts';
import { type Cause, subjectOf } from '../../model/work/message.ts';
import type { FoundDeadLetter } from './dead-letter.ts';

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
  return [...byId].flatMap(([id, about]) => groupOf(id, about)).sort((a, b) => a.oldest - b.oldest);
}

function groupOf(id: string, about: readonly FoundDeadLetter[]): DeadLetterGroup[] {
  const deadLetters = about.toSorted((a, b) => a.at - b.at);
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  return deadLetters.slice(-1).map((newest) => {
    const [oldest = newest] = deadLetters;
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
  });
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
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 12);
}
