import { number, valueText, visible } from '../../model/basics/text.ts';
import type { ChangeView, Difference } from '../protocol/changes.ts';
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

/** With its day, unless that is today. */
export function moment(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'no time';
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? time(at) : `${date.toLocaleDateString('en-GB', { dateStyle: 'medium' })}, ${time(at)}`;
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
