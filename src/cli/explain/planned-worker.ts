import type { ItemKey } from '../../model/item.ts';
import type { Message, Parked } from '../../model/message.ts';
import type { Place } from '../../model/copy-location.ts';
import type { Registry } from '../../model/registry.ts';
import type { TurnReport } from '../../model/report.ts';
import { check } from '../../propagation/check-copies.ts';
import type { Engine } from '../../propagation/context.ts';
import type { Settings, TablePort } from '../../ports.ts';
import { turn } from '../../propagation/propagate-root.ts';
import { type PricedStep, PricedTable } from '../../dev/dry-run/priced-table.ts';
import type { Check } from '../../propagation/plan/match.ts';
import { placeOf } from '../../propagation/plan/rule-functions.ts';
import { unlessUnprojectable } from '../../model/unless-invalid.ts';

/** When a part of a turn would be done: with the event, or by the queue's function, at once or after a delay. */
export type PartOf = 'at once' | 'queue' | 'settle pass';

/** What one delivery would do of a turn. */
export interface Part {
  readonly by: PartOf;
  /** How long its message waits in the queue. */
  readonly delaySeconds: number;
  readonly steps: readonly PricedStep[];
  readonly report: TurnReport;
}

/** A turn as it would be taken, the messages that it would send included. */
export interface PlannedTurn {
  readonly message: Message;
  /** Where copies are looked for; the copies themselves where the message names them. */
  readonly places: readonly Place[];
  readonly parts: readonly Part[];
  readonly parked: readonly Parked[];
  /** Messages that were not followed any further, as asked. */
  readonly left: readonly Message[];
}

/** The check of copies that came by: what it would read, and the turns that it calls for. */
export interface PlannedCheck {
  readonly copies: number;
  readonly steps: readonly PricedStep[];
  readonly turns: readonly { readonly message: Message; readonly copies: readonly ItemKey[] }[];
}

export interface PlannedWorkerOptions {
  readonly registry: Registry;
  /** Read, and never written to. */
  readonly table: TablePort;
  readonly settings: Settings;
  /** Deliveries of a turn that are followed; the rest is left. */
  readonly mostParts: number;
  /** Called after each delivery, with the copies that were found in it. */
  readonly onPart?: (copies: number) => void;
}

/** The worker's own turns and checks on a table that keeps in memory what they would write. Nothing is written or sent. */
export class PlannedWorker {
  readonly table: PricedTable;
  private readonly options: PlannedWorkerOptions;
  private readonly engine: Engine;
  private sent: { readonly message: Message; readonly delaySeconds: number }[] = [];
  private parked: Parked[] = [];
  private failure: unknown;

  constructor(options: PlannedWorkerOptions) {
    this.options = options;
    const { registry, settings } = options;
    this.table = new PricedTable(options.table, registry.table);
    this.engine = {
      ...{ registry, table: this.table, settings },
      queue: {
        send: async (messages, delaySeconds = 0) => {
          this.sent.push(...messages.map((message) => ({ message, delaySeconds })));
        },
        park: async (parked) => {
          this.parked.push(...parked);
        },
      },
      telemetry: {
        ...{ turned() {}, checked() {}, parked() {}, archived() {} },
        failed: (error) => {
          this.failure ??= error;
        },
      },
      outOfTime: () => false,
      now: Date.now,
    };
  }

  /** @throws what the table throws: a plan that is not whole is none */
  async turn(message: Message): Promise<PlannedTurn> {
    const places = await this.placesOf(message);
    const parts: Part[] = [];
    let due: { readonly message: Message; readonly delaySeconds: number }[] = [{ message, delaySeconds: 0 }];
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (parts.length >= this.options.mostParts) {
        due = [next, ...due];
        break;
      }
      const report = await turn(this.engine, next.message);
      this.refuseFailure();
      const steps = this.table.take();
      const by = parts.length === 0 ? 'at once' : next.message.settle === true ? 'settle pass' : 'queue';
      parts.push({ by, delaySeconds: next.delaySeconds, steps, report });
      this.options.onPart?.(copiesIn(report));
      // What is delayed comes after all that is not.
      due = [...due, ...this.sent.splice(0)].sort((a, b) => a.delaySeconds - b.delaySeconds);
    }
    return { message, places, parts, parked: this.parked.splice(0), left: due.map((one) => one.message) };
  }

  async check(checks: readonly Check[]): Promise<PlannedCheck> {
    const turns = await check(this.engine, checks);
    this.refuseFailure();
    return {
      copies: checks.length,
      steps: this.table.take(),
      turns: turns.map(({ message, asked }) => ({ message, copies: asked.map(({ copy }) => copy) })),
    };
  }

  /** A message without places leaves it to the turn to ask the root, as is done here. */
  private async placesOf({ rule: name, root: key, copies, places }: Message): Promise<readonly Place[]> {
    if (copies !== undefined) return copies.map((copy) => ({ in: 'key', ...copy }));
    if (places !== undefined) return places;
    const { registry, table } = this.options;
    const rule = registry.rule(name);
    const root = rule && (await table.get(key));
    if (rule === undefined || root === undefined) return [];
    return unlessUnprojectable(
      () => [placeOf(registry.table, rule, root)],
      () => [],
    );
  }

  private refuseFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

/** The copies that a turn looked at, and other items in the same place. */
export function copiesIn({ written, removed, unchanged, orphans, foreign, parked }: TurnReport): number {
  return written + removed + unchanged + orphans + foreign + parked;
}
