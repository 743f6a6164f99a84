import type { Registry } from '../../model/registry.ts';
import type { ArchiveReport } from '../../model/report.ts';
import { pairs, styled, tableOf } from '../output/terminal.ts';
import { counted, number } from '../output/text.ts';
import { type Cost, costRows } from './cost.ts';
import type { Explanation } from './explain-subjects.ts';
import type { PlannedPropagation } from './planned-worker.ts';
import { propagationText } from './propagation-text.ts';
import type { ArchiveStep, PlannedArchiving, Round } from './rounds.ts';
import { subjectText } from './subject-text.ts';

/** Options for printing an explanation. */
export interface Printing {
  readonly registry: Registry;
  /** Whether to show item content. */
  readonly values: boolean;
  /** Whether the explanation could read an archive. */
  readonly archiveSeen: boolean;
  /** False if the explanation is based on images alone. */
  readonly tableSeen: boolean;
}

/** Formats an explanation as text, with attribute names and, if requested, values. */
export function explanationText(explanation: Explanation, printing: Printing): string {
  const { subjects, first, after } = explanation;
  return [
    ...subjects.map(subjectText),
    ...first.propagations.map((propagation) => propagationText(propagation, printing.values)),
    ...first.archived.map((archiving) => archivingText(archiving, printing)),
    ...(after.length === 0 ? [] : [afterText(after)]),
    costText(explanation, printing),
  ].join('\n\n');
}

const verbs: Readonly<Record<ArchiveStep['does'], string>> = { head: 'look', put: 'store', erase: 'erase' };

/** Why nothing is stored, by outcome. */
const outcomes: Readonly<Partial<Record<ArchiveReport['outcome'], string>>> = {
  unchanged: 'the archive already holds this state',
  gone: 'the item is gone or has changed: its later record is archived instead',
};

function archivingText({ asked, report }: PlannedArchiving, { archiveSeen }: Printing): string {
  const lines = asked.map((step) => {
    const what =
      step.does !== 'put'
        ? ''
        : step.replaces
          ? ', replacing the present version'
          : archiveSeen
            ? ', as a new object'
            : ', unless it already holds this state: no archive was named to look it up';
    return [verbs[step.does], `${step.objectKey}${what}`] as const;
  });
  const outcome = report && outcomes[report.outcome];
  const stands = outcome === undefined ? [] : [['', outcome] as const];
  return `${styled('bold', 'archive')}\n${pairs([...lines, ...stands])}`;
}

function afterText(after: readonly Round[]): string {
  const lines = after.map(({ changes, propagations, check, archived }, index) => {
    const told = [
      ...(check === undefined ? [] : [counted(check.copies, 'check')]),
      ...countedWithRules(propagations, false),
      ...countedWithRules(propagations, true),
      ...(archived.length === 0 ? [] : [`${counted(archived.length, 'archive check')}`]),
    ].join(', ');
    const writes = propagations
      .flatMap(({ parts }) => parts)
      .reduce((sum, { report }) => sum + report.written + report.removed, 0);
    const more = writes === 0 ? 'nothing more to write' : counted(writes, 'write');
    return [
      index === 0 ? 'first' : 'then',
      `${counted(changes, 'record')}: ${told === '' ? '' : `${told}, `}${more}`,
    ] as const;
  });
  return `${styled('bold', 'writes that come back on the stream')}\n${pairs(lines)}`;
}

/** A chain is read from its rounds: the rules of one round write what the rules of the next follow. */
function countedWithRules(planned: readonly PlannedPropagation[], computes: boolean): string[] {
  const some = planned.filter(({ aggregate }) => (aggregate !== undefined) === computes);
  if (some.length === 0) return [];
  const rules = [...new Set(some.map(({ message }) => message.rule))].join(', ');
  return [`${counted(some.length, computes ? 'computation' : 'propagation')} (${rules})`];
}

function costText(explanation: Explanation, { registry: { table }, tableSeen }: Printing): string {
  const { rows, total } = costRows(table, explanation);
  if (rows.length === 0) return 'It costs the table nothing.';
  const indexes = Object.values(table.indexes).map(({ name }) => name);
  const cells = ({ readUnits, writeUnits }: Cost) =>
    [
      readUnits,
      writeUnits.total,
      writeUnits.table,
      ...indexes.map((name) => writeUnits.indexes[name] ?? 0),
    ].map(number);
  const body = [...rows, { of: 'total', cost: total }].map(({ of, cost }) => [of, ...cells(cost)]);
  const seen = tableSeen ? '' : '\nOnly the given images were read: other copies are unknown.';
  return `${tableOf(['cost', 'RCU', 'WCU', 'of which table', ...indexes], body)}\n${styled('dim', `${footnote}${seen}`)}`;
}

const footnote =
  'Actual reads are fewer if propagations read an item at the same time and share it, and more if writes come back in smaller\n' +
  'batches, each with its own check. A write that loses its condition is charged for the table and retried.\n' +
  'Nothing was written.';
