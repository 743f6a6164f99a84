import type { Change } from '../../model/items/change.ts';
import { keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import type { PropagationReport } from '../../model/work/report.ts';
import { type Check, matchChanges } from '../../plan/match.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { type Settings, silentTelemetry, type TablePort } from '../../worker/ports.ts';
import { checkCopies } from '../../worker/propagation/check-copies.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { onceEachTarget } from '../../worker/propagation/deliveries.ts';
import { propagate } from '../../worker/propagation/propagate.ts';
import { isCovered } from '../../worker/propagation/propagate-batch.ts';
import { changesOf, type PricedSteps, pricedTable } from './priced-table.ts';

export interface PlannerOptions {
  readonly registry: Registry;
  /** Only read, never written. */
  readonly table: TablePort;
  readonly settings: Settings;
  /** Deliveries of a propagation to follow. Default: all. */
  readonly maxDeliveries?: number | undefined;
  /** Called after each delivery with the number of copies found. */
  readonly onDelivery?: (copies: number) => void;
  /** The batches in which changes that come back on the stream reach the worker. Default: one. */
  readonly batchesOf?: (changes: readonly Change[]) => readonly (readonly Change[])[];
}

export interface Asked {
  readonly records: number;
  /** With `every`, the computation of a target waits for the end of a period of so many seconds. */
  readonly propagations: readonly { readonly message: Message; readonly every?: number | undefined }[];
  readonly checks: readonly Check[];
}

/** What one invocation does, with the deliveries of all messages that follow from it. */
export interface PlannedBatch {
  readonly records: number;
  readonly checks: number;
  readonly askedOfChecks: PricedSteps;
  readonly work: readonly PlannedWork[];
}

/** A message, the deliveries that follow from it, and the messages that were not followed. */
export interface PlannedWork {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
  readonly deadLettered: readonly DeadLetter[];
  readonly notFollowed: readonly Message[];
}

export interface Delivery extends PricedSteps {
  readonly message: Message;
  readonly delaySeconds: number;
  readonly report: PropagationReport;
}

/** What changes ask for that arrive in one batch, as the worker decides it. */
export function askedBy(registry: Registry, changes: readonly Change[]): Asked {
  const groups = [...Map.groupBy(changes, ({ key }) => keyText(key)).values()];
  const matches = groups.map((group) => matchChanges(registry, group));
  const matched = matches.flatMap(({ propagations }) => propagations);
  const merged = onceEachTarget(
    registry,
    matched.map((message) => ({ ids: [], message })),
  );
  return {
    records: changes.length,
    propagations: merged.map(({ message }) => ({ message, every: registry.aggregate(message.rule)?.every })),
    checks: matches.flatMap(({ checks }) => checks).filter((check) => !isCovered(check, matched)),
  };
}

/** Rules form no cycles, but a chain of them takes a few rounds. This limit stops an endless one. */
const maxRounds = 10;

/**
 * What is asked for, and then what the planned writes ask for as they come back, until nothing is written. Keeps writes in memory
 * and sends nothing. Throws any error of the table: an incomplete plan would mislead.
 */
export async function plannedRounds(
  options: PlannerOptions,
  asked: readonly Asked[],
): Promise<readonly (readonly PlannedBatch[])[]> {
  const { registry, settings, batchesOf = (changes) => [changes] } = options;
  const { maxDeliveries = Number.POSITIVE_INFINITY, onDelivery } = options;
  const table = pricedTable(options.table, registry.table);
  const sent: Pick<Delivery, 'message' | 'delaySeconds'>[] = [];
  const deadLetters: DeadLetter[] = [];
  let failure: unknown;
  const context: PropagationContext = {
    registry,
    table,
    settings,
    outOfTime: () => false,
    clock: systemClock,
    queue: {
      send: async (messages, delaySeconds = 0) => {
        sent.push(...messages.map((message) => ({ message, delaySeconds })));
      },
      deadLetter: async (deadLettered) => {
        deadLetters.push(...deadLettered);
      },
    },
    telemetry: {
      ...silentTelemetry,
      failed: (error) => {
        failure ??= error;
      },
    },
  };

  async function batchOf({ records, propagations, checks }: Asked): Promise<PlannedBatch> {
    const work: PlannedWork[] = [];
    for (const { message, every } of propagations) work.push(await followed(message, every));
    const needed = await checkCopies(
      context,
      checks.map((check) => ({ ...check, ids: [] })),
    );
    const askedOfChecks = taken();
    for (const { message } of needed) work.push(await followed(message));
    return { records, checks: checks.length, askedOfChecks, work };
  }

  async function followed(message: Message, every = 0): Promise<PlannedWork> {
    const deliveries: Delivery[] = [];
    let due: Pick<Delivery, 'message' | 'delaySeconds'>[] = [{ message, delaySeconds: every }];
    for (let [next] = due; next !== undefined && deliveries.length < maxDeliveries; [next] = due) {
      const report = await propagate(context, next.message);
      deliveries.push({ ...next, report, ...taken() });
      onDelivery?.(report.written + report.removed + report.unchanged + report.foreign);
      // Messages without a delay come first.
      due = [...due.slice(1), ...sent.splice(0)].sort((a, b) => a.delaySeconds - b.delaySeconds);
    }
    const notFollowed = due.map((one) => one.message);
    return { message, deliveries, deadLettered: deadLetters.splice(0), notFollowed };
  }

  function taken(): PricedSteps {
    if (failure !== undefined) throw failure;
    return table.take();
  }

  const rounds: PlannedBatch[][] = [];
  for (let next = asked; rounds.length <= maxRounds; ) {
    const batches: PlannedBatch[] = [];
    for (const one of next) batches.push(await batchOf(one));
    rounds.push(batches);
    const deliveries = batches.flatMap(({ work }) => work.flatMap((one) => one.deliveries));
    const changes = changesOf(deliveries.flatMap(({ steps }) => steps));
    if (changes.length === 0) break;
    next = batchesOf(changes).map((batch) => askedBy(registry, batch));
  }
  return rounds;
}
