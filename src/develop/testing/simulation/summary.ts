import type { Exceptions } from './oracle/verdict.ts';
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
  readonly exceptions: Exceptions;
  readonly failures: { readonly outcome: Outcome; readonly shrunk: Outcome }[];
}

export function emptySummary(): Summary {
  const exceptions = { flips: 0, otherLives: 0, unseen: 0, narrowed: 0, lateIndexes: 0, cutErasures: 0 };
  return {
    seeds: 0,
    steps: 0,
    requests: 0,
    violations: 0,
    seconds: 0,
    faults: new Map(),
    rarities: new Map(),
    exceptions,
    failures: [],
  };
}

/** Adds what one run, or a share of them, came to. */
export function add(sum: Summary, more: Omit<Summary, 'seconds'>): void {
  sum.seeds += more.seeds;
  sum.steps += more.steps;
  sum.requests += more.requests;
  sum.violations += more.violations;
  for (const [kind, count] of more.faults) sum.faults.set(kind, (sum.faults.get(kind) ?? 0) + count);
  sum.exceptions.flips += more.exceptions.flips;
  sum.exceptions.otherLives += more.exceptions.otherLives;
  for (const [kind, count] of more.rarities) sum.rarities.set(kind, (sum.rarities.get(kind) ?? 0) + count);
  sum.exceptions.unseen += more.exceptions.unseen;
  sum.exceptions.narrowed += more.exceptions.narrowed;
  sum.exceptions.lateIndexes += more.exceptions.lateIndexes;
  sum.exceptions.cutErasures += more.exceptions.cutErasures;
  sum.failures.push(...more.failures);
}

/** Counts and faults, and as its last line what one wants to know first. */
export function summaryText(summary: Summary): string {
  const { seeds, steps, requests, violations, seconds, faults, rarities, exceptions } = summary;
  const kinds = [...faults].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${count} ${kind}`);
  const { flips, otherLives, unseen, narrowed, lateIndexes, cutErasures } = exceptions;
  return [
    `faults: ${kinds.join(', ') || 'none'}`,
    `seldom met: ${[...rarities].map(([kind, count]) => `${count} ${kind}`).join(', ')}`,
    `stated exceptions: ${flips} flips within a propagation, ${otherLives} removals of another life, ${unseen} attributes that no condition excludes, ${narrowed} writes of a part of a very wide copy, ${lateIndexes} copies later on an index than the recheck delay, ${cutErasures} erasures crossed by an invocation that was cut off`,
    `${seeds} seeds, ${steps} steps, ${requests} requests, ${[...faults.values()].reduce((sum, count) => sum + count, 0)} faults, ${violations} violations, ${(seeds / Math.max(seconds, 0.001)).toFixed(1)} seeds/s`,
  ].join('\n');
}
