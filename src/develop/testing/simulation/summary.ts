import type { Outcome } from './run.ts';

/** Seeds for one worker to play. */
export interface Share {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Whether failing seeds are to be shrunk and shown. */
  readonly shown: boolean;
}

/** What came of many runs, in counts. */
export interface Summary {
  seeds: number;
  steps: number;
  requests: number;
  violations: number;
  seconds: number;
  readonly faults: Map<string, number>;
  /** What is seldom met, and how often it was. */
  readonly rarities: Map<string, number>;
  readonly exceptions: Map<string, number>;
  readonly failures: { readonly outcome: Outcome; readonly shrunk: Outcome }[];
}

export function emptySummary(): Summary {
  return {
    ...{ seeds: 0, steps: 0, requests: 0, violations: 0, seconds: 0 },
    ...{ faults: new Map(), rarities: new Map(), exceptions: new Map(), failures: [] },
  };
}

/** Adds what one run, or a share of them, came to. */
export function add(sum: Summary, more: Omit<Summary, 'seconds'>): void {
  for (const count of ['seeds', 'steps', 'requests', 'violations'] as const) sum[count] += more[count];
  for (const counts of ['faults', 'rarities', 'exceptions'] as const)
    for (const [kind, count] of more[counts]) sum[counts].set(kind, (sum[counts].get(kind) ?? 0) + count);
  sum.failures.push(...more.failures);
}

/** Counts and faults, and as its last line what one wants to know first. */
export function summaryText(summary: Summary): string {
  const { seeds, steps, requests, violations, seconds, faults, rarities, exceptions } = summary;
  const text = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ') || 'none';
  const failed = [...faults.values()].reduce((sum, count) => sum + count, 0);
  return [
    `faults: ${text(faults)}`,
    `seldom met: ${text(rarities)}`,
    `stated exceptions: ${text(exceptions)}`,
    `${seeds} seeds, ${steps} steps, ${requests} requests, ${failed} faults, ${violations} violations, ${(seeds / Math.max(seconds, 0.001)).toFixed(1)} seeds/s`,
  ].join('\n');
}
