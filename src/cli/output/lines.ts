import type { GuardedCreation, GuardedRemoval, GuardedUpdate } from '../../model/guarded-write.ts';
import type { DeadLetter } from '../../model/message.ts';
import type { PropagationReport } from '../../model/report.ts';
import { styled } from './terminal.ts';
import { keyJson } from './text.ts';
import { visible, word, words } from './visible.ts';

/**
 * One line for a propagation: rule, root, cause, the copies written, every other count above zero, and the milliseconds
 * since the record was fetched.
 */
export function propagationLine(report: PropagationReport, milliseconds: number): string {
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
  const why = recheck ? `${cause} (recheck)` : cause;
  return `${styled('bold', word(rule))}  ${keyJson(root)}  ${why}  ${report.written} written${others}  ${styled('dim', `${milliseconds.toFixed(0)} ms`)}`;
}

/** One line for one write of a dry run: attribute names, never their values. */
export function updateLine({ key, set, remove, expect }: GuardedUpdate): string {
  const changes = [list('set', Object.keys(set)), list('remove', remove)].filter((text) => text !== '');
  return `${styled('yellow', 'write')}   ${keyJson(key)}  ${changes.join('; ')}${condition(Object.keys(expect))}`;
}

/** A removal that a run would make: attribute names, never values. */
export function removalLine({ key, clear, expect }: GuardedRemoval): string {
  const change = clear === undefined ? 'delete it' : list('remove', clear);
  return `${styled('yellow', 'remove')}  ${keyJson(key)}  ${change}${condition(Object.keys(expect))}, and its root is still as read`;
}

/** A copy that a run would create: attribute names, never values. */
export function creationLine({ key, item }: GuardedCreation): string {
  return `${styled('yellow', 'create')}  ${keyJson(key)}  ${list('put', Object.keys(item))}, if no item has its key and its root is still as read`;
}

function list(verb: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${verb} ${words(names)}`;
}

function condition(names: readonly string[]): string {
  return names.length === 0
    ? ', if it exists'
    : `, if it exists and ${words(names)} ${names.length === 1 ? 'is' : 'are'} as read`;
}

/** One line for a dead letter: code, rule and key if it has a message, and the reason. */
export function deadLetterLine({ code, reason, message }: DeadLetter, verb = 'dead-lettered'): string {
  const about = message ? `${word(message.rule)}  ${keyJson(message.root)}  ` : '';
  return `${verb}  ${visible(code)}  ${about}${visible(reason)}`;
}
