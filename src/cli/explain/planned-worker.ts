import { type PricedStep, PricedTable } from '../../develop/dev/dry-run/priced-table.ts';
import type { Aggregate } from '../../model/aggregate.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import type { ItemKey } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { PropagationReport } from '../../model/report.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { Settings, TablePort } from '../../worker/ports.ts';
import { checkCopies } from '../../worker/propagation/check-copies.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagateMessage } from '../../worker/propagation/fan-out-batch.ts';
import { memberLocations } from '../../worker/propagation/plan/aggregate-functions.ts';
import type { Check } from '../../worker/propagation/plan/match.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';

/** When a part of a propagation would run: with the event, at the end of a period, or from the queue, with or without a delay. */
export type PartOf = 'at once' | 'end of period' | 'queue' | 'recheck';

/** The work of one delivery of a propagation. */
export interface Part {
  readonly by: PartOf;
  /** The delay of its message in the queue. */
  readonly delaySeconds: number;
  readonly steps: readonly PricedStep[];
  readonly report: PropagationReport;
}

/** A planned propagation, including the messages that it would send. */
export interface PlannedPropagation {
  readonly message: Message;
  /** For a computation, its aggregate: the message's root is its target. */
  readonly aggregate: Aggregate | undefined;
  /** Where the propagation looks for copies, or a computation for members. If the message names the copies, their keys. */
  readonly locations: readonly CopyLocation[];
  readonly parts: readonly Part[];
  readonly deadLettered: readonly DeadLetter[];
  /** Messages that were not followed because of `maxParts`. */
  readonly left: readonly Message[];
}

/** A planned check of copies: its reads, and the propagations that it requires. */
export interface PlannedCheck {
  readonly copies: number;
  readonly steps: readonly PricedStep[];
  readonly propagations: readonly { readonly message: Message; readonly copies: readonly ItemKey[] }[];
}

export interface PlannedWorkerOptions {
  readonly registry: Registry;
  /** Only read, never written. */
  readonly table: TablePort;
  readonly settings: Settings;
  /** Maximum number of deliveries of a propagation to follow. */
  readonly maxParts: number;
  /** Called after each delivery with the number of copies found. */
  readonly onPart?: (copies: number) => void;
}

/**
 * Runs the worker's own propagations and checks on a table that keeps their writes in memory. It writes and
 * sends nothing.
 */
export class PlannedWorker {
  readonly table: PricedTable;
  private readonly options: PlannedWorkerOptions;
  private readonly context: PropagationContext;
  private sent: { readonly message: Message; readonly delaySeconds: number }[] = [];
  private deadLettered: DeadLetter[] = [];
  private failure: unknown;

  constructor(options: PlannedWorkerOptions) {
    this.options = options;
    const { registry, settings } = options;
    this.table = new PricedTable(options.table, registry.table);
    this.context = {
      ...{ registry, table: this.table, settings },
      queue: {
        send: async (messages, delaySeconds = 0) => {
          this.sent.push(...messages.map((message) => ({ message, delaySeconds })));
        },
        deadLetter: async (deadLettered) => {
          this.deadLettered.push(...deadLettered);
        },
      },
      telemetry: {
        ...{ propagated() {}, checked() {}, deadLettered() {}, archived() {}, fellBack() {} },
        failed: (error) => {
          this.failure ??= error;
        },
      },
      outOfTime: () => false,
      clock: systemClock,
    };
  }

  /**
   * @param every for a computation that waits for the end of a period, the seconds of a period
   * @throws any error of the table, because an incomplete plan would be misleading
   */
  async propagate(message: Message, every?: number): Promise<PlannedPropagation> {
    const locations = await this.locationsOf(message);
    const parts: Part[] = [];
    let due: { readonly message: Message; readonly delaySeconds: number }[] = [
      { message, delaySeconds: every ?? 0 },
    ];
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (parts.length >= this.options.maxParts) {
        due = [next, ...due];
        break;
      }
      const report = await propagateMessage(this.context, next.message);
      this.refuseFailure();
      const steps = this.table.take();
      const atFirst = every === undefined ? 'at once' : 'end of period';
      const by = parts.length === 0 ? atFirst : next.message.recheck === true ? 'recheck' : 'queue';
      parts.push({ by, delaySeconds: next.delaySeconds, steps, report });
      this.options.onPart?.(copiesIn(report));
      // Process undelayed messages before delayed ones.
      due = [...due, ...this.sent.splice(0)].sort((a, b) => a.delaySeconds - b.delaySeconds);
    }
    return {
      message,
      aggregate: this.options.registry.aggregate(message.rule),
      locations,
      parts,
      deadLettered: this.deadLettered.splice(0),
      left: due.map((one) => one.message),
    };
  }

  async check(checks: readonly Check[]): Promise<PlannedCheck> {
    const propagations = await checkCopies(this.context, checks);
    this.refuseFailure();
    return {
      copies: checks.length,
      steps: this.table.take(),
      propagations: propagations.map(({ message, checks: differing }) => ({
        message,
        copies: differing.map(({ copy }) => copy),
      })),
    };
  }

  /** For a message without locations, computes them from the root, as the propagation does. */
  private async locationsOf({
    rule: name,
    root: key,
    copies,
    locations,
  }: Message): Promise<readonly CopyLocation[]> {
    if (copies !== undefined) return copies.map((copy) => ({ in: 'key', ...copy }));
    if (locations !== undefined) return locations;
    const { registry, table } = this.options;
    const rule = registry.rule(name);
    const aggregate = registry.aggregate(name);
    const root = rule === undefined && aggregate === undefined ? undefined : await table.get(key);
    if (root === undefined) return [];
    return unlessInvalid(
      () => {
        if (aggregate !== undefined)
          return isOfKind(registry.table, aggregate.on, root)
            ? memberLocations(registry.table, aggregate, root)
            : [];
        return rule === undefined ? [] : [locationOf(registry.table, rule, root)];
      },
      () => [],
    );
  }

  private refuseFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

/** The items that a delivery of a computation found where the members are. */
export function membersIn({ steps }: Pick<Part, 'steps'>): number {
  return steps.reduce((sum, step) => sum + (step.does === 'query' ? step.found : 0), 0);
}

/** The copies that a propagation looked at, and the other items in the same location. */
export function copiesIn({
  written,
  removed,
  unchanged,
  orphans,
  foreign,
  deadLettered,
}: PropagationReport): number {
  return written + removed + unchanged + orphans + foreign + deadLettered;
}
