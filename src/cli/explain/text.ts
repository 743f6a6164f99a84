import { costsOf } from '../../explain/explain.ts';
import type {
  ExplainedCost,
  ExplainedCount,
  ExplainedRound,
  ExplainedSubject,
  ExplainedWork,
  ExplainedWrite,
  Explanation,
} from '../../explain/explanation.ts';
import { counted, number, visible } from '../../model/basics/text.ts';
import type { ItemKey } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import type { Cause } from '../../model/work/message.ts';
import { valueTexts, writeText } from '../output/lines.ts';
import { pairs, styled } from '../output/terminal.ts';
import { keyJson, namedKey } from '../output/text.ts';

/** The number of writes of one shape that are listed: the others are only counted. */
const maxNamed = 10;

type Line = readonly [name: string, value: string];

export function explanationText(table: KeyNames, explanation: Explanation): string {
  const [first] = explanation.rounds;
  return [
    ...explanation.subjects.map((subject) => subjectText(table, subject)),
    ...(first?.work ?? []).map((work) => workText(table, work)),
    costText(table, explanation),
  ].join('\n\n');
}

/** Those of what the worker would do: it does that when they are over. */
export function pausesOf({ rounds }: Explanation, paused: Pauses): Pauses {
  const works = new Set(rounds.flatMap(({ work }) => work.map(({ rule }) => rule)));
  return new Map([...paused].filter(([rule]) => works.has(rule)));
}

/** @param toResume the command that ends the pause of a rule, to paste */
export function pausedLines(paused: Pauses, toResume: (rule: string) => string): readonly string[] {
  return [...paused].map(
    ([rule, since]) =>
      `${rule} is paused since ${since}: the worker does this, and what follows from it, after this:\n${toResume(rule)}`,
  );
}

/** The explanation for machines: keys have the names of the table's key attributes. */
export function explanationJson(table: KeyNames, { subjects, rounds, cost }: Explanation): object {
  const named = <Keyed extends { readonly key: ItemKey }>(one: Keyed) => ({
    ...one,
    key: namedKey(table, one.key),
  });
  return {
    subjects: subjects.map((subject) => ({
      ...subject,
      key: subject.key && namedKey(table, subject.key),
      rules: subject.rules.map((rule) => ({ ...rule, of: rule.of.map((key) => namedKey(table, key)) })),
    })),
    rounds: rounds.map((round) => ({
      ...round,
      work: round.work.map((work) => ({ ...named(work), writes: work.writes.map(named) })),
    })),
    cost,
  };
}

const questions = {
  propagation: 'propagates',
  check: 'is checked',
  archive: 'is archived',
  nothing: 'no match',
} as const;

function subjectText(
  table: KeyNames,
  { is, key, expired, kinds, problem, rules, unconcerned }: ExplainedSubject,
): string {
  const kind =
    problem === undefined
      ? kinds.join(' and ') || 'of no kind: `denorm rules` lists the kinds of its rules'
      : `of no kind: ${problem}`;
  const head = [
    `${is === 'item' ? '' : `${is} `}${key === undefined ? (problem ?? '') : keyJson(table, key)}`,
    ...(is === 'message' || is === 'unreadable record' ? [] : [kind]),
    ...(expired ? ['expired'] : []),
  ];
  const lines = rules.map(({ rule, as, of, asks, why }): Line => {
    const keys = of.length === 0 ? '' : ` of ${of.map((one) => keyJson(table, one)).join(' and ')}`;
    return [rule, `${as}${keys}, ${questions[asks]}: ${why}`];
  });
  const others: readonly Line[] = unconcerned.length === 0 ? [] : [['not concerned', unconcerned.join(', ')]];
  const body = [...lines, ...others];
  return `${styled('bold', visible(head.join(', ')))}${body.length === 0 ? '' : `\n${pairs(body)}`}`;
}

/** Why there is a propagation, if it is not that the item is put as it is. */
const whyText: Readonly<Record<Cause, string>> = {
  changed: ', because it changed',
  deleted: ', because it was deleted',
  expired: ', because it expired',
  check: ', because a copy was written',
  repair: '',
};

function workText(table: KeyNames, work: ExplainedWork): string {
  const { rule, computes, key, cause, where, writes, deadLettered, messages, cost } = work;
  const lines: Line[] = [
    ...where.map((place, index): Line => [index === 0 ? 'where' : '', place]),
    ...foundLines(work),
    ...writeLines(table, writes),
    ...deadLettered.map((reason): Line => ['dead-lettered', reason]),
    ['costs', `${unitsText([cost])}${messages === 0 ? '' : `, with ${counted(messages, 'message')} more`}`],
  ];
  const head = `${rule}: ${computes ? 'computation' : 'propagation'} for ${keyJson(table, key)}${whyText[cause]}`;
  return `${styled('bold', visible(head))}\n${pairs(lines)}`;
}

const counts: Readonly<Record<ExplainedCount, string>> = {
  members: 'items read',
  written: 'to write',
  removed: 'to remove',
  unchanged: 'already right',
  orphans: 'without a root',
  foreign: 'not a copy of this root',
  skipped: 'skipped as invalid',
  absent: 'target that does not exist: write it, and its totals are computed',
};

/** What is dead-lettered was found too, and says so itself. */
function foundLines({ found, deadLettered }: ExplainedWork): Line[] {
  const texts = (Object.keys(counts) as ExplainedCount[])
    .filter((name) => found[name] > 0)
    .map((name) =>
      name === 'members'
        ? `${counted(found.members, 'item')} read`
        : `${number(found[name])} ${counts[name]}`,
    );
  if (texts.length === 0 && deadLettered.length > 0) return [];
  return [['found', texts.join(', ') || 'nothing']];
}

function writeLines(table: KeyNames, writes: readonly ExplainedWrite[]): Line[] {
  const shapes = Map.groupBy(writes, writeText);
  return [...shapes].flatMap(([shape, alike]): Line[] => {
    const named = alike
      .slice(0, maxNamed)
      .flatMap((write): Line[] => [
        ['', `${keyJson(table, write.key)}  ${counted(write.writeUnits.total, 'write unit')}`],
        ...valueLines(write),
      ]);
    const more = alike.length - maxNamed;
    const others: Line[] = more > 0 ? [['', `and ${number(more)} more alike`]] : [];
    return [[alike[0]?.does ?? '', shape], ...named, ...others];
  });
}

function valueLines({ values }: ExplainedWrite): Line[] {
  return valueTexts(values).map((text) => ['', text]);
}

/** For example `7.5 read units and 6 write units`. */
function unitsText(costs: readonly ExplainedCost[]): string {
  const reads = costs.reduce((sum, { readUnits }) => sum + readUnits, 0);
  const writes = costs.reduce((sum, { writeUnits }) => sum + writeUnits.total, 0);
  return `${counted(reads, 'read unit')} and ${counted(writes, 'write unit')}`;
}

function costText(table: KeyNames, { rounds, cost }: Explanation): string {
  const [first, ...after] = rounds;
  if (cost.readUnits + cost.writeUnits.total === 0) return 'It costs the table nothing.';
  const costs: Line[] = [
    ...(first === undefined || first.checks === 0
      ? []
      : [[counted(first.checks, 'check'), unitsText([first.costOfChecks])] as const]),
    ...after.map((round, index): Line => [index === 0 ? 'comes back' : 'then', comeBackText(table, round)]),
    ['total', unitsText([cost])],
  ];
  return `${styled('bold', 'costs')}\n${pairs(costs)}\n${styled('dim', footnote)}`;
}

const footnote =
  'Nothing was written. Propagations that run together share reads; a write that loses its condition is charged and retried.';

/** What the writes of the round before ask for, as they come back on the stream. */
function comeBackText(table: KeyNames, round: ExplainedRound): string {
  const { records, checks, work } = round;
  return [
    counted(records, 'record'),
    ...(checks === 0 ? [] : [counted(checks, 'check')]),
    ...new Set(work.map(({ rule }) => rule)),
    ...work.filter(({ found }) => found.absent > 0).map(({ key }) => `no target at ${keyJson(table, key)}`),
    `${counted(work.flatMap(({ writes }) => writes).length, 'write')} for ${unitsText(costsOf(round))}`,
  ].join(', ');
}
