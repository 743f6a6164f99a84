import { type Command, Option } from 'commander';
import { sameKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { messageIn } from '../../operate/dead-letters/dead-letter.ts';
import type { DeadLetterGroup } from '../../operate/dead-letters/dead-letter-groups.ts';
import {
  isRemovalRecord,
  readFailedBatch,
  type StoredBatch,
  type StreamFunction,
} from '../../operate/dead-letters/failed-batch.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { pairs, styled, tableOf } from '../output/terminal.ts';
import { age, counted, keyAsJson, keyJson } from '../output/text.ts';

/** Options that select failed work. One is required. */
export interface SelectionOptions {
  readonly id?: string;
  readonly rule?: string;
  readonly all?: true;
  readonly of?: StreamFunction;
}

export function withSelection(command: Command): Command {
  return command
    .addOption(
      new Option('--id <id>', 'one line: its id, or the key of its root as JSON').conflicts(['rule', 'all']),
    )
    .addOption(new Option('--rule <name>', 'the dead letters of one rule').conflicts(['id', 'all']))
    .addOption(new Option('--all', 'all dead letters and failed batches').conflicts(['id', 'rule']));
}

/**
 * The lines that the options select, possibly none.
 * @throws UsageError if the options select nothing or name an unknown line
 */
export async function selected(
  lines: readonly DeadLetterGroup[],
  { id, rule, all, of }: SelectionOptions,
  registry: Pick<Registry, 'rules' | 'aggregates'>,
): Promise<readonly DeadLetterGroup[]> {
  if (id !== undefined) return linesCalled(lines, id);
  if (rule !== undefined) return linesOfRule(lines, rule, registry);
  if (all || of !== undefined) return lines;
  throw new UsageError(
    'usage.selection',
    'Expected one of --id ID, --rule NAME, --of FUNCTION and --all, got none: choose dead letters or failed batches',
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

/** A table with a row for each line. `denorm dlq show` has the reasons. */
export function deadLettersTable(lines: readonly DeadLetterGroup[], now: number): string {
  return tableOf(
    ['id', 'age', 'count', 'rule', 'key', 'cause', 'code'],
    lines.map((line) => [
      ...[line.id, age(line.oldest, now), String(line.deadLetters.length)],
      ...[line.rule ?? '', aboutOf(line), line.causes.join(', '), line.code],
    ]),
  );
}

/** All details of a line. Those of a batch are read from its object. */
export async function detailsOf(
  line: DeadLetterGroup,
  now: number,
): Promise<{ readonly json: object; readonly text: string }> {
  const batch = batchOf(line);
  const inBatch = batch && (await contentOf(batch));
  const requests = messagesOf(line);
  const about = line.key === undefined ? 'record' : 'key';
  const facts = pairs([
    ...(batch ? [] : [['rule', line.rule ?? 'unknown'] as const]),
    [batch ? 'object' : about, aboutOf(line) || 'unknown'],
    ['why', `${line.code}: ${line.reason}`],
    ...(inBatch
      ? [['batch', inBatch.text] as const]
      : ([
          ['cause', line.causes.join(', ') || 'unknown'],
          [
            'dead letters',
            `${line.deadLetters.length}: ${howMany(line, 'dead-lettered')} with a reason, ${howMany(line, 'message')} failed messages`,
          ],
        ] as const)),
    ['oldest', `${timeOf(line.oldest) ?? 'unknown'} (${age(line.oldest, now)})`],
    ['newest', `${timeOf(line.newest) ?? 'unknown'} (${age(line.newest, now)})`],
  ]);
  const asked = requests.map((message) => `  ${JSON.stringify(message)}`).join('\n');
  const tail = asked === '' ? '' : `\n\n  ${styled('dim', 'requests')}\n${asked}`;
  return {
    json: { ...deadLetterJson(line), messages: requests, batch: inBatch?.json },
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

/** The batch of a line, if it is about one. */
export function batchOf({ deadLetters: [first] }: DeadLetterGroup): StoredBatch | undefined {
  return first?.content.is === 'batch' ? first.content.batch : undefined;
}

/** The numbers of dead letters and of failed batches. */
export function numbersOf(lines: readonly DeadLetterGroup[]) {
  const failedBatches = lines.filter((line) => batchOf(line) !== undefined).length;
  const all = lines.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0);
  return { deadLetters: all - failedBatches, failedBatches };
}

/** For example `2 dead letters and 1 failed batch in 3 lines`. */
export function countText(lines: readonly DeadLetterGroup[]): string {
  const { deadLetters, failedBatches } = numbersOf(lines);
  const what = [
    ...(deadLetters > 0 || failedBatches === 0 ? [counted(deadLetters, 'dead letter')] : []),
    ...(failedBatches > 0 ? [counted(failedBatches, 'failed batch', 'failed batches')] : []),
  ];
  return `${what.join(' and ')} in ${counted(lines.length, 'line')}`;
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
function messagesOf({ deadLetters }: DeadLetterGroup): readonly Message[] {
  const messages = deadLetters.flatMap(({ content }) => messageIn(content) ?? []);
  return [
    ...new Map(messages.map((message) => [JSON.stringify({ ...message, attempts: 0 }), message])).values(),
  ];
}

/** The subject of a line, for one cell: the key of the root, the ID of a record, or the object of a batch. */
function aboutOf({ key, record }: DeadLetterGroup): string {
  return key === undefined ? (record ?? '') : keyJson(key);
}

function howMany({ deadLetters }: DeadLetterGroup, kind: 'dead-lettered' | 'message'): number {
  return deadLetters.filter(({ content }) => content.is === kind).length;
}

function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : new Date(at).toISOString();
}
