import type { PlanStep } from '../../dev/dry-run/dry-run.ts';
import type { DeadLetter } from '../../model/message.ts';
import type { ArchiveReport, PropagationReport } from '../../model/report.ts';
import { styled } from './terminal.ts';
import { keyJson } from './text.ts';

/**
 * One line for a propagation: rule, root, cause, counts, and the milliseconds since the record was fetched.
 */
export function propagationLine(report: PropagationReport, milliseconds: number): string {
  const { rule, root, cause, recheck, written, unchanged, lost } = report;
  const rare = (['removed', 'orphans', 'deadLettered', 'requeued'] as const)
    .filter((name) => report[name] > 0)
    .map((name) => `, ${report[name]} ${name}`)
    .join('');
  const counts = `${written} written, ${unchanged} unchanged, ${lost} lost and retried${rare}`;
  const why = recheck ? `${cause} (recheck)` : cause;
  return `${styled('bold', rule)}  ${keyJson(root)}  ${why}  ${counts}  ${styled('dim', `${milliseconds.toFixed(0)} ms`)}`;
}

/** One line for a step of a dry run: attribute names, never values. */
export function planLine(step: PlanStep): string {
  switch (step.does) {
    case 'read':
      return `${styled('dim', 'read')}    ${keyJson(step.key)}`;
    case 'query':
      return `${styled('dim', 'query')}   ${step.where}`;
    case 'update': {
      const { key, set, remove, expect } = step.update;
      const changes = [list('set', Object.keys(set)), list('remove', remove)].filter((text) => text !== '');
      return `${styled('yellow', 'write')}   ${keyJson(key)}  ${changes.join('; ')}${condition(Object.keys(expect))}`;
    }
    case 'remove': {
      const { key, clear, expect } = step.removal;
      const root =
        step.root.expect === 'absent'
          ? 'does not exist'
          : `still places it there (${Object.keys(step.root.expect).join(', ')})`;
      const what = clear === undefined ? 'delete the item' : list('remove', clear);
      return `${styled('red', 'remove')}  ${keyJson(key)}  ${what}${condition(Object.keys(expect))} and its root ${root}`;
    }
    case 'archive':
      return `${styled('yellow', 'archive')} ${step.objectKey}${step.replaces ? ', replacing the present version' : ', as a new object'}`;
    case 'erase':
      return `${styled('red', 'erase')}   ${step.objectKey}, with its versions and last states`;
    case 'send':
      return `${styled('dim', 'queue')}   ${step.message.rule}  ${keyJson(step.message.root)}${step.delaySeconds > 0 ? ` in ${step.delaySeconds} s` : ''}`;
  }
}

function list(verb: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${verb} ${names.join(', ')}`;
}

function condition(names: readonly string[]): string {
  return names.length === 0
    ? ', if it exists'
    : `, if it exists and ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} as read`;
}

const says: Readonly<Record<ArchiveReport['outcome'], string>> = {
  stored: 'stored in',
  unchanged: 'already stored in',
  final: 'last state stored in',
  erased: 'erased from',
  gone: 'gone or changed since, and left to its later record in',
};

/** One line for an archived item: kind, key, outcome, and object key. */
export function archiveLine({ kind, key, outcome, objectKey }: ArchiveReport): string {
  return `${styled('bold', kind)}  ${keyJson(key)}  ${says[outcome]} ${objectKey}`;
}

/** One line for a dead letter: code, rule and key if it has a message, and the reason. */
export function deadLetterLine({ code, reason, message }: DeadLetter, verb = 'dead-lettered'): string {
  return `${verb}  ${code}  ${message ? `${message.rule}  ${keyJson(message.root)}  ` : ''}${reason}`;
}
