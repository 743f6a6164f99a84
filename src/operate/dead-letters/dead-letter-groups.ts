import { createHash } from 'node:crypto';
import type { ItemKey } from '../../model/item.ts';
import type { Cause } from '../../model/message.ts';
import { type DeadLetterContent, type FoundDeadLetter, messageIn } from './dead-letter.ts';

/** Dead letters with the same subject: a rule and root, an invalid record, a failed batch, or an unreadable body. */
export interface DeadLetterGroup {
  /** Twelve hexadecimal digits from the subject: the same in every process. */
  readonly id: string;
  readonly rule: string | undefined;
  readonly key: ItemKey | undefined;
  /** The id of the record or message, or the key of the batch, if the dead letters contain no message. */
  readonly record: string | undefined;
  /** From the newest dead letter. */
  readonly code: string;
  /** From the newest dead letter. */
  readonly reason: string;
  /** The causes of all its dead letters, without duplicates. */
  readonly causes: readonly Cause[];
  /** When its oldest and newest dead letters were sent, in epoch milliseconds. */
  readonly oldest: number;
  readonly newest: number;
  /** Oldest first. */
  readonly deadLetters: readonly FoundDeadLetter[];
}

/** Groups dead letters by rule and root, the group with the oldest dead letter first. */
export function groupDeadLetters(deadLetters: readonly FoundDeadLetter[]): readonly DeadLetterGroup[] {
  const byId = new Map<string, FoundDeadLetter[]>();
  for (const deadLetter of deadLetters) {
    const id = groupId(deadLetter);
    const others = byId.get(id);
    if (others === undefined) byId.set(id, [deadLetter]);
    else others.push(deadLetter);
  }
  return [...byId].map(([id, about]) => groupOf(id, about)).sort((a, b) => a.oldest - b.oldest);
}

function groupOf(id: string, about: readonly FoundDeadLetter[]): DeadLetterGroup {
  const deadLetters = about.toSorted((a, b) => a.at - b.at);
  const messages = deadLetters.flatMap(({ content }) => messageIn(content) ?? []);
  const newest = deadLetters.at(-1);
  const content = newest?.content;
  return {
    id,
    rule: messages[0]?.rule,
    key: messages[0]?.root,
    record: recordIn(content),
    ...why(newest),
    causes: [...new Set(messages.map(({ cause }) => cause))],
    oldest: deadLetters[0]?.at ?? 0,
    newest: newest?.at ?? 0,
    deadLetters,
  };
}

function recordIn(content: DeadLetterContent | undefined): string | undefined {
  if (content?.is === 'batch') return content.batch.key;
  return content?.is === 'dead-lettered' ? content.deadLettered.record : undefined;
}

function why(deadLetter: FoundDeadLetter | undefined): { code: string; reason: string } {
  switch (deadLetter?.content.is) {
    case 'dead-lettered':
      return { code: deadLetter.content.deadLettered.code, reason: deadLetter.content.deadLettered.reason };
    case 'message':
      return { code: 'message.failed', reason: 'Failed on every delivery: see the log of FanOut' };
    case 'batch':
      return {
        code: 'batch.given-up',
        reason: `Lambda gave up a batch of ${deadLetter.content.batch.owner ?? 'a function'}: see its errors alarm`,
      };
    default:
      return {
        code: 'dead-letter.unreadable',
        reason: 'The body is neither a dead letter nor a message: it can only be dropped',
      };
  }
}

function groupId({ id, content }: FoundDeadLetter): string {
  const message = messageIn(content);
  const about =
    message !== undefined
      ? ['root', message.rule, message.root.pk, message.root.sk]
      : content.is === 'dead-lettered'
        ? ['record', content.deadLettered.code, content.deadLettered.record ?? id]
        : content.is === 'batch'
          ? ['batch', content.batch.batches.name, id]
          : ['dead letter', id];
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 12);
}
