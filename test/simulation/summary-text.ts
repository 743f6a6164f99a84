import { faultsIn, unwrittenIn } from '../../src/simulator/report.ts';
import type { Summary } from '../../src/simulator/summary.ts';

export function summaryText(summary: Summary): string {
  const { seeds, steps, requests, failed, seconds, faults, rareEvents, exceptions } = summary;
  const text = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ') || 'none';
  return [
    `faults: ${text(faults)}`,
    `rare events: ${text(rareEvents)}`,
    `stated exceptions: ${text(exceptions)}`,
    `never met: ${unmetOf(faults, rareEvents, exceptions).concat(untriedIn(summary)).join(', ') || 'none of these'}`,
    `written: ${text(summary.written)}`,
    ...failed.map(({ seed, what }) => `seed ${seed} breaks promise ${what}`),
    `${seeds} seeds, ${steps} steps, ${requests} requests, ${faultsIn(summary)} faults, ${failed.length} violations, ${(seeds / Math.max(seconds, 0.001)).toFixed(1)} seeds/s`,
  ].join('\n');
}

/** Of which nothing was looked at. */
export function untriedIn(summary: Summary): string[] {
  return unwrittenIn(summary).map((rule) => `writes of ${rule}`);
}

/** What no run has met. */
export function unmetOf(...counts: readonly ReadonlyMap<string, number>[]): string[] {
  return counts.flatMap((one) => [...one].filter(([, count]) => count === 0).map(([kind]) => kind));
}
