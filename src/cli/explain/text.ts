import type {
  ExplainedCost,
  ExplainedCount,
  ExplainedRound,
  ExplainedSubject,
  ExplainedWork,
  ExplainedWrite,
  Explanation,
  NamedKey,
} from '../../develop/page/protocol/explanation.ts';
import { tableOf } from '../output/table.ts';
import { pairs, styled } from '../output/terminal.ts';
import { counted, keyJson, keyOfJson, number, shortText } from '../output/text.ts';
import { visible, word } from '../output/visible.ts';
import { writeText } from '../output/writes.ts';
import { costsOf } from './explain.ts';

/** Writes of one shape. The rest are only counted. */
const maxNamed = 10;

type Line = readonly [name: string, value: string];

export function explanationText(explanation: Explanation): string {
  const [first] = explanation.rounds;
  return [
    ...explanation.subjects.map(subjectText),
    ...(first?.work ?? []).map(workText),
    costText(explanation),
  ].join('\n\n');
}

const questions = {
  propagation: 'propagates',
  check: 'is checked',
  archive: 'is archived',
  nothing: 'no match',
} as const;

/** Its numbers with all their digits. */
function keyText(key: NamedKey): string {
  return keyJson(keyOfJson(key));
}

function subjectText({ is, key, expired, kinds, problem, rules, unconcerned }: ExplainedSubject): string {
  const kind =
    problem === undefined
      ? kinds.join(' and ') || 'of no kind: `denorm rules` lists the kinds of its rules'
      : `of no kind: ${problem}`;
  const head = [
    `${is === 'item' ? '' : `${is} `}${key === undefined ? (problem ?? '') : keyText(key)}`,
    ...(is === 'message' || is === 'unreadable record' ? [] : [kind]),
    ...(expired ? ['expired'] : []),
  ];
  const lines = rules.map(({ rule, as, of, asks, why }): Line => {
    const keys = of.length === 0 ? '' : ` of ${of.map((one) => keyText(one)).join(' and ')}`;
    return [rule, `${as}${keys}, ${questions[asks]}: ${why}`];
  });
  const others: readonly Line[] = unconcerned.length === 0 ? [] : [['not concerned', unconcerned.join(', ')]];
  const body = [...lines, ...others];
  return `${styled('bold', visible(head.join(', ')))}${body.length === 0 ? '' : `\n${pairs(body)}`}`;
}

function workText(work: ExplainedWork): string {
  const { rule, computes, key, cause, where, writes, deadLettered, notFollowed } = work;
  const lines: Line[] = [
    ...where.map((place, index): Line => [index === 0 ? 'where' : '', place]),
    ['found', foundText(work)],
    ...writeLines(writes),
    ...(notFollowed === 0
      ? []
      : [['', `${counted(notFollowed, 'message')} more, not followed because of --pages`] as const]),
    ...deadLettered.map((reason): Line => ['dead-lettered', reason]),
  ];
  const head = `${rule}: ${computes ? 'computation' : 'propagation'} for ${keyText(key)}, cause ${cause}`;
  return `${styled('bold', visible(head))}\n${pairs(lines)}`;
}

const counts: Readonly<Record<ExplainedCount, string>> = {
  members: 'members',
  written: 'to write',
  removed: 'to remove',
  unchanged: 'already right',
  orphans: 'without a root',
  foreign: 'not of this root',
  skipped: 'skipped as invalid',
};

function foundText({ found }: ExplainedWork): string {
  const texts = (Object.keys(counts) as ExplainedCount[])
    .filter((name) => found[name] > 0)
    .map((name) => `${number(found[name])} ${counts[name]}`);
  return texts.join(', ') || 'nothing';
}

function writeLines(writes: readonly ExplainedWrite[]): Line[] {
  const shapes = Map.groupBy(writes, writeText);
  return [...shapes].flatMap(([shape, alike]): Line[] => {
    const named = alike
      .slice(0, maxNamed)
      .flatMap((write): Line[] => [
        ['', `${keyText(write.key)}  ${number(write.writeUnits.total)} WCU`],
        ...valueLines(write),
      ]);
    const more = alike.length - maxNamed;
    const others: Line[] = more > 0 ? [['', `and ${number(more)} more alike`]] : [];
    return [[alike[0]?.does ?? '', shape], ...named, ...others];
  });
}

function valueLines({ values = {} }: ExplainedWrite): Line[] {
  return Object.entries(values).map(([name, { was, is }]) => [
    '',
    `  ${word(name)}: ${shortText(was)} → ${shortText(is)}`,
  ]);
}

function costText({ rounds, cost: total }: Explanation): string {
  const [first, ...after] = rounds;
  if (total.readUnits + total.writeUnits.total === 0) return 'It costs the table nothing.';
  const rows = [
    ...(first === undefined ? [] : rowsOf(first)),
    ...after.map((round, index) => {
      const part = `${index === 0 ? 'these writes come back' : 'then'}: ${comeBackText(round)}`;
      return row(part, round.work, costsOf(round));
    }),
    row(
      'total',
      rounds.flatMap(({ work }) => work),
      [total],
    ),
  ];
  return `${tableOf(['part', 'writes', 'RCU', 'WCU'], rows)}\n${styled('dim', footnote)}`;
}

function row(part: string, work: readonly ExplainedWork[], costs: readonly ExplainedCost[]): string[] {
  const writes = work.reduce((sum, one) => sum + one.writes.length, 0);
  const reads = costs.reduce((sum, { readUnits }) => sum + readUnits, 0);
  const units = costs.reduce((sum, { writeUnits }) => sum + writeUnits.total, 0);
  return [part, ...[writes, reads, units].map(number)];
}

const footnote =
  'Nothing was written. Propagations that run together share reads; a write that loses its condition is charged and retried.';

function rowsOf({ work, checks, costOfChecks }: ExplainedRound): string[][] {
  return [
    ...work.map((one) => {
      const more = one.messages === 0 ? '' : `, with ${counted(one.messages, 'message')} more`;
      return row(`${one.rule}${more}`, [one], [one.cost]);
    }),
    ...(checks === 0 ? [] : [row(counted(checks, 'check'), [], [costOfChecks])]),
  ];
}

function comeBackText({ records, checks, work }: ExplainedRound): string {
  const rules = [...new Set(work.map(({ rule }) => rule))].join(', ');
  return [
    counted(records, 'record'),
    ...(checks === 0 ? [] : [counted(checks, 'check')]),
    ...(rules === '' ? [] : [rules]),
  ].join(', ');
}
