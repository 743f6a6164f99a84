import { type Command, Option } from 'commander';
import { counted, number, visible } from '../../model/basics/text.ts';
import { sameKey } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import { isInForce, type Registry } from '../../model/rules/registry.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import type { DeadLetterGroup, HeldGroup } from '../../operate/dead-letters/dead-letters.ts';
import {
  isRemovalRecord,
  readFailedBatch,
  type StoredBatch,
} from '../../operate/dead-letters/failed-batch.ts';
import { isRemoval } from '../../operate/dead-letters/redrive-dead-letters.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { allRules, unknownRule } from '../options/rules-in-force.ts';
import { closingLine } from '../output/closing-line.ts';
import { tableOf } from '../output/table.ts';
import { pairs, styled } from '../output/terminal.ts';
import { age, keyJson, namedKey, timeText } from '../output/text.ts';
import type { FoundFailures } from './open-failures.ts';

export interface LinesOptions {
  readonly id?: string;
  readonly rule?: string;
  readonly code?: string;
  readonly all?: true;
  readonly of?: StreamFunction;
}

export function withLines(command: Command): Command {
  return withGroup(command)
    .addOption(
      new Option('--id <id>', 'one line: its id, or the key of its root as JSON').conflicts([
        'rule',
        'code',
        'all',
      ]),
    )
    .addOption(new Option('--all', 'all dead letters and failed batches').conflicts(['id', 'rule', 'code']));
}

/** For a group of `denorm dlq list`. */
export function withGroup(command: Command): Command {
  return command
    .option('--rule <name>', 'the dead letters of one rule')
    .option('--code <code>', 'the dead letters and failed batches with this code');
}

/** @throws UsageError if the options select nothing, or name an unknown line or rule */
export async function selectedLines(
  looked: FoundFailures<HeldGroup>,
  { id, rule, code, all, of }: LinesOptions,
): Promise<readonly HeldGroup[]> {
  if (id !== undefined) return linesNamed(looked.groups, id);
  if (rule !== undefined || code !== undefined) return linesOf(looked, { rule, code });
  if (all || of !== undefined) return looked.groups;
  throw new UsageError(
    'usage.selection',
    'Expected one of --id ID, --rule NAME, --code CODE, --of FUNCTION and --all, got none: choose what to work on',
  );
}

/**
 * The line with this ID or unambiguous ID prefix, or all lines with this key.
 * @throws UsageError if no line matches
 */
export async function linesNamed(lines: readonly HeldGroup[], name: string): Promise<readonly HeldGroup[]> {
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

/**
 * Those of a rule, of a code, or of both.
 * @throws UsageError `usage.rule` for a rule that neither the project has nor a failure names, as far as all were received
 */
export async function linesOf<Line extends DeadLetterGroup>(
  { groups, isWhole }: FoundFailures<Line>,
  { rule, code }: { readonly rule?: string | undefined; readonly code?: string | undefined },
): Promise<readonly Line[]> {
  if (rule !== undefined && isWhole) {
    const { rules, aggregates, archives } = await allRules();
    const ofFailures = groups.flatMap((line) => (line.rule === undefined ? [] : { name: line.rule }));
    const known = [...rules, ...aggregates, ...archives, ...ofFailures];
    if (!known.some(({ name }) => name === rule)) throw unknownRule(rule, known);
  }
  return groups.filter(
    (line) => (rule === undefined || line.rule === rule) && (code === undefined || line.code === code),
  );
}

/** Lines of one rule and code. */
interface Alike {
  readonly rule: string | undefined;
  readonly code: string;
  readonly lines: readonly DeadLetterGroup[];
}

/** The largest first. */
export function alikeIn(lines: readonly DeadLetterGroup[]): readonly Alike[] {
  return [...Map.groupBy(lines, ({ rule }) => rule)]
    .flatMap(([rule, ofRule]) =>
      [...Map.groupBy(ofRule, ({ code }) => code)].map(([code, some]) => ({ rule, code, lines: some })),
    )
    .sort((one, other) => failuresIn(other.lines) - failuresIn(one.lines));
}

export function alikeJson(table: KeyNames, { rule, code, lines }: Alike) {
  const [example] = lines;
  return {
    rule,
    code,
    lines: lines.length,
    count: failuresIn(lines),
    // The lines are in the order of their oldest.
    oldest: timeOf(example?.oldest ?? 0),
    newest: timeOf(lines.reduce((latest, { newest }) => Math.max(latest, newest), 0)),
    example: example && lineJson(table, example),
  };
}

/** So many reasons of a group are told, the most frequent ones. */
const maxReasons = 3;

/**
 * What failed alike: how much, since when, why, an example of each reason, and what to run once that is put right.
 * @param next a line to paste: of `denorm dlq`, and one that repairs the table
 */
export function alikeText(
  table: KeyNames,
  { rule, code, lines }: Alike,
  now: number,
  rules: Registry,
  next: { readonly dlq: (words: readonly string[]) => string; readonly repair: string },
): readonly string[] {
  const [oldest] = lines;
  if (oldest === undefined) return [];
  const newest = lines.reduce((latest, one) => (one.newest > latest.newest ? one : latest), oldest);
  const selected = [...(rule === undefined ? [] : ['--rule', rule]), '--code', code];
  const isToRedrive = lines.some((line) => line.isRedrivable);
  const waits = waitsForRule(rules, oldest);
  const removals = lines.filter(({ causes }) => causes.some((cause) => isRemoval({ cause }))).length;
  return [
    `${styled('bold', [rule, code].filter((one) => one !== undefined).join('  '))}  ${countText(lines)}, ${age(oldest.oldest, now)} to ${age(newest.newest, now)} old`,
    ...reasonsText(table, lines, (line) => next.dlq(['show', line.id])),
    isToRedrive
      ? `  when ${waits ? 'the rule is on again' : 'that is put right'}${removals > 0 ? `; ${counted(removals, 'line')} of removed roots need --allow-remove` : ''}:`
      : '  nothing to redrive: put it right, repair, then drop it:',
    ...(isToRedrive ? [] : [`  ${next.repair}`]),
    `  ${next.dlq([isToRedrive ? 'redrive' : 'drop', ...selected])}`,
    ...(isToRedrive && waits ? ['  if it was removed:', `  ${next.dlq(['drop', ...selected])}`] : []),
  ];
}

function reasonsText(
  table: KeyNames,
  lines: readonly DeadLetterGroup[],
  show: (line: DeadLetterGroup) => string,
): readonly string[] {
  const alike = [...Map.groupBy(lines, ({ reason }) => reason).values()].sort(
    (one, other) => other.length - one.length,
  );
  const others = alike.slice(maxReasons);
  return [
    ...alike
      .slice(0, maxReasons)
      .flatMap((some) =>
        some
          .slice(0, 1)
          .flatMap((example) => [
            `  ${alike.length > 1 ? `${counted(some.length, 'line')}: ` : ''}${visible(example.reason)}`,
            ...(aboutOf(table, example) === '' ? [] : [`  for example ${aboutOf(table, example)}`]),
            `  ${show(example)}`,
          ]),
      ),
    ...(others.length > 0
      ? [`  ${counted(others.flat().length, 'line')}: ${counted(others.length, 'other reason')}`]
      : []),
  ];
}

/**
 * The last line of a list.
 * @param looked at all that failed
 * @param lines those that the options select
 * @param rules of the project
 */
export function listedText(
  { groups, unseen, isWhole }: FoundFailures,
  lines: readonly DeadLetterGroup[],
  name: string,
  rules: Registry,
): string {
  const redrivable = lines.filter((line) => line.isRedrivable);
  const waiting = failuresIn(redrivable.filter((line) => waitsForRule(rules, line)));
  const all = failuresIn(lines);
  const parts = [
    `${number(failuresIn(redrivable) - waiting)} to redrive`,
    ...(waiting > 0 ? [`${number(waiting)} once their rule is on again`] : []),
    `${number(all - failuresIn(redrivable))} for you`,
  ];
  return closingLine(
    [
      `${counted(failuresIn(groups), 'failure')} in ${name} looked at`,
      `found ${number(all)} in ${counted(lines.length, 'line')}, ${parts.join(', ')}`,
      unseen > 0 ? `left about ${number(unseen)} that were not received` : undefined,
    ],
    isWhole ? undefined : 'not all were received',
  );
}

/** Whether its messages would be dead-lettered again: their rule was off or missing, or is missing in the project. */
function waitsForRule(rules: Registry, { rule, code }: DeadLetterGroup): boolean {
  return code === 'rule.unknown' || (rule !== undefined && !isInForce(rules, rule));
}

export function linesTable(table: KeyNames, lines: readonly DeadLetterGroup[], now: number): string {
  return tableOf(
    ['id', 'age', 'count', 'rule', 'key', 'cause', 'code'],
    lines.map((line) => [
      ...[line.id, age(line.oldest, now), String(line.count)],
      ...[line.rule ?? '', aboutOf(table, line), line.causes.join(', '), line.code],
    ]),
    ['count', 'age', 'cause'],
  );
}

export async function lineDetails(
  table: KeyNames,
  line: HeldGroup,
  now: number,
): Promise<{ readonly json: object; readonly text: string }> {
  const [{ batch: stored } = {}] = line.deadLetters;
  const batch = stored && (await contentOf(stored));
  const requested = messagesOf(line).map((message) => messageJson(table, message));
  const timeAnd = (at: number) => `${timeOf(at) ?? 'unknown'} (${age(at, now)})`;
  const facts = pairs([
    ['rule', line.rule ?? 'none'],
    ['about', aboutOf(table, line) || 'unknown'],
    ['why', `${line.code}: ${line.reason}`],
    batch === undefined ? ['cause', line.causes.join(', ') || 'unknown'] : ['batch', batch.text],
    ['failures', String(line.count)],
    ['oldest', timeAnd(line.oldest)],
    ['newest', timeAnd(line.newest)],
  ]);
  const requests = requested.map((message) => `\n  ${JSON.stringify(message)}`).join('');
  const tail = requests === '' ? '' : `\n\n  ${styled('dim', 'requests')}${requests}`;
  return {
    json: { ...lineJson(table, line), messages: requested, batch: batch?.json },
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
  return lines.reduce((sum, { count }) => sum + count, 0);
}

export function lineJson(table: KeyNames, line: DeadLetterGroup) {
  const { id, rule, key, record, code, reason, causes, count, oldest, newest } = line;
  return {
    id,
    rule,
    key: key && namedKey(table, key),
    record,
    code,
    reason,
    causes,
    count,
    oldest: timeOf(oldest),
    newest: timeOf(newest),
  };
}

/** Each message of a line once. Messages contain keys and causes, never item content. */
function messagesOf({ deadLetters }: HeldGroup) {
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  return [
    ...new Map(messages.map((message) => [JSON.stringify({ ...message, attempts: 0 }), message])).values(),
  ];
}

/** A message with the names of the table's keys, and times as other output has them. */
export function messageJson(
  table: KeyNames,
  { root, copies, at, unavailableSince, ...message }: Message,
): object {
  return {
    ...message,
    root: namedKey(table, root),
    copies: copies?.map((key) => namedKey(table, key)),
    at: at === undefined ? undefined : timeText(at),
    unavailableSince: unavailableSince === undefined ? undefined : timeText(unavailableSince),
  };
}

export function letterJson(table: KeyNames, { message, about, ...letter }: DeadLetter): object {
  return {
    ...letter,
    message: message && messageJson(table, message),
    about: about && { ...about, key: namedKey(table, about.key) },
  };
}

/** The subject of a line: the key of the root, the ID of a record, or the object of a batch. */
function aboutOf(table: KeyNames, { key, record }: DeadLetterGroup): string {
  return key === undefined ? (record ?? '') : keyJson(table, key);
}

function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : timeText(at);
}
