import { createHash } from 'node:crypto';
import { type FoundLetter, messageIn } from './dead-letter.ts';
import type { ItemKey } from '../model/item.ts';
import type { Cause } from '../model/message.ts';

/** The dead letters about one thing: a rule and a root, a record that was none, or a body that cannot be read. */
export interface LetterLine {
  /** Twelve hexadecimal digits, made of what the line is about: the same at each look, in every process. */
  readonly id: string;
  readonly rule: string | undefined;
  readonly key: ItemKey | undefined;
  /** The stream record or message that a letter without a message names, by its id. */
  readonly record: string | undefined;
  /** The newest letter's. */
  readonly code: string;
  /** The newest letter's. */
  readonly reason: string;
  /** Of all its letters, each once. */
  readonly causes: readonly Cause[];
  /** When the oldest and the newest of its letters were sent, in epoch milliseconds. */
  readonly oldest: number;
  readonly newest: number;
  /** Oldest first. */
  readonly letters: readonly FoundLetter[];
}

/** One line for each rule and root, however many letters there are about them, the oldest line first. */
export function linesOf(letters: readonly FoundLetter[]): readonly LetterLine[] {
  const byId = new Map<string, FoundLetter[]>();
  for (const letter of letters) {
    const id = lineId(letter);
    const others = byId.get(id);
    if (others === undefined) byId.set(id, [letter]);
    else others.push(letter);
  }
  return [...byId].map(([id, about]) => lineOf(id, about)).sort((a, b) => a.oldest - b.oldest);
}

function lineOf(id: string, about: readonly FoundLetter[]): LetterLine {
  const letters = about.toSorted((a, b) => a.at - b.at);
  const messages = letters.flatMap(({ content }) => messageIn(content) ?? []);
  const newest = letters.at(-1);
  const content = newest?.content;
  return {
    id,
    rule: messages[0]?.rule,
    key: messages[0]?.root,
    record: content?.is === 'parked' ? content.parked.record : undefined,
    ...why(newest),
    causes: [...new Set(messages.map(({ cause }) => cause))],
    oldest: letters[0]?.at ?? 0,
    newest: newest?.at ?? 0,
    letters,
  };
}

function why(letter: FoundLetter | undefined): { code: string; reason: string } {
  switch (letter?.content.is) {
    case 'parked':
      return { code: letter.content.parked.code, reason: letter.content.parked.reason };
    case 'message':
      return { code: 'message.failed', reason: 'Failed on every delivery: the log of FanOut says why' };
    default:
      return {
        code: 'letter.unreadable',
        reason: 'Neither something parked nor a message: it can only be dropped',
      };
  }
}

function lineId({ id, content }: FoundLetter): string {
  const message = messageIn(content);
  const about =
    message !== undefined
      ? ['root', message.rule, message.root.pk, message.root.sk]
      : content.is === 'parked'
        ? ['record', content.parked.code, content.parked.record ?? id]
        : ['letter', id];
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 12);
}
