import type { ExplainedWrite, NamedWrite } from '../../explain/explanation.ts';
import { visible, word, words } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import { type DeadLetter, subjectOf } from '../../model/work/message.ts';
import type { ArchiveReport, PropagationReport } from '../../model/work/report.ts';
import { styled } from './terminal.ts';
import { keyJson, shortText } from './text.ts';

/** Rule, root, cause, copies written, every other count above zero, and the milliseconds since the record was fetched. */
export function propagationLine(table: KeyNames, report: PropagationReport, milliseconds: number): string {
  const { rule, root, cause, recheck } = report;
  const others = (
    [
      ['removed', 'removed'],
      ['unchanged', 'already right'],
      ['orphans', 'without a root'],
      ['lost', 'changed meanwhile and tried again'],
      ['deadLettered', 'dead-lettered'],
      ['requeued', 'requeued'],
    ] as const
  )
    .filter(([name]) => report[name] > 0)
    .map(([name, words]) => `, ${report[name]} ${words}`)
    .join('');
  const requeuedFor = report.requeuedFor === undefined ? '' : ` for ${report.requeuedFor}`;
  const why = recheck ? `${cause} (recheck)` : cause;
  return `${styled('bold', word(rule))}  ${keyJson(table, root)}  ${why}  ${report.written} written${others}${requeuedFor}  ${took(milliseconds)}`;
}

/** Kind, key, what became of its state, and the milliseconds since the record was fetched. */
export function archiveLine(
  table: KeyNames,
  { kind, key, outcome }: ArchiveReport,
  milliseconds: number,
): string {
  const done = { stored: 'archived', unchanged: 'archived before', final: 'archived as its last state' };
  const words = { ...done, gone: 'gone, its own record archives it', erased: 'erased' }[outcome];
  return `${styled('bold', word(kind))}  ${keyJson(table, key)}  ${words}  ${took(milliseconds)}`;
}

function took(milliseconds: number): string {
  return styled('dim', `${milliseconds.toFixed(0)} ms`);
}

export function deadLetterLine(table: KeyNames, letter: DeadLetter, verb = 'dead-lettered'): string {
  const { rule, key } = subjectOf(letter) ?? {};
  const about = [rule && word(rule), key && keyJson(table, key)];
  return [verb, visible(letter.code), ...about, visible(letter.reason)].filter(Boolean).join('  ');
}

/** For example `set Status, if it exists and Status, Total are as read`. */
export function writeText({ set, remove, expect, root }: Omit<NamedWrite, 'does' | 'key'>): string {
  const changes = [
    ...(set.length > 0 ? [`set ${words(set)}`] : []),
    ...(remove.length > 0 ? [`remove ${words(remove)}`] : []),
  ].join('; ');
  return `${changes}${changes === '' ? '' : ', '}if ${conditionOf(expect)}${rootCondition(root)}`;
}

/** A line for each attribute that a write changes: item content. */
export function valueTexts(values: ExplainedWrite['values'] = {}): readonly string[] {
  return Object.entries(values).map(
    ([name, { was, is }]) => `  ${word(name)}: ${shortText(was)} → ${shortText(is)}`,
  );
}

function conditionOf(expect: NamedWrite['expect']): string {
  if (expect === undefined) return 'no item has its key';
  return expect.length === 0 ? 'it exists' : `it exists and ${asRead(expect)}`;
}

function rootCondition(root: NamedWrite['root']): string {
  if (root === undefined) return '';
  if (root === 'absent') return ', and its root does not exist';
  return `, and its root still exists${root.length === 0 ? '' : ` and ${asRead(root)}`}`;
}

function asRead(names: readonly string[]): string {
  return `${words(names)} ${names.length === 1 ? 'is' : 'are'} as read`;
}
