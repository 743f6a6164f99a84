import type { Registry } from '../../model/registry.ts';
import type { ClockPort, ScanPort } from '../ports.ts';
import type { Budget } from '../scan/budget.ts';
import { sampleOf } from '../scan/scan-table.ts';
import type { Drift } from './drift.ts';
import type { VerifyContext } from './inspect.ts';
import { driftIn, isPassed, verifyFrom } from './verify-state.ts';
import { verifyTable } from './verify-table.ts';

/** What a scheduled search reports: keys, rules, attribute names and counts, never item content. */
export interface VerifyTelemetryPort {
  drifted(drift: Drift): void;
  verified(report: VerifyReport): void;
}

/** The result of a scheduled search. */
export interface VerifyReport {
  /** Items scanned. */
  readonly items: number;
  /** Copies classified. */
  readonly copies: number;
  readonly drift: number;
  /** Whether the whole share was read and every suspect was checked again. */
  readonly finished: boolean;
}

/** Everything that a scheduled search needs. */
export interface VerifySampleContext {
  readonly registry: Registry;
  readonly table: VerifyContext['table'];
  readonly scan: ScanPort;
  readonly budget: Budget;
  readonly clock: ClockPort;
  readonly telemetry: VerifyTelemetryPort;
  /** The share of the table, above 0 and at most 1. */
  readonly share: number;
  /** Chooses the share: 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** How long a change may take to reach its copies, in milliseconds. */
  readonly grace: number;
  /** If it returns true, no more pages are read; suspects are still checked. */
  readonly closing: () => boolean;
  /** If it returns true, the search ends, even with suspects left. */
  readonly outOfTime: () => boolean;
}

/** Drifted copies that a run reports one by one; the rest is only counted. */
const maxTold = 100;

/** Searches a random share of the table for drift. Writes nothing. The next run takes another share. */
export async function verifyShare(context: VerifySampleContext): Promise<VerifyReport> {
  const { registry, telemetry, share, random, closing, outOfTime } = context;
  let told = 0;
  const state = await verifyTable(
    {
      ...context,
      rules: registry.rules,
      aggregates: registry.aggregates,
      orphans: 'unexplained',
      concurrency: 2,
      stop: closing,
      stopLooking: outOfTime,
      onDrift: async (found) => {
        for (const { drift } of found) {
          told += 1;
          if (told <= maxTold) telemetry.drifted(drift);
        }
      },
    },
    verifyFrom(sampleOf(share, random), [...registry.rules, ...registry.aggregates]),
  );
  const report = {
    items: state.items,
    copies: Object.values(state.rules).reduce((sum, { copies }) => sum + copies, 0),
    drift: driftIn(state),
    finished: isPassed(state),
  };
  telemetry.verified(report);
  return report;
}
