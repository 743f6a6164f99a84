import { number } from '../../model/basics/text.ts';

/** What the last beat told, in seconds, and how many were lost in all. */
interface Heartbeat {
  readonly overdue: number;
  readonly oldestPause: number;
  readonly lost: number;
}

/** Whether beats arrive, and how long a rule has been paused. */
export function heartbeatText(heartbeat: Heartbeat | undefined): string {
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
