import { messageIn } from '../../dead-letters/dead-letter.ts';
import type { DeadLetterGroup } from '../../dead-letters/dead-letter-groups.ts';
import type { Message } from '../../model/message.ts';
import { table } from '../../table.ts';
import { keyJson } from '../options/item-key.ts';
import { pairs, styled, tableOf } from '../output/terminal.ts';
import { age } from './age.ts';

/** What all these dead letters are about, a row for each rule and key. */
export function deadLettersTable(lines: readonly DeadLetterGroup[], now: number): string {
  const rows = lines.map((line) => [
    ...[line.id, age(line.oldest, now), String(line.deadLetters.length)],
    ...[line.rule ?? '', aboutOf(line), line.causes.join(', '), `${line.code}: ${line.reason}`],
  ]);
  return tableOf(head, rows, widthsWithin(process.stdout.columns, rows));
}

const head = ['id', 'age', 'count', 'rule', 'key', 'cause', 'why'];

/**
 * How wide columns are where a terminal is too narrow for all: what the short ones leave over goes to the rule, a
 * quarter at most, and to key and reason.
 */
function widthsWithin(
  columns: number | undefined,
  rows: readonly (readonly string[])[],
): readonly number[] | undefined {
  const natural = head.map((name, index) =>
    Math.max(...[name, ...rows.map((row) => row[index] ?? '')].map((text) => text.length + 2)),
  );
  const borders = head.length + 1;
  const [id = 0, age = 0, count = 0, rule = 0, key = 0, cause = 0, why = 0] = natural;
  if (columns === undefined || natural.reduce((sum, width) => sum + width, borders) <= columns)
    return undefined;
  const left = Math.max(40, columns - borders - id - age - count - cause);
  const ofRule = Math.min(rule, Math.floor(left / 4));
  const ofKey = Math.min(key, Math.max(Math.floor((left - ofRule) / 2), left - ofRule - why));
  return [id, age, count, ofRule, ofKey, cause, left - ofRule - ofKey];
}

/** One line of it, whole. */
export function deadLetterText(line: DeadLetterGroup, now: number): string {
  const facts = pairs([
    ['rule', line.rule ?? 'unknown'],
    [line.key === undefined ? 'record' : 'key', aboutOf(line) || 'unknown'],
    ['why', `${line.code}: ${line.reason}`],
    ['cause', line.causes.join(', ') || 'unknown'],
    [
      'dead letters',
      `${line.deadLetters.length}: ${howMany(line, 'dead-lettered')} with a reason, ${howMany(line, 'message')} failed messages`,
    ],
    ['oldest', `${timeOf(line.oldest) ?? 'unknown'} (${age(line.oldest, now)})`],
    ['newest', `${timeOf(line.newest) ?? 'unknown'} (${age(line.newest, now)})`],
  ]);
  const messages = messagesOf(line).map((message) => `  ${JSON.stringify(message)}`);
  const asked = messages.length > 0 ? `\n\n  ${styled('dim', 'requests')}\n${messages.join('\n')}` : '';
  return `${styled('bold', line.id)}\n${facts}${asked}`;
}

/** One line of it, for machines. */
export function deadLetterJson(line: DeadLetterGroup) {
  const { id, rule, key, record, code, reason, causes, deadLetters, oldest, newest } = line;
  return {
    ...{ id, rule, key: key && { [table.pk]: key.pk, [table.sk]: key.sk }, record, code, reason, causes },
    ...{ count: deadLetters.length, oldest: timeOf(oldest), newest: timeOf(newest) },
  };
}

/** What the dead letters ask for, each message once. They hold keys and causes, never content. */
export function messagesOf({ deadLetters }: DeadLetterGroup): readonly Message[] {
  const messages = deadLetters.flatMap(({ content }) => messageIn(content) ?? []);
  return [
    ...new Map(messages.map((message) => [JSON.stringify({ ...message, attempts: 0 }), message])).values(),
  ];
}

/** What a line is about, in one cell: the root's key, or the id of a record. */
export function aboutOf({ key, record }: DeadLetterGroup): string {
  return key === undefined ? (record ?? '') : keyJson(key);
}

function howMany({ deadLetters }: DeadLetterGroup, kind: 'dead-lettered' | 'message'): number {
  return deadLetters.filter(({ content }) => content.is === kind).length;
}

function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : new Date(at).toISOString();
}
