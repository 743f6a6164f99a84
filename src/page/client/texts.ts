import { number, valueText, visible } from '../../model/basics/text.ts';
import type { ChangeView, Difference, RuleOfChange } from '../protocol/changes.ts';
import type { Key } from '../protocol/views.ts';

/** Without a sort key, `sk` is empty. */
export function shownKey({ pk, sk }: Key): string {
  return visible(sk === '' ? pk : `${pk} / ${sk}`);
}

export function durationText(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 1000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
}

export function time(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}

/**
 * `3 × Membership, 1 equal`: what became of a rule.
 * @param kind of its copies; undefined for an archive rule
 */
export function resultText({ counts, asks, state, copies }: RuleOfChange, kind = 'archived'): string {
  const { written, removed, unchanged, retried, deadLettered, orphans } = counts;
  const done = written + removed + unchanged;
  if (state === 'running') return `${number(done)} / ${copies === undefined ? '…' : number(copies)} ${kind}`;
  const texts = [
    written > 0 && (asks === 'archive' ? kind : `${number(written)} × ${kind}`),
    removed > 0 && `${number(removed)} removed`,
    unchanged > 0 && `${number(unchanged)} equal`,
    retried > 0 && `${number(retried)} retried`,
    deadLettered > 0 && `${number(deadLettered)} dead-lettered`,
    orphans > 0 && `${number(orphans)} without a root`,
  ].filter((text) => text !== false);
  if (texts.length > 0) return texts.join(', ');
  if (asks === 'check') return 'checked';
  if (asks === 'nothing') return 'does not match';
  return state === 'done' ? 'nothing to write' : 'waiting';
}

/** Whether the worker only found that a copy equals its root. */
export function isIdle({ rules }: Pick<ChangeView, 'rules'>): boolean {
  const isRight = ({ written, removed, deadLettered, orphans }: RuleOfChange['counts']) =>
    written + removed + deadLettered + orphans === 0;
  const concerned = rules.filter(({ asks }) => asks !== 'nothing');
  return concerned.length > 0 && concerned.every(({ asks, counts }) => asks === 'check' && isRight(counts));
}

/** Never in the middle of a character that is two code units. */
export function cut(text: string, length = 40): string {
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** `username "Ada" → "Grace"`. The server sends null for a large value, and nothing for a missing one. */
export function differenceText({ name, was, is }: Difference): string {
  const short = (value: unknown) => (value === null ? '(large)' : cut(valueText(value)));
  return `${visible(name)} ${short(was)} → ${short(is)}`;
}

const verbs = { INSERT: 'put', MODIFY: 'changed', REMOVE: 'deleted' } as const;

export function eventText({ event, expired, byWorker }: ChangeView): string {
  const verb = expired ? 'expired' : verbs[event];
  return byWorker ? `${verb} by the worker` : verb;
}

export function kindText(kinds: readonly string[]): string {
  return kinds.join(' and ') || 'of no kind';
}
