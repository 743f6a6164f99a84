import { counted, number } from '../../model/basics/text.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import { outcomeCounts } from '../../operate/drift/repair.ts';
import type { Replayed } from '../../operate/drift/replay.ts';
import { typedCommand } from '../output/next-command.ts';
import { timeText } from '../output/text.ts';

export interface Outcome extends Readonly<Record<(typeof outcomeCounts)[number] | 'leftAlone', number>> {
  /** Undefined if it was stopped. */
  readonly replayed: Replayed | undefined;
  readonly isWhole: boolean;
  /** In epoch milliseconds. */
  readonly since: number;
  /** When the stream was enabled, in epoch milliseconds, if the table is older: it has no change from before. */
  readonly streamFrom: number | undefined;
  /** Whether a rule was to be run at all. */
  readonly isOfRules: boolean;
  /** Rules that were not run, with since when. */
  readonly paused: Pauses;
  /** The names of rules that were not run. */
  readonly disabled: readonly string[];
  readonly dryRun: boolean;
}

/** Whether all that changed since then was run again, and there was something. */
export function isFine({ replayed, isWhole, leftAlone, isOfRules, ...outcome }: Outcome): boolean {
  if (replayed === undefined || !isWhole || leftAlone > 0 || !isOfRules) return false;
  return replayed.changes > 0 && replayed.unreadable === 0 && !lacksBeginning(outcome);
}

function lacksBeginning({ since, streamFrom = since }: Pick<Outcome, 'since' | 'streamFrom'>): boolean {
  return streamFrom > since;
}

export function summaryOf({ replayed, isWhole, dryRun, paused, disabled, ...outcome }: Outcome) {
  const { since, streamFrom } = outcome;
  const counts = [...outcomeCounts, 'leftAlone' as const].map((name) => [name, outcome[name]]);
  return {
    since: timeText(since),
    streamFrom: streamFrom === undefined ? undefined : timeText(streamFrom),
    dryRun,
    finished: isWhole,
    records: replayed?.records,
    oldest: replayed?.since === undefined ? undefined : timeText(replayed.since),
    changes: replayed?.changes,
    matched: replayed?.matched,
    unreadable: replayed?.unreadable,
    ...Object.fromEntries(counts),
    disabled,
    paused: Object.fromEntries(paused),
  };
}

/**
 * What was looked at, found, done and left.
 * @param toRepair the command that looks at everything
 */
export function textOf(outcome: Outcome, toRepair: string): string {
  const { paused, disabled, since, streamFrom } = outcome;
  return [
    ...[...paused].map(([rule, from]) => `not run, because paused since ${from}: ${rule}`),
    ...(disabled.length > 0 ? [`not run, because disabled: ${disabled.join(', ')}`] : []),
    ...(streamFrom !== undefined && lacksBeginning(outcome)
      ? [
          `the stream was enabled at ${timeText(streamFrom)}: of what changed from ${timeText(since)} to then, \`${toRepair}\` finds what is wrong`,
        ]
      : []),
    ...(outcome.dryRun && outcome.written + outcome.removed > 0 ? [typedCommand({ '--dry-run': [] })] : []),
    countsText(outcome),
  ].join('\n');
}

function countsText({ replayed, since, isWhole, isOfRules, dryRun, ...outcome }: Outcome): string {
  const { propagations, written, removed, unchanged, leftAlone } = outcome;
  const would = dryRun ? 'would be ' : '';
  const done = [
    counted(propagations, 'propagation'),
    `${counted(written, 'copy', 'copies')} ${would}written`,
    ...(removed > 0 ? [`${number(removed)} ${would}removed or cleared`] : []),
    `${number(unchanged)} already right`,
    `${number(leftAlone)} left alone`,
  ].join(', ');
  if (replayed === undefined || !isWhole)
    return `stopped before its end: ${done}; the same command begins anew, and finds what is right already`;
  const { records, changes, matched, unreadable, since: oldest } = replayed;
  const nothing = isOfRules ? '' : ': nothing was run again, because no rule is in force';
  const from =
    changes > 0 || oldest === undefined ? '' : `, the oldest of ${timeText(oldest)}: nothing was run again`;
  const unread = unreadable === 0 ? '' : `, ${number(unreadable)} of them unreadable`;
  return `${counted(records, 'record')} read${unread}${nothing === '' ? from : nothing}; ${counted(changes, 'change')} since ${timeText(since)}, ${number(matched)} of concern to a rule; ${done}`;
}
