import { number, valueText, visible } from '../../model/basics/text.ts';
import type { ChangeView, Difference } from '../protocol/changes.ts';
import type { Key, MetricsView } from '../protocol/views.ts';

/** Without a sort key, `sk` is empty. */
export function shownKey({ pk, sk }: Key): string {
  return visible(sk === '' ? pk : `${pk} / ${sk}`);
}

export function durationText(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 1000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
}

/** Whether beats arrive, and how long a rule has been paused. */
export function heartbeatText(heartbeat: MetricsView['heartbeat']): string {
  if (heartbeat === undefined)
    return 'Heartbeat: no value in the last three hours. It is switched off, or does not run.';
  const { overdue, lost, oldestPause } = heartbeat;
  const late = overdue > 0 ? `a beat has been due for ${longDuration(overdue)}` : 'no beat is late';
  const gone = lost > 0 ? `, ${number(lost)} lost in the last three hours` : '';
  const paused = oldestPause > 0 ? ` A rule has been paused for ${longDuration(oldestPause)}.` : '';
  return `Heartbeat: ${late}${gone}.${paused}`;
}

/** @param value in seconds */
function longDuration(value: number): string {
  if (value < 120) return `${number(value)} s`;
  return value < 7200 ? `${number(Math.floor(value / 60))} min` : `${number(Math.floor(value / 3600))} h`;
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
