import pLimit from 'p-limit';
import { type ItemKey, keyText } from '../model/item.ts';
import type { DeadLetter, Message } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import { type ClockPort, defaultSettings, type TablePort, type TelemetryPort } from '../ports.ts';
import { type Drained, drain } from '../propagation/drain.ts';
import { InMemoryQueue } from '../propagation/in-memory-queue.ts';
import { Interrupted } from '../scan/metered-table.ts';
import { type Drift, isRepairable } from './drift.ts';
import { protectUnmapped } from './unmapped-attributes.ts';

/** What propagations that are taken by a command work with. */
export interface PropagationsOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly clock: ClockPort;
  readonly telemetry: TelemetryPort;
  /** Propagations that are taken side by side. */
  readonly concurrency: number;
  /** Whether attributes may be removed that no rule names. */
  readonly allowRemove: boolean;
  readonly stop: () => boolean;
}

/** A copy that was left as it is: what a write of it would do is for a person to allow, or to make possible. */
export interface LeftAlone {
  readonly rule: string;
  readonly copy: ItemKey | undefined;
  readonly root: ItemKey | undefined;
  /** `unmapped` where attributes would go that no rule names; otherwise why it cannot be written. */
  readonly code: string;
  readonly reason: string;
}

/** What propagations came to. */
export interface PropagationsOutcome {
  /** Copies written. */
  readonly written: number;
  /** Copies removed: from a place that a root has just left. */
  readonly removed: number;
  /** Copies that were right when their turn came. */
  readonly unchanged: number;
  /** Writes that lost their condition to somebody else's, and were tried again. */
  readonly lost: number;
  readonly leftAlone: readonly LeftAlone[];
  /** Propagations that were not taken to their end, because somebody asked to stop: what they wrote is counted. */
  readonly unfinished: readonly Message[];
}

const nothing: PropagationsOutcome = {
  ...{ written: 0, removed: 0, unchanged: 0, lost: 0 },
  ...{ leftAlone: [], unfinished: [] },
};

/** Bounds of propagations taken by a command: whoever waits for it would rather see what failed than an hour of retries. */
const settings = { ...defaultSettings, recheckDelaySeconds: 0, maxAttempts: 5, maxUnavailableSeconds: 30 };

/** Why a copy is left alone from which attributes would go that no rule names. */
const unmappedReason =
  'Attributes would be removed that no rule names: look at them, then name them in the rule or allow it';

/** The engine's own propagations, taken for a command: nothing is written in any other way. */
export class Propagations {
  private readonly options: PropagationsOptions;
  private readonly table: TablePort;
  private readonly kept: ReadonlyMap<string, ItemKey>;

  constructor(options: PropagationsOptions) {
    this.options = options;
    const { port, kept } = protectUnmapped(options.table, options.registry);
    this.table = options.allowRemove ? options.table : port;
    this.kept = kept;
  }

  /**
   * Repairs what propagations can: of the drift that was found, copies that differ and items whose derived keys are wrong.
   * A propagation looks at each copy and its root again; those of one root are one propagation.
   */
  repair(drifts: readonly Drift[]): Promise<PropagationsOutcome> {
    const repairable = drifts.filter(isRepairable);
    const [skipped, wanted] = this.options.allowRemove
      ? [[], repairable]
      : [
          repairable.filter(({ unmapped }) => unmapped.length > 0),
          repairable.filter(({ unmapped }) => unmapped.length === 0),
        ];
    const leftAlone = skipped.map(
      ({ rule, copy, root }): LeftAlone => ({ rule, copy, root, code: 'unmapped', reason: unmappedReason }),
    );
    return this.take(repairs(wanted), leftAlone);
  }

  /** Runs these propagations, as many of them side by side as may be. */
  async take(messages: readonly Message[], before: readonly LeftAlone[] = []): Promise<PropagationsOutcome> {
    const { registry, clock, telemetry, concurrency, stop } = this.options;
    const now = () => clock.now();
    const context = { registry, table: this.table, telemetry, settings, outOfTime: stop, now };
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
            return drained.finished ? outcome : added(outcome, unfinished);
          } catch (error) {
            if (error instanceof Interrupted) return unfinished;
            throw error;
          }
        }),
      ),
    );
    let outcome: PropagationsOutcome = { ...nothing, leftAlone: before };
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
      unfinished: [],
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
    const isKept = copy !== undefined && code === 'copy.refused' && this.kept.has(keyText(copy));
    return isKept ? { code: 'unmapped', reason: unmappedReason } : { code, reason };
  }
}

/** What two outcomes come to together. */
export function added(a: PropagationsOutcome, b: PropagationsOutcome): PropagationsOutcome {
  return {
    written: a.written + b.written,
    removed: a.removed + b.removed,
    unchanged: a.unchanged + b.unchanged,
    lost: a.lost + b.lost,
    leftAlone: [...a.leftAlone, ...b.leftAlone],
    unfinished: [...a.unfinished, ...b.unfinished],
  };
}

/** Of the drift that was found, what propagations that were not taken to their end were to repair. */
export function postponedOf(drifts: readonly Drift[], unfinished: readonly Message[]): readonly Drift[] {
  const left = new Set(
    unfinished.flatMap(({ rule, copies = [] }) => copies.map((copy) => `${rule} ${keyText(copy)}`)),
  );
  return drifts.filter(({ rule, copy }) => left.has(`${rule} ${keyText(copy)}`));
}

/** One propagation for each rule and root, with its copies named. */
export function repairs(drifts: readonly Drift[]): Message[] {
  const byRoot = new Map<string, { rule: string; root: ItemKey; copies: Map<string, ItemKey> }>();
  for (const { rule, root, copy } of drifts) {
    if (root === undefined) continue;
    const propagation = JSON.stringify([rule, root.pk, root.sk]);
    const asked = byRoot.get(propagation) ?? { rule, root, copies: new Map() };
    asked.copies.set(keyText(copy), copy);
    byRoot.set(propagation, asked);
  }
  return [...byRoot.values()].map(({ rule, root, copies }) => ({
    rule,
    root,
    cause: 'repair',
    copies: [...copies.values()],
    attempts: 0,
  }));
}
