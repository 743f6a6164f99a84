import { changesOf, type PricedStep, PricedTable } from '../../develop/dev/dry-run/priced-table.ts';
import type { ExplainedRound, ExplainedWork } from '../../develop/page/protocol/explanation.ts';
import type { Change } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { silentTelemetry } from '../../operate/offline/silent-telemetry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { Settings, TablePort } from '../../worker/ports.ts';
import { checkCopies } from '../../worker/propagation/check-copies.ts';
import { onceEachTarget } from '../../worker/propagation/compute-batch.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagateMessage } from '../../worker/propagation/fan-out-batch.ts';
import { type Check, matchRules } from '../../worker/propagation/plan/match.ts';
import { matchAggregates } from '../../worker/propagation/plan/match-aggregates.ts';
import { isCovered, messageFor } from '../../worker/propagation/propagate-batch.ts';
import { costOf, type Delivery, explainedWork } from './work.ts';

export interface PlannerOptions {
  readonly registry: Registry;
  /** Only read, never written. */
  readonly table: TablePort;
  readonly settings: Settings;
  /** Deliveries of a propagation to follow. Default: all. */
  readonly maxDeliveries?: number | undefined;
  /** Whether to show item content. */
  readonly values?: boolean;
  /** Called after each delivery with the number of copies found. */
  readonly onDelivery?: (copies: number) => void;
}

/** What the worker is asked to do at the same time. */
export interface Asked {
  /** The changes that ask for it. */
  readonly records: number;
  readonly propagations: readonly Message[];
  readonly checks: readonly Check[];
  /** With `every`, the computation waits for the end of a period of so many seconds. */
  readonly computations: readonly { readonly message: Message; readonly every?: number | undefined }[];
}

export const nothing: Asked = { records: 0, propagations: [], checks: [], computations: [] };

/** What changes ask for that arrive together, as the worker decides it. */
export function askedBy(registry: Registry, changes: readonly Change[]): Asked {
  const groups = [...Map.groupBy(changes, ({ key }) => keyText(key)).values()];
  const matches = groups.map((group) => matchRules(registry, group));
  const matched = matches.flatMap(({ propagations }) => propagations);
  const computations = groups.flatMap((group) => matchAggregates(registry, group).computations);
  return {
    records: changes.length,
    propagations: matched.map(messageFor),
    checks: matches
      .flatMap(({ checks }) => checks)
      .filter((check) => !isCovered({ registry }, check, matched)),
    computations: onceEachTarget(computations).map(({ aggregate, message }) => ({
      ...{ message, every: aggregate.every },
    })),
  };
}

/** Rules form no cycles, but a chain of them takes a few rounds. This limit stops an endless one. */
const maxRounds = 10;

/**
 * Runs the worker's own propagations, checks and computations on a table that keeps their writes in memory, and sends nothing.
 * All methods throw any error of the table, because an incomplete plan would mislead.
 */
export class Planner {
  private readonly table: PricedTable;
  private readonly options: PlannerOptions;
  private readonly context: PropagationContext;
  private sent: Pick<Delivery, 'message' | 'delaySeconds'>[] = [];
  private deadLettered: DeadLetter[] = [];
  private failure: unknown;

  constructor(options: PlannerOptions) {
    this.options = options;
    const { registry, settings } = options;
    this.table = new PricedTable(options.table, registry.table);
    this.context = {
      ...{ registry, table: this.table, settings, outOfTime: () => false, clock: systemClock },
      queue: {
        send: async (messages, delaySeconds = 0) => {
          this.sent.push(...messages.map((message) => ({ message, delaySeconds })));
        },
        deadLetter: async (deadLettered) => {
          this.deadLettered.push(...deadLettered);
        },
      },
      telemetry: {
        ...silentTelemetry,
        failed: (error) => {
          this.failure ??= error;
        },
      },
    };
  }

  /** What is asked for, and then what the planned writes ask for as they come back on the stream, until nothing is written. */
  async rounds(asked: Asked): Promise<readonly ExplainedRound[]> {
    const { registry } = this.options;
    const rounds: ExplainedRound[] = [];
    for (let next = asked; rounds.length <= maxRounds; ) {
      const { round, steps } = await this.round(next);
      rounds.push(round);
      const changes = changesOf(registry.table, steps);
      if (changes.length === 0) break;
      next = askedBy(registry, changes);
    }
    return rounds;
  }

  private async round({ records, propagations, checks, computations }: Asked) {
    const work: ExplainedWork[] = [];
    const steps: PricedStep[] = [];
    const run = async (message: Message, every?: number) => {
      const done = await this.propagate(message, every);
      work.push(done.work);
      steps.push(...done.steps);
    };
    for (const message of propagations) await run(message);
    const needed = await checkCopies(this.context, checks);
    const costOfChecks = costOf(this.options.registry.table, this.taken());
    for (const { message } of needed) await run(message);
    for (const { message, every } of computations) await run(message, every);
    return { round: { records, checks: checks.length, costOfChecks, work }, steps };
  }

  private async propagate(message: Message, every: number | undefined) {
    const { registry, maxDeliveries = Number.POSITIVE_INFINITY, values = false, onDelivery } = this.options;
    const deliveries: Delivery[] = [];
    let due: Pick<Delivery, 'message' | 'delaySeconds'>[] = [{ message, delaySeconds: every ?? 0 }];
    for (let [next] = due; next !== undefined && deliveries.length < maxDeliveries; [next] = due) {
      const report = await propagateMessage(this.context, next.message);
      deliveries.push({ ...next, report, steps: this.taken() });
      onDelivery?.(report.written + report.removed + report.unchanged + report.foreign);
      // Messages without a delay come first.
      due = [...due.slice(1), ...this.sent.splice(0)].sort((a, b) => a.delaySeconds - b.delaySeconds);
    }
    const deadLettered = this.deadLettered.splice(0);
    const left = due.map((one) => one.message);
    return {
      work: explainedWork(registry, { message, deliveries, deadLettered, left }, values),
      steps: deliveries.flatMap(({ steps }) => steps),
    };
  }

  /** The steps since the last call. */
  private taken(): readonly PricedStep[] {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    return this.table.take();
  }
}
