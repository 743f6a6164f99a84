import { type Command, Option } from 'commander';
import { counted } from '../../model/basics/text.ts';
import { sameKey } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import type { DeadLetterGroup } from '../../operate/dead-letters/dead-letters.ts';
import {
  isRemovalRecord,
  readFailedBatch,
  type StoredBatch,
} from '../../operate/dead-letters/failed-batch.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { tableOf } from '../output/table.ts';
import { pairs, styled } from '../output/terminal.ts';
import { age, keyJson, namedKey } from '../output/text.ts';
import type { FoundFailures } from './open-failures.ts';

export interface LinesOptions {
  readonly id?: string;
  readonly rule?: string;
  readonly all?: true;
  readonly of?: StreamFunction;
}

export function withLines(command: Command): Command {
  return command
    .addOption(
      new Option('--id <id>', 'one line: its id, or the key of its root as JSON').conflicts(['rule', 'all']),
    )
    .addOption(new Option('--rule <name>', 'the dead letters of one rule').conflicts(['id', 'all']))
    .addOption(new Option('--all', 'all dead letters and failed batches').conflicts(['id', 'rule']));
}

/** @throws UsageError if the options select nothing or name an unknown line */
export async function selectedLines(
  lines: readonly DeadLetterGroup[],
  { id, rule, all, of }: LinesOptions,
): Promise<readonly DeadLetterGroup[]> {
  if (id !== undefined) return linesNamed(lines, id);
  if (rule !== undefined) return lines.filter((line) => line.rule === rule);
  if (all || of !== undefined) return lines;
  throw new UsageError(
    'usage.selection',
    'Expected one of --id ID, --rule NAME, --of FUNCTION and --all, got none: choose what to work on',
  );
}

/**
 * The line with this ID or unambiguous ID prefix, or all lines with this key.
 * @throws UsageError if no line matches
 */
export async function linesNamed(
  lines: readonly DeadLetterGroup[],
  name: string,
): Promise<readonly DeadLetterGroup[]> {
  const key = name.trimStart().startsWith('{') ? await readKey(name) : undefined;
  const isId = /^[\da-f]{4,12}$/.test(name);
  const called = lines.filter((line) =>
    key === undefined ? isId && line.id.startsWith(name) : line.key !== undefined && sameKey(line.key, key),
  );
  if (called.length === 1 || (key !== undefined && called.length > 0)) return called;
  throw new UsageError(
    'usage.dead-letter',
    called.length > 1
      ? `Expected the id of one line, found ${called.length} that begin with ${name}: add digits`
      : `Expected the id of a line, its first four digits or more, or the key of its root, found no line '${name}': see \`denorm dlq list\``,
  );
}

export function linesTable(table: KeyNames, lines: readonly DeadLetterGroup[], now: number): string {
  return tableOf(
    ['id', 'age', 'count', 'rule', 'key', 'cause', 'code'],
    lines.map((line) => [
      ...[line.id, age(line.oldest, now), String(line.deadLetters.length)],
      ...[line.rule ?? '', aboutOf(table, line), line.causes.join(', '), line.code],
    ]),
    ['cause', 'rule', 'age'],
  );
}

export async function lineDetails(
  table: KeyNames,
  line: DeadLetterGroup,
  now: number,
): Promise<{ readonly json: object; readonly text: string }> {
  const [{ batch: stored } = {}] = line.deadLetters;
  const batch = stored && (await contentOf(stored));
  const messages = messagesOf(line);
  const timeAnd = (at: number) => `${timeOf(at) ?? 'unknown'} (${age(at, now)})`;
  const facts = pairs([
    ['rule', line.rule ?? 'none'],
    ['about', aboutOf(table, line) || 'unknown'],
    ['why', `${line.code}: ${line.reason}`],
    batch === undefined ? ['cause', line.causes.join(', ') || 'unknown'] : ['batch', batch.text],
    ['failures', String(line.deadLetters.length)],
    ['oldest', timeAnd(line.oldest)],
    ['newest', timeAnd(line.newest)],
  ]);
  const requests = messages.map((message) => `\n  ${JSON.stringify(message)}`).join('');
  const tail = requests === '' ? '' : `\n\n  ${styled('dim', 'requests')}${requests}`;
  return {
    json: { ...lineJson(table, line), messages, batch: batch?.json },
    text: `${styled('bold', line.id)}\n${facts}${tail}`,
  };
}

/** What a failed batch holds: counts, never content. */
async function contentOf({ batches, key }: StoredBatch): Promise<{ json: object; text: string }> {
  const read = readFailedBatch((await batches.read(key)) ?? '');
  if ('unreadable' in read) return { json: read, text: read.unreadable };
  const { functionName, records } = read;
  const removals = records.filter(isRemovalRecord).length;
  return {
    json: { function: functionName, records: records.length, removals },
    text: `${counted(records.length, 'record')} of ${functionName}, ${counted(removals, 'removal')}`,
  };
}

/** For example `3 failures in 2 lines`. */
export function countText(lines: readonly DeadLetterGroup[]): string {
  return `${counted(failuresIn(lines), 'failure')} in ${counted(lines.length, 'line')}`;
}

/** Says that nothing is selected, and of how much. */
export function noneText({ groups, isWhole }: FoundFailures, name: string): string {
  if (groups.length > 0) return `No such failures among ${countText(groups)} in ${name}`;
  return isWhole ? `No failures in ${name}` : `Received no failures from ${name}`;
}

export function failuresIn(lines: readonly DeadLetterGroup[]): number {
  return lines.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0);
}

export function lineJson(table: KeyNames, line: DeadLetterGroup) {
  const { id, rule, key, record, code, reason, causes, deadLetters, oldest, newest } = line;
  return {
    id,
    rule,
    key: key && namedKey(table, key),
    record,
    code,
    reason,
    causes,
    count: deadLetters.length,
    oldest: timeOf(oldest),
    newest: timeOf(newest),
  };
}

/** Each message of a line once. Messages contain keys and causes, never item content. */
function messagesOf({ deadLetters }: DeadLetterGroup) {
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  return [
    ...new Map(messages.map((message) => [JSON.stringify({ ...message, attempts: 0 }), message])).values(),
  ];
}

/** The subject of a line: the key of the root, the ID of a record, or the object of a batch. */
function aboutOf(table: KeyNames, { key, record }: DeadLetterGroup): string {
  return key === undefined ? (record ?? '') : keyJson(table, key);
}

function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : new Date(at).toISOString();
}
