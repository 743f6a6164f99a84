import { type PricedStep, PricedTable } from '../../dev/dry-run/priced-table.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import type { ItemKey } from '../../model/item.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { PropagationReport } from '../../model/report.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import type { Settings, TablePort } from '../../ports.ts';
import { checkCopies } from '../../propagation/check-copies.ts';
import type { PropagationContext } from '../../propagation/context.ts';
import { propagateMessage } from '../../propagation/fan-out-batch.ts';
import type { Check } from '../../propagation/plan/match.ts';
import { locationOf } from '../../propagation/plan/rule-functions.ts';

/** When a part of a propagation would be done: with the event, or by the queue's function, at once or after a delay. */
export type PartOf = 'at once' | 'queue' | 'recheck';

/** What one delivery would do of a propagation. */
export interface Part {
  readonly by: PartOf;
  /** How long its message waits in the queue. */
  readonly delaySeconds: number;
  readonly steps: readonly PricedStep[];
  readonly report: PropagationReport;
}

/** A propagation as it would be taken, the messages that it would send included. */
export interface PlannedPropagation {
  readonly message: Message;
  /** Where copies are looked for; the copies themselves where the message names them. */
  readonly locations: readonly CopyLocation[];
  readonly parts: readonly Part[];
  readonly deadLettered: readonly DeadLetter[];
  /** Messages that were not followed any further, as asked. */
  readonly left: readonly Message[];
}

/** The check of copies that came by: what it would read, and the propagations that it calls for. */
export interface PlannedCheck {
  readonly copies: number;
  readonly steps: readonly PricedStep[];
  readonly propagations: readonly { readonly message: Message; readonly copies: readonly ItemKey[] }[];
}

export interface PlannedWorkerOptions {
  readonly registry: Registry;
  /** Read, and never written to. */
  readonly table: TablePort;
  readonly settings: Settings;
  /** Deliveries of a propagation that are followed; the rest is left. */
  readonly maxParts: number;
  /** Called after each delivery, with the copies that were found in it. */
  readonly onPart?: (copies: number) => void;
}

/** The worker's own propagations and checks on a table that keeps in memory what they would write. Nothing is written or sent. */
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
      now: Date.now,
    };
  }

  /** @throws what the table throws: a plan that is not whole is none */
  async propagate(message: Message): Promise<PlannedPropagation> {
    const locations = await this.locationsOf(message);
    const parts: Part[] = [];
    let due: { readonly message: Message; readonly delaySeconds: number }[] = [{ message, delaySeconds: 0 }];
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (parts.length >= this.options.maxParts) {
        due = [next, ...due];
        break;
      }
      const report = await propagateMessage(this.context, next.message);
      this.refuseFailure();
      const steps = this.table.take();
      const by = parts.length === 0 ? 'at once' : next.message.recheck === true ? 'recheck' : 'queue';
      parts.push({ by, delaySeconds: next.delaySeconds, steps, report });
      this.options.onPart?.(copiesIn(report));
      // What is delayed comes after all that is not.
      due = [...due, ...this.sent.splice(0)].sort((a, b) => a.delaySeconds - b.delaySeconds);
    }
    return {
      message,
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

  /** A message without places leaves it to the turn to ask the root, as is done here. */
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
    const root = rule && (await table.get(key));
    if (rule === undefined || root === undefined) return [];
    return unlessInvalid(
      () => [locationOf(registry.table, rule, root)],
      () => [],
    );
  }

  private refuseFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

/** The copies that a propagation looked at, and other items in the same place. */
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
