import type { ChangeView, RuleOfChange } from '../protocol/changes.ts';
import type { Key } from '../protocol/project.ts';
import { number, visible } from '../protocol/texts.ts';

/** Without a sort key, `sk` is empty. */
export function keyText({ pk, sk }: Key): string {
  return visible(sk === '' ? pk : `${pk} / ${sk}`);
}

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 10_000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
}

export function time(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}

/** `5 written, 1 unchanged`: every count above zero. */
export function countsText({ counts, asks, state, copies }: RuleOfChange): string {
  const words: readonly (readonly [keyof RuleOfChange['counts'], string])[] = [
    ['written', asks === 'archive' ? 'archived' : 'written'],
    ['removed', 'removed'],
    ['unchanged', 'unchanged'],
    ['retried', 'retried'],
    ['deadLettered', 'dead-lettered'],
    ['orphans', 'without a root'],
  ];
  const above = words
    .filter(([name]) => counts[name] > 0)
    .map(([name, word]) => `${number(counts[name])} ${word}`);
  // A fan-out goes on by the queue: that is no failure.
  if (state === 'running') above.push(copies === undefined ? 'more to come' : `of about ${number(copies)}`);
  if (above.length > 0) return above.join(', ');
  if (asks === 'check') return 'checked';
  if (asks === 'nothing') return 'does not match';
  return state === 'done' ? 'nothing to write' : 'waiting';
}

const verbs = { INSERT: 'put', MODIFY: 'changed', REMOVE: 'deleted' } as const;

export function eventText({ event, expired, byWorker }: ChangeView): string {
  const verb = expired ? 'expired' : verbs[event];
  return byWorker ? `${verb} by the worker` : verb;
}

export function kindText(kinds: readonly string[]): string {
  return kinds.join(' and ') || 'of no kind';
}
