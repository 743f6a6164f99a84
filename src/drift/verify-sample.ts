import type { Registry } from '../model/registry.ts';
import type { ClockPort, ScanPort, TablePort } from '../ports.ts';
import type { Budget } from '../scan/budget.ts';
import { isFinished, sampleOf } from '../scan/scan-table.ts';
import type { Drift } from './drift.ts';
import { driftIn, verifyFrom } from './verify-state.ts';
import { verifyTable } from './verify-table.ts';

/** What is told of a search that runs by itself: keys, rules, attribute names and counts, never item content. */
export interface VerifyTelemetryPort {
  drifted(drift: Drift): void;
  verified(report: VerifyReport): void;
}

/** What a search that runs by itself came to. */
export interface VerifyReport {
  /** Items that the scan saw. */
  readonly items: number;
  /** Copies that were judged. */
  readonly copies: number;
  readonly drift: number;
  /** Whether the share was read to its end, and everybody who was suspected looked at again. */
  readonly finished: boolean;
}

/** All that such a search works with. */
export interface VerifySampleContext {
  readonly registry: Registry;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly scan: ScanPort;
  readonly budget: Budget;
  readonly clock: ClockPort;
  readonly telemetry: VerifyTelemetryPort;
  /** Of the table, above 0 and at most 1. */
  readonly share: number;
  /** 0 to 1, as `Math.random`: which share. */
  readonly random: () => number;
  /** How long a change may take until its copies stand, in milliseconds. */
  readonly grace: number;
  /** Whether it is time to read no more pages; who is suspected is still looked at. */
  readonly closing: () => boolean;
  /** Whether it is time to end, whoever is suspected. */
  readonly outOfTime: () => boolean;
}

/** How many drifted copies of a run are told one by one: the rest is counted. */
const maxTold = 100;

/** Searches a random share of the table for drift. Writes nothing; another run takes another share. */
export async function verifyShare(context: VerifySampleContext): Promise<VerifyReport> {
  const { registry, telemetry, share, random, closing, outOfTime } = context;
  let told = 0;
  const state = await verifyTable(
    {
      ...context,
      rules: registry.rules,
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
    verifyFrom(sampleOf(share, random), registry.rules),
  );
  const report = {
    items: state.items,
    copies: Object.values(state.rules).reduce((sum, { copies }) => sum + copies, 0),
    drift: driftIn(state),
    finished: isFinished(state.point) && state.suspectedDrifts.length === 0,
  };
  telemetry.verified(report);
  return report;
}
