import pLimit from 'p-limit';
import { distinctKeys } from '../../model/copy-location.ts';
import { type ItemKey, keyText } from '../../model/item.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { type ClockPort, defaultSettings, type TablePort, type TelemetryPort } from '../../worker/ports.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { type Drift, isRepairable } from '../../worker/verify/drift.ts';
import { type Drained, drain } from '../offline/drain.ts';
import { InMemoryQueue } from '../offline/in-memory-queue.ts';
import { type Kept, protectTable } from './protect-table.ts';

/** What a command needs to run propagations. */
export interface PropagationsOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly clock: ClockPort;
  readonly telemetry: TelemetryPort;
  /** Propagations that run in parallel. */
  readonly concurrency: number;
  /** Whether copies, and attributes that no rule names, may be removed. */
  readonly allowRemove: boolean;
  readonly stop: () => boolean;
}

/** A copy that was left as it is, because a person must allow the write or correct the data first. */
export interface LeftAlone {
  readonly rule: string;
  readonly copy: ItemKey | undefined;
  readonly root: ItemKey | undefined;
  /**
   * `unmapped` if the write would remove attributes that no rule names; `excluded` if it would remove the copy, because
   * `when` is false for its root; `unlisted` if it would remove the copy, because its root has left its key; otherwise the
   * reason why it cannot be written.
   */
  readonly code: string;
  readonly reason: string;
}

/** The result of several propagations. */
export interface PropagationsOutcome {
  /** Propagations that ran to their end. */
  readonly propagations: number;
  /** Copies written. */
  readonly written: number;
  /** Copies removed from a location that the root has left, or because `when` is false for it. */
  readonly removed: number;
  /** Copies that were right already. */
  readonly unchanged: number;
  /** Writes that lost their condition to another writer and were repeated. */
  readonly lost: number;
  readonly leftAlone: readonly LeftAlone[];
  /** Propagations that were stopped before their end. Their writes are counted. */
  readonly unfinished: readonly Message[];
}

export const nothing: PropagationsOutcome = {
  ...{ propagations: 0, written: 0, removed: 0, unchanged: 0, lost: 0 },
  ...{ leftAlone: [], unfinished: [] },
};

/**
 * Fewer retries than in the worker: a person who waits should see a failure within a minute. No pace: the table keeps to the
 * command's own budget.
 */
const settings = {
  ...defaultSettings,
  ...{ recheckDelaySeconds: 0, maxAttempts: 5, maxUnavailableSeconds: 30 },
  fanOutWriteUnits: Number.POSITIVE_INFINITY,
};

/** Why a write that a person has to allow is not made. */
const reasons = {
  unmapped:
    'The write would remove attributes that no rule names: review them, then add them to the rule, or allow it with --allow-remove',
  excluded:
    'The write would remove the copy, or what the rule wrote on it, because when is false for its root: review it, then allow it with --allow-remove',
  unlisted:
    'The write would remove the copy, or what the rule wrote on it, because its root does not list its key: review it, then allow it with --allow-remove',
} as const;

/** Runs the worker's own propagations for a command. Commands write copies in no other way. */
export class Propagations {
  private readonly options: PropagationsOptions;
  private readonly table: TablePort;
  private readonly kept: ReadonlyMap<string, Kept>;

  constructor(options: PropagationsOptions) {
    this.options = options;
    const { port, kept } = protectTable(options.table, options.registry);
    this.table = options.allowRemove ? options.table : port;
    this.kept = kept;
  }

  /**
   * Repairs drift that {@link isRepairable}; other drift is skipped. A propagation reads root and copies again. Copies of one
   * root share a propagation.
   * @returns what was done, and the drift whose repair was stopped
   */
  async repair(
    drifts: readonly Drift[],
  ): Promise<PropagationsOutcome & { readonly postponed: readonly Drift[] }> {
    const repairable = drifts.filter(isRepairable);
    const left = this.options.allowRemove ? [] : repairable.filter(({ kind }) => kind === 'unlisted');
    const leftAlone = left.map(({ rule, copy, root }) => ({ rule, copy, root, ...whyRefused('unlisted') }));
    const outcome = await this.take(repairs(repairable.filter((drift) => !left.includes(drift))));
    const unfinished = new Set(
      outcome.unfinished.flatMap(({ rule, copies = [] }) => copies.map((copy) => `${rule} ${keyText(copy)}`)),
    );
    return {
      ...outcome,
      leftAlone: [...leftAlone, ...outcome.leftAlone],
      postponed: drifts.filter(({ rule, copy }) => unfinished.has(`${rule} ${keyText(copy)}`)),
    };
  }

  /** Runs propagations, up to `concurrency` in parallel. */
  async take(messages: readonly Message[]): Promise<PropagationsOutcome> {
    const { registry, clock, telemetry, concurrency, stop } = this.options;
    const context = { registry, table: this.table, telemetry, settings, outOfTime: stop, clock };
    const limit = pLimit(concurrency);
    const propagations = await Promise.allSettled(
      messages.map((message) =>
        limit(async (): Promise<PropagationsOutcome> => {
          const unfinished = { ...nothing, unfinished: [message] };
          if (stop()) return unfinished;
          try {
            const deadLetters: DeadLetter[] = [];
            const queue = new InMemoryQueue(clock, {
              async deadLetter(more) {
                deadLetters.push(...more);
              },
            });
            const drained = await drain({ ...context, queue }, queue, [message]);
            const outcome = this.outcomeOf(message, drained.reports, deadLetters);
            return drained.finished ? { ...outcome, propagations: 1 } : added(outcome, unfinished);
          } catch (error) {
            if (error instanceof Interrupted) return unfinished;
            throw error;
          }
        }),
      ),
    );
    let outcome = nothing;
    for (const result of propagations) {
      if (result.status === 'rejected') throw result.reason;
      outcome = added(outcome, result.value);
    }
    return outcome;
  }

  private outcomeOf(
    { rule, root }: Message,
    reports: Drained['reports'],
    deadLetters: readonly DeadLetter[],
  ): PropagationsOutcome {
    const sum = (count: (report: Drained['reports'][number]) => number) =>
      reports.reduce((total, report) => total + count(report), 0);
    return {
      ...nothing,
      written: sum(({ written }) => written),
      removed: sum(({ removed }) => removed),
      unchanged: sum(({ unchanged }) => unchanged),
      lost: sum(({ lost }) => lost),
      leftAlone: deadLetters.flatMap(({ code, reason, message }) => {
        const copies: readonly (ItemKey | undefined)[] = message?.copies ?? [undefined];
        return copies.map((copy): LeftAlone => ({ rule, copy, root, ...this.whyLeft(copy, code, reason) }));
      }),
    };
  }

  private whyLeft(copy: ItemKey | undefined, code: string, reason: string) {
    const kept = copy !== undefined && code === 'copy.refused' ? this.kept.get(keyText(copy)) : undefined;
    return kept === undefined ? { code, reason } : whyRefused(kept);
  }
}

function whyRefused(code: keyof typeof reasons): Pick<LeftAlone, 'code' | 'reason'> {
  return { code, reason: reasons[code] };
}

/** The numbers of an outcome. */
export const outcomeCounts = ['propagations', 'written', 'removed', 'unchanged', 'lost'] as const;

/** The sum of two results. */
export function added(a: PropagationsOutcome, b: PropagationsOutcome): PropagationsOutcome {
  return {
    propagations: a.propagations + b.propagations,
    written: a.written + b.written,
    removed: a.removed + b.removed,
    unchanged: a.unchanged + b.unchanged,
    lost: a.lost + b.lost,
    leftAlone: [...a.leftAlone, ...b.leftAlone],
    unfinished: [...a.unfinished, ...b.unfinished],
  };
}

/**
 * One propagation for each rule and root, with the copies to repair. Keys that the root has left are its locations: `onDelete`
 * applies there, unless the root is gone, or places a copy there again.
 */
function repairs(drifts: readonly Drift[]): Message[] {
  interface Repair {
    readonly rule: string;
    readonly root: ItemKey;
    readonly copies: Map<string, ItemKey>;
    readonly unlisted: ItemKey[];
  }
  const byRoot = new Map<string, Repair>();
  for (const { kind, rule, root, copy } of drifts) {
    if (root === undefined) continue;
    const propagation = JSON.stringify([rule, root.pk, root.sk]);
    const asked: Repair = byRoot.get(propagation) ?? { rule, root, copies: new Map(), unlisted: [] };
    asked.copies.set(keyText(copy), copy);
    if (kind === 'unlisted') asked.unlisted.push(copy);
    byRoot.set(propagation, asked);
  }
  return [...byRoot.values()].map(({ rule, root, copies, unlisted }) => ({
    rule,
    root,
    cause: 'repair',
    ...(unlisted.length > 0 && { locations: [{ in: 'keys', keys: [...distinctKeys(unlisted)] }] }),
    copies: [...copies.values()],
    attempts: 0,
  }));
}
