import { type Strangers, unmatchedKinds, usedKinds } from '../../model/rules/kind-counts.ts';
import { type Pauses, withoutPaused } from '../../model/rules/pauses.ts';
import type { Backlog, BacklogPort } from '../ports.ts';
import { sampleOf } from '../scan/scan-table.ts';
import type { Drift } from './drift.ts';
import { countIn, driftIn, isPassed, isUncompared, verifyFrom } from './verify-state.ts';
import { type TableSearch, verifyTable } from './verify-table.ts';

/** What a scheduled search reports: keys, rules, attribute names and counts, never item content. */
export interface VerifyTelemetryPort {
  drifted(drift: Drift): void;
  verified(report: VerifyReport): void;
}

export interface VerifyReport {
  readonly items: number;
  readonly copies: number;
  readonly drift: number;
  /** Whether the whole share was read and every suspect was checked again. */
  readonly finished: boolean;
  /** Copies that differed when the run ended, and were not checked again or wait for the fan-out queue: no drift yet. */
  readonly waiting: number;
  /** The fan-out queue when it was last looked at. Undefined if the search was given none. */
  readonly queue: Backlog | undefined;
  readonly ofNoKind: number;
  /** Kinds of rules that nothing in the share was of. */
  readonly unmatched: readonly string[];
  /** Rules of whose copies in the share none has a root to be compared with. */
  readonly uncompared: readonly string[];
  /** Rules that were not looked at, because they are paused, with since when. */
  readonly paused: Readonly<Record<string, string>>;
  /** Items of no kind that have the keys or the type of one: no rule looks at them. */
  readonly nearlyOfKind: readonly Strangers[];
}

/** Everything that a scheduled search needs. At `stop`, no more pages are read; suspects are checked until `stopLooking`. */
export interface VerifySampleContext
  extends Omit<TableSearch, 'orphans' | 'passes' | 'concurrency' | 'onDrift' | 'onState'> {
  readonly telemetry: VerifyTelemetryPort;
  /** Rules that write nothing for now: what they have not followed since is no drift yet. */
  readonly paused: Pauses;
  /** The share of the table, above 0 and at most 1. */
  readonly share: number;
  /** Chooses the share: 0 to 1, as `Math.random`. */
  readonly random: () => number;
}

/** Drifted copies that a run reports one by one; the rest is only counted. */
const maxReported = 100;

/** Searches a random share of the table for drift. Writes nothing. The next run takes another share. */
export async function verifyShare(context: VerifySampleContext): Promise<VerifyReport> {
  const { registry, telemetry, share, random, paused } = context;
  const selected = withoutPaused(registry, paused);
  let reported = 0;
  let backlog: Backlog | undefined;
  const { queue } = context;
  const look = async (from: BacklogPort) => {
    backlog = await from.look();
    return backlog;
  };
  const state = await verifyTable(
    {
      ...context,
      queue: queue && { look: () => look(queue) },
      passes: [selected],
      orphans: 'unexplained',
      concurrency: 2,
      onDrift: async (found) => {
        for (const drift of found) {
          reported += 1;
          if (reported <= maxReported) telemetry.drifted(drift);
        }
      },
    },
    verifyFrom(sampleOf(share, random), selected),
  );
  const copies = countIn(state, ['copies']);
  const { ofNoKind, strangers } = state.kinds;
  const nearlyOfKind = strangers.filter(({ like }) => like !== 'nothing');
  const sums = { items: state.items, copies, drift: driftIn(state), finished: isPassed(state) };
  const unmatched = unmatchedKinds(usedKinds(selected), state.kinds).map(({ kind }) => kind.name);
  const uncompared = Object.entries(state.rules).flatMap(([rule, counts]) =>
    isUncompared(counts) ? [rule] : [],
  );
  const waiting = state.suspectedDrifts.length;
  const report = {
    ...sums,
    waiting,
    queue: backlog,
    ofNoKind,
    unmatched,
    uncompared,
    nearlyOfKind,
    paused: Object.fromEntries(paused),
  };
  telemetry.verified(report);
  return report;
}
