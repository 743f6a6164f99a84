import { type Command, Option } from 'commander';
import { sameKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { messageIn } from '../../operate/dead-letters/dead-letter.ts';
import type { DeadLetterGroup } from '../../operate/dead-letters/dead-letter-groups.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { pairs, styled, tableOf } from '../output/terminal.ts';
import { age, keyAsJson, keyJson } from '../output/text.ts';

/** Options that select dead letters. Exactly one is required. */
export interface SelectionOptions {
  readonly id?: string;
  readonly rule?: string;
  readonly all?: true;
}

export function withSelection(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--id <id>',
        'the dead letters of one line: its id, or the key of its root as JSON',
      ).conflicts(['rule', 'all']),
    )
    .addOption(new Option('--rule <name>', 'the dead letters of one rule').conflicts(['id', 'all']))
    .addOption(new Option('--all', 'all dead letters').conflicts(['id', 'rule']));
}

/**
 * The lines that the options select, possibly none.
 * @throws UsageError if the options select nothing or name an unknown line
 */
export async function selected(
  lines: readonly DeadLetterGroup[],
  { id, rule, all }: SelectionOptions,
  registry: Pick<Registry, 'rules' | 'aggregates'>,
): Promise<readonly DeadLetterGroup[]> {
  if (id !== undefined) return linesCalled(lines, id);
  if (rule !== undefined) return linesOfRule(lines, rule, registry);
  if (all) return lines;
  throw new UsageError(
    'usage.selection',
    'Expected one of --id ID, --rule NAME and --all, got none: choose dead letters',
  );
}

/**
 * The line with this ID or unambiguous ID prefix, or all lines with this key.
 * @throws UsageError if no line matches
 */
export async function linesCalled(
  lines: readonly DeadLetterGroup[],
  name: string,
): Promise<readonly DeadLetterGroup[]> {
  if (name.trimStart().startsWith('{')) {
    const key = await readKey(name);
    const about = lines.filter((line) => line.key !== undefined && sameKey(line.key, key));
    if (about.length > 0) return about;
    throw new UsageError(
      'usage.dead-letter',
      `Expected the key of a dead letter, found none for ${name}: see \`denorm dlq list\``,
    );
  }
  const called = /^[\da-f]{4,12}$/.test(name) ? lines.filter(({ id }) => id.startsWith(name)) : [];
  if (called.length === 1) return called;
  throw new UsageError(
    'usage.dead-letter',
    called.length === 0
      ? `Expected the id of a line, or its first four digits or more, found no line '${name}': see \`denorm dlq list\``
      : `Expected the id of one line, found ${called.length} that begin with ${name}: add digits`,
  );
}

function linesOfRule(
  lines: readonly DeadLetterGroup[],
  name: string,
  { rules, aggregates }: Pick<Registry, 'rules' | 'aggregates'>,
): readonly DeadLetterGroup[] {
  const ofRule = lines.filter(({ rule }) => rule === name);
  const known = [...rules, ...aggregates].map((rule) => rule.name);
  if (ofRule.length > 0 || known.includes(name)) return ofRule;
  throw new UsageError(
    'usage.rule',
    `Expected a rule with dead letters, or one of ${known.join(', ')}, got '${name}': see \`denorm dlq list\``,
  );
}

/** A table of all dead letters, with a row for each rule and key. */
export function deadLettersTable(lines: readonly DeadLetterGroup[], now: number): string {
  const rows = lines.map((line) => [
    ...[line.id, age(line.oldest, now), String(line.deadLetters.length)],
    ...[line.rule ?? '', aboutOf(line), line.causes.join(', '), `${line.code}: ${line.reason}`],
  ]);
  return tableOf(head, rows, widthsWithin(process.stdout.columns, rows));
}

const head = ['id', 'age', 'count', 'rule', 'key', 'cause', 'why'];

/**
 * Column widths for a narrow terminal. The short columns keep their width; the rule gets at most a quarter of
 * the rest, and key and reason share what remains.
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

/** Formats all details of a line as text. */
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

/** A line as JSON. */
export function deadLetterJson(line: DeadLetterGroup) {
  const { id, rule, key, record, code, reason, causes, deadLetters, oldest, newest } = line;
  return {
    ...{ id, rule, key: key && keyAsJson(key), record, code, reason, causes },
    ...{ count: deadLetters.length, oldest: timeOf(oldest), newest: timeOf(newest) },
  };
}

/**
 * The messages in these dead letters, without duplicates. Messages contain keys and causes, never item
 * content.
 */
export function messagesOf({ deadLetters }: DeadLetterGroup): readonly Message[] {
  const messages = deadLetters.flatMap(({ content }) => messageIn(content) ?? []);
  return [
    ...new Map(messages.map((message) => [JSON.stringify({ ...message, attempts: 0 }), message])).values(),
  ];
}

/** The subject of a line, for one cell: the key of the root, or the ID of a record. */
export function aboutOf({ key, record }: DeadLetterGroup): string {
  return key === undefined ? (record ?? '') : keyJson(key);
}

function howMany({ deadLetters }: DeadLetterGroup, kind: 'dead-lettered' | 'message'): number {
  return deadLetters.filter(({ content }) => content.is === kind).length;
}

function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : new Date(at).toISOString();
}
